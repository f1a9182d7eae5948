/* SPDX-License-Identifier: Apache-2.0
 *
 * What the subcommands run, compile and cuda share: a kernel is found, compiled, run, drawn and counted. */
#ifndef ISOWARP_TOOLS_KERNELS_H
#define ISOWARP_TOOLS_KERNELS_H

#include "../io/io.h"

/* ---- declarations.c ---- */

/* A member of a struct: "in", and "const float *in". */
typedef struct member {
  char *name, *declaration;
  int is_bit_field;
} member;

/* A kernel of IW_KERNEL, and the members of its argument struct, as far as they have names. */
typedef struct declared_kernel {
  char *name;
  member *members;
  size_t member_count;
} declared_kernel;

typedef struct declarations {
  declared_kernel *kernels;
  size_t kernel_count;
  char **files; /* that the text was made of, without headers of the system */
  size_t file_count;
} declarations;

/* Reads C that the compiler has preprocessed for the simulated GPU. Any text may be given. */
declarations read_declarations(const char *text, size_t size);

/* ---- launches.c: CUDA C++ ---- */

/* Of a letter: whether words consist of such. */
int is_word(char c);
/* The end of the token of C or C++ that begins at `at`: a word, a number, a literal or one character. */
const char *token_end(const char *at, const char *end);

/* A __global__ function. Of a template, or of several with one name, the arguments say which it is. */
typedef struct cuda_kernel {
  char *name, *parameters;
  int is_template;
  const char *body; /* in the text that is read */
  size_t body_size;
} cuda_kernel;
/* main_line: of the definition of main(); 0: there is none. barriers: how many calls of __syncthreads(). */
typedef struct cuda_kernels {
  cuda_kernel *at;
  size_t count;
  int main_line;
  unsigned barriers;
  struct cuda_constant { char *name; int is_set; } *constants; /* __constant__ variables; is_set: by an initialiser */
  size_t constant_count;
} cuda_kernels;
/* Makes C++ of preprocessed CUDA C++, and adds its kernels to the list. headers: the folder of CUDA's
 * headers, whose text is not the user's. Fails with the line of what cannot run. */
char *rewrite_launches(const char *in, size_t size, const char *headers, cuda_kernels *kernels, size_t *out_size);

/* ---- compile.c ---- */

/* Which a compiler says it is. variable: of the environment, which may name another one than `usual`. */
typedef enum compiler_kind { OTHER_COMPILER, GCC, CLANG } compiler_kind;
compiler_kind kind_of_compiler(const char *variable, const char *usual);

/* A command line that grows. */
typedef struct command_line {
  char **at; /* NULL behind the last word */
  size_t count;
} command_line;
void add_words(command_line *c, const char *first, ...) __attribute__((sentinel));
/* A command that begins with the compiler. */
command_line compiler_command(const char *variable, const char *usual);
/* Adds the words of a text with blanks in between, as of CFLAGS. */
void split_words(command_line *c, const char *text);
void free_words(command_line *c);
/* Makes a temporary folder, which discard_compilation() removes. */
void make_folder(void);
/* The path of a file in it. */
const char *temporary_file(const char *name);
/* Runs a command; its messages go to standard error. Returns its exit status. */
int run_command(const command_line *c);
enum { MOST_PATH = 4096 };
/* Whether a file in a directory can be read; path: its path. */
int exists(const char *directory, const char *file, char path[MOST_PATH]);
/* -I and the folders of the library's headers. */
void add_includes(command_line *c);
char *read_text(const char *path, size_t *size);
/* A string of the first letters of a text, and of a whole one. */
char *copy_text(const char *from, size_t length);
char *copy_string(const char *text);

/* What a pointer or an array of the argument struct consists of, or a scalar is. */
typedef enum member_kind { MEMBER_OTHER, MEMBER_SCALAR, MEMBER_POINTER, MEMBER_ARRAY } member_kind;

/* What the compiler says of a member. */
typedef struct member_type {
  size_t offset, size, alignment;
  member_kind kind;
  size_t element_size;  /* of a pointer or an array; a scalar's size; 1 for void */
  int has_type, is_void, is_const;
  int is_struct;        /* of CUDA C++: its members can be given */
  iw_type type;         /* if has_type */
} member_type;

/* One launch of --kernel. */
typedef struct launch {
  const declared_kernel *declared;
  const iw_kernel *kernel;
  size_t grid;
} launch;

/* The kernels of a file that are to be launched, compiled and loaded. */
typedef struct compiled_kernel {
  launch *launches;     /* one after the other, with the same arguments */
  size_t launch_count;
  const declared_kernel *declared; /* the first */
  member_type *types;   /* of its members */
} compiled_kernel;

/* Where a kernel is compiled for: --backend, else ISOWARP_BACKEND, else the simulated GPU. */
iw_backend backend_of(const settings *settings);
/* Compiles the file for a backend, and loads it; fails, after the compiler's messages, if that is not
 * possible. With -o the shared object is copied there. isa: an instruction set of the CPU backend.
 * note_files is called as soon as the files are known that were read. */
compiled_kernel compile_kernel(const settings *settings, iw_backend backend, const char *isa,
                               void (*note_files)(const declarations *));
/* "const float *in, float *out": for messages. */
char *list_members(const declared_kernel *kernel);
/* The same for CUDA C++ (cuda.c): an executable with a main function of its own. It has no launches. */
int is_cuda_file(const char *path);
compiled_kernel compile_cuda_kernel(const settings *settings);
/* Runs it. write_arguments: writes for each parameter its number of bytes, as 64 bits, and the bytes; the
 * highest bit of the number: there are none, as nothing has written what the pointer leads to. *results: a
 * file with what pointers lead to. Returns the exit status. */
int run_cuda_program(const settings *settings, void (*write_arguments)(FILE *, void *), void *user, const char **results);
/* Ends compilers that run, and removes temporary files; safe in a signal handler. */
void discard_compilation(void);
/* A process that discard_compilation() ends; 0: none. */
void set_watched_process(int process);

/* run.c: --explore. Runs trial() on the simulated GPU in processes of their own under several schedules,
 * numbers of resident blocks and seeds, which it has from the environment, until one returns another status
 * than STATUS_GOOD or the time is up. Shows what that one printed, or the first one, and returns its
 * status. */
int explore(const settings *s, int is_cuda, int (*trial)(void *), void *user);

/* ---- trace.c, timeline.c, counts.c: what the simulated GPU has seen ---- */

struct iw_sim_event;
/* Fails if the path's ending is none that a trace can have. */
void trace_check(const char *path);
/* Names an array of the device; its elements have a type if has_type. memory NULL: trace_read() has its
 * address. */
void trace_array(const void *memory, const char *name, int has_type, iw_type type);
/* Events of iw_sim_set_trace(). */
void trace_event(const struct iw_sim_event *event);
/* Hands on the events in a file that a program in CUDA C++ has written (src/simt/trace.c). */
void trace_read(const char *path, void (*use)(void *, const struct iw_sim_event *), void *user);
/* A text in such a file; NULL: there is none. */
char *read_seen_text(FILE *in);
/* run.c: for --trace and --timeline. */
void hand_on_event(void *settings, const struct iw_sim_event *event);
/* Writes what has been traced, as .txt, .svg or .html. */
void trace_write(const char *path);

/* The same for slices of warps, as .json. */
void timeline_check(const char *path);
void timeline_event(const struct iw_sim_event *event);
void timeline_write(const char *path);

/* The same for the source with counts, as .txt or .html: those of a context, or in a file that a program in
 * CUDA C++ has written (src/simt/count.c). */
void counts_check(const char *path);
void counts_of_context(iw_context *context);
void counts_read(const char *path);
void counts_write(const char *path);

/* ---- the subcommands ---- */

int run_run(const settings *settings);
int run_compile(const settings *settings);
int run_cuda(const settings *settings);

#endif
