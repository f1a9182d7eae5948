/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiles a kernel of the user's with the machine's compiler, and loads it. Three commands run in a
 * temporary folder: one makes the shared object of the kernel; the others preprocess the file and compile
 * what came out once more with a table at its end, by which the compiler says what the members of the
 * argument struct are (doc/design/simulator.md#arguments-of-a-kernel). */
#include "kernels.h"
#include <isowarp/descriptor.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- The temporary folder, and processes ---- */

enum { FILE_OBJECT, FILE_TEXT, FILE_DESCRIPTION, FILE_MESSAGES, FILES };
static const char *const file_names[FILES] = { "kernel.so", "kernel.i", "description.so", "messages" };
static char paths[FILES][MOST_PATH], folder[MOST_PATH - 32];
enum { MOST_MORE = 128 };
static char more_paths[MOST_MORE][MOST_PATH]; /* of temporary_file(): folders in front of what is in them */
static volatile sig_atomic_t has_folder;
static volatile pid_t compilers[2], watched;

void set_watched_process(int process)
{
  watched = process;
}

void discard_compilation(void)
{
  for (int i = 0; i < 2; i++)
    if (compilers[i] > 0) {
      kill(-compilers[i], SIGTERM); /* its group: a compiler is several processes */
      waitpid(compilers[i], NULL, 0);
      compilers[i] = 0;
    }
  if (watched > 0) {
    kill(watched, SIGTERM);
    waitpid(watched, NULL, 0);
    watched = 0;
  }
  if (!has_folder)
    return;
  for (int i = 0; i < FILES; i++)
    unlink(paths[i]);
  for (int i = MOST_MORE - 1; i >= 0; i--)
    if (more_paths[i][0] != '\0' && unlink(more_paths[i]) != 0)
      rmdir(more_paths[i]);
  rmdir(folder);
  has_folder = 0;
}

void make_folder(void)
{
  const char *place = getenv("TMPDIR");
  if (place == NULL || *place == '\0')
    place = "/tmp";
  if ((size_t)snprintf(folder, sizeof folder, "%s/isowarp-run-XXXXXX", place) >= sizeof folder)
    fail("TMPDIR: %s", strerror(ENAMETOOLONG));
  /* Signals wait while the folder exists and its name is not known to discard_compilation(). */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int made = mkdtemp(folder) != NULL;
  for (int i = 0; made && i < FILES; i++)
    snprintf(paths[i], sizeof paths[i], "%s/%s", folder, file_names[i]);
  has_folder = made;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!made)
    fail("%s: %s", folder, strerror(errno));
}

const char *temporary_file(const char *name)
{
  for (int i = 0; i < MOST_MORE; i++)
    if (more_paths[i][0] == '\0') {
      snprintf(more_paths[i], sizeof more_paths[i], "%s/%s", folder, name);
      return more_paths[i];
    }
  fail("%s: too many files", name);
}

static void add_word(command_line *c, const char *word, size_t length)
{
  c->at = need_more(c->at, c->count + 2, sizeof *c->at);
  c->at[c->count++] = copy_text(word, length);
  c->at[c->count] = NULL;
}

void add_words(command_line *c, const char *first, ...)
{
  va_list words;
  va_start(words, first);
  for (const char *word = first; word != NULL; word = va_arg(words, const char *))
    add_word(c, word, strlen(word));
  va_end(words);
}

void split_words(command_line *c, const char *text)
{
  while (text != NULL && *(text += strspn(text, " \t\n")) != '\0') {
    const size_t length = strcspn(text, " \t\n");
    add_word(c, text, length);
    text += length;
  }
}

command_line compiler_command(const char *variable, const char *usual)
{
  command_line c = { NULL, 0 };
  split_words(&c, getenv(variable));
  if (c.count == 0)
    add_words(&c, usual, NULL);
  return c;
}

void free_words(command_line *c)
{
  for (size_t i = 0; i < c->count; i++)
    free(c->at[i]);
  free(c->at);
}

/* Starts a command in a group of its own. messages: a file for its messages, NULL: standard error. */
static void start(const command_line *c, int slot, const char *messages)
{
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t defaults, all, before;
  pid_t process;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE); /* the program ignores these two */
  sigaddset(&defaults, SIGXFSZ);
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (messages != NULL)
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, messages, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  posix_spawnattr_init(&attributes);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setsigmask(&attributes, &before);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  const int error = posix_spawnp(&process, c->at[0], &files, &attributes, c->at, environ);
  if (error == 0)
    compilers[slot] = process;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0)
    fail("%s: %s", c->at[0], strerror(error));
}

/* Waits for a command; returns its exit status. */
static int finish(const command_line *c, int slot)
{
  int status = 0;
  sigset_t all, before;
  siginfo_t about;
  const pid_t process = compilers[slot];
  while (waitid(P_PID, (id_t)process, &about, WEXITED | WNOWAIT) != 0)
    if (errno != EINTR)
      fail("%s: %s", c->at[0], strerror(errno));
  sigfillset(&all); /* when it is waited for, its number may be another process's */
  pthread_sigmask(SIG_SETMASK, &all, &before);
  waitpid(process, &status, 0);
  compilers[slot] = 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (WIFSIGNALED(status))
    fail("%s was ended by signal %d (%s)", c->at[0], WTERMSIG(status), strsignal(WTERMSIG(status)));
  return WEXITSTATUS(status);
}

int run_command(const command_line *c)
{
  start(c, 0, NULL);
  return finish(c, 0);
}

/* ---- Compilers and their flags ---- */

char *read_text(const char *path, size_t *size)
{
  char *text = NULL;
  size_t got;
  FILE *const in = fopen(path, "r");
  if (in == NULL)
    fail("%s: %s", path, strerror(errno));
  for (*size = 0; ; *size += got) {
    text = need_more(text, *size + (1 << 18), 1);
    if ((got = fread(text + *size, 1, 1 << 18, in)) == 0)
      break;
  }
  if (ferror(in))
    fail("%s: %s", path, strerror(errno));
  fclose(in);
  return text;
}

char *copy_text(const char *from, size_t length)
{
  char *const copy = memcpy(need(length + 1, 1), from, length);
  copy[length] = '\0';
  return copy;
}

char *copy_string(const char *text) { return copy_text(text, strlen(text)); }

int exists(const char *directory, const char *file, char path[MOST_PATH])
{
  return snprintf(path, MOST_PATH, "%s/%s", directory, file) < MOST_PATH && access(path, R_OK) == 0;
}

/* Adds -I for the library's headers: those of ISOWARP_CFLAGS, else those that lie where an installation or a
 * build tree has them beside this program, else those of the prefix that was configured. */
void add_includes(command_line *c)
{
  static const char header[] = "isowarp/kernel.h", algorithms[] = "include/isowarp/algorithms";
  const char *const flags = getenv("ISOWARP_CFLAGS");
  char program[MOST_PATH], path[MOST_PATH], found[MOST_PATH + 16];
  if (flags != NULL) {
    split_words(c, flags);
    return;
  }
  find_program(program, sizeof program);
  for (int up = 0; up < 2 && strrchr(program, '/') != NULL; up++) {
    /* The program is PREFIX/bin/isowarp, BUILD/isowarp or BUILD/.libs/isowarp. */
    *strrchr(program, '/') = '\0';
    snprintf(found, sizeof found, "-I%s/include", program);
    if (exists(program, "include/isowarp/kernel.h", path)) {
      add_words(c, found, NULL);
      return;
    }
    /* A build tree has a link to SOURCE/src/algorithms. */
    char *const source = exists(program, algorithms, path) ? realpath(path, NULL) : NULL;
    for (int i = 0; i < 2 && source != NULL && strrchr(source, '/') != NULL; i++)
      *strrchr(source, '/') = '\0';
    if (source != NULL && exists(source, "include/isowarp/kernel.h", path)) {
      add_words(c, found, NULL);
      snprintf(found, sizeof found, "-I%s/include", source);
      add_words(c, found, NULL);
      free(source);
      return;
    }
    free(source);
  }
  if (!exists(INCLUDEDIR, header, path))
    fail("%s is not in " INCLUDEDIR
         "; the environment variable ISOWARP_CFLAGS may have -I and the folder that it is in",
         header);
  add_words(c, "-I" INCLUDEDIR, NULL);
}

/* The flags with which the library's kernels are compiled for its instruction sets (configure.ac). */
static const char *isa_flags(const char *isa)
{
  static const char *const flags[][2] = {
    { "generic", "-DIW_LANES_GENERIC" },
    { "sse4", "-msse4.2" },
    { "avx2", "-mavx2 -mfma -mf16c -mbmi -mbmi2 -mlzcnt -mpopcnt" },
    { "avx512", "-mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd -mavx2 -mfma -mf16c -mbmi -mbmi2 "
                "-mlzcnt -mpopcnt" },
  };
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    if (strcmp(flags[i][0], isa) == 0)
      return flags[i][1];
  return "";
}

/* The C compiler and the flags that all its commands have. */
static command_line c_compiler(const settings *s)
{
  command_line c = compiler_command("CC", "cc");
  char text[32];
  add_words(&c, "-Wno-psabi", NULL);
  add_includes(&c);
  if (s->warp_size != 0) {
    snprintf(text, sizeof text, "-DIW_WARP_SIZE=%u", s->warp_size);
    add_words(&c, text, NULL);
  }
  return c;
}

compiler_kind kind_of_compiler(const char *variable, const char *usual)
{
  command_line c = compiler_command(variable, usual);
  size_t size;
  add_words(&c, "--version", NULL);
  start(&c, 0, paths[FILE_MESSAGES]);
  const int status = finish(&c, 0);
  char *const text = read_text(paths[FILE_MESSAGES], &size);
  const compiler_kind kind = status != 0 ? OTHER_COMPILER
                             : memmem(text, size, "Free Software Foundation", 24) != NULL ? GCC
                             : memmem(text, size, "clang", 5) != NULL ? CLANG : OTHER_COMPILER;
  free(text);
  free_words(&c);
  return kind;
}

/* Whether the compiler can report plain C of kernels to the simulated GPU. CFLAGS may ask for a sanitizer,
 * which excludes it. */
static int has_hooks(compiler_kind kind)
{
#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
  static const char *const others[] = { "-fsanitize=address", "-fsanitize=thread", "-fsanitize=memory" };
  const char *const flags = getenv("CFLAGS");
  for (size_t i = 0; flags != NULL && i < sizeof others / sizeof *others; i++)
    if (strstr(flags, others[i]) != NULL)
      return 0;
  return kind != OTHER_COMPILER;
#else
  (void)kind;
  return 0;
#endif
}

/* The sanitizers' libraries are not linked. Nothing else is missed, as this program has the C library. */
static void add_hooks(command_line *c, compiler_kind kind)
{
  add_words(c, "-DIW_SIM_HOOKS", "-g1", "-fsanitize=thread", "-nodefaultlibs", NULL);
  if (kind == GCC)
    add_words(c, "-fsanitize=bounds-strict", NULL);
  else
    add_words(c, "-fsanitize=array-bounds", NULL);
}

static command_line object_command(const settings *s, iw_backend backend, const char *isa,
                                   const char *source)
{
  command_line c = { NULL, 0 };
  if (backend == IW_BACKEND_CUDA) {
    const char *const usual = "/usr/local/cuda/bin/nvcc";
    char path[MOST_PATH];
    const char *in = getenv("PATH");
    int is_in_path = 0;
    for (; in != NULL && *in != '\0' && !is_in_path; in += strcspn(in, ":"), in += *in == ':') {
      char directory[MOST_PATH];
      snprintf(directory, sizeof directory, "%.*s", (int)strcspn(in, ":"), in);
      is_in_path = exists(directory, "nvcc", path);
    }
    c = compiler_command("NVCC", is_in_path || access(usual, X_OK) != 0 ? "nvcc" : usual);
    add_words(&c, "-x", "cu", "-std=c++17", "--fmad=false", "-O2", "-arch=native", "-Xcompiler", "-fPIC",
              "-shared", NULL);
    add_includes(&c);
    split_words(&c, getenv("NVCCFLAGS"));
  } else {
    const compiler_kind kind = kind_of_compiler("CC", "cc");
    c = c_compiler(s);
    add_words(&c, "-Wall", "-fPIC", "-shared", NULL);
    if (kind == GCC) /* else its messages show each macro that a name went through */
      add_words(&c, "-ftrack-macro-expansion=0", NULL);
    if (backend == IW_BACKEND_SIM)
      add_words(&c, "-O1", "-DIW_SIM", NULL);
    if (backend == IW_BACKEND_SIM && has_hooks(kind))
      add_hooks(&c, kind);
    else
      add_words(&c, "-O2", NULL);
    if (backend != IW_BACKEND_SIM)
      split_words(&c, isa_flags(isa));
    split_words(&c, getenv("CFLAGS"));
    add_words(&c, "-ffp-contract=off", NULL);
  }
  add_words(&c, "-o", paths[FILE_OBJECT], source, NULL);
  if (backend == IW_BACKEND_SIM)
    add_words(&c, "-lgcc", NULL);
  return c;
}

/* ---- What the compiler says of the argument struct ---- */

/* Entries of the table: what a number of IW_KIND is. */
enum {
  CODE_SCALAR = 0x100, CODE_POINTER = 0x200, CODE_CONST_POINTER = 0x300, CODE_VOID = 0xfe,
  CODE_UNNAMED = 0xff
};

static void print_associations(FILE *out, const char *type, const char *code)
{
  if (strcmp(type, "void") != 0)
    fprintf(out, "%s: %d | %s, ", type, CODE_SCALAR, code);
  fprintf(out, "%s *: %d | %s, volatile %s *: %d | %s, const %s *: %d | %s, const volatile %s *: %d | %s, ",
          type, CODE_POINTER, code, type, CODE_POINTER, code, type, CODE_CONST_POINTER, code, type,
          CODE_CONST_POINTER, code);
}

/* Appends a table of the members' offsets, sizes and types to the preprocessed file. Its C is that of gcc
 * and clang. */
static void append_table(const declared_kernel *kernel)
{
  static const char *const names[][2] = {
    { "_Bool", NULL }, { "char", NULL }, { "unsigned char", NULL }, { "signed char", "i" },
    { "short", "i" }, { "unsigned short", NULL }, { "int", "i" }, { "unsigned", NULL },
    { "long", "i" }, { "unsigned long", NULL }, { "long long", "i" },
    { "unsigned long long", NULL },
  };
  char code[200], member_name[600];
  FILE *const out = fopen(paths[FILE_TEXT], "a");
  if (out == NULL)
    fail("%s: %s", paths[FILE_TEXT], strerror(errno));
  fprintf(out,
      "\n# 1 \"isowarp run\"\n"
      "const unsigned long long iw_run_struct[] = { sizeof(iw_args_of_%s), __alignof__(iw_args_of_%s) };\n"
      "const unsigned long long iw_run_members[][6] = {\n",
      kernel->name, kernel->name);
  for (size_t i = 0; i < kernel->member_count; i++) {
    if (strlen(kernel->members[i].name) > 256 || strlen(kernel->name) > 256 ||
        kernel->members[i].is_bit_field) {
      fprintf(out, "{ 0 },\n");
      continue;
    }
    snprintf(member_name, sizeof member_name, "(((iw_args_of_%s *)0)->%s)", kernel->name,
             kernel->members[i].name);
    fprintf(out,
            "{ __builtin_offsetof(iw_args_of_%s, %s), sizeof %s, __alignof__ %s,\n"
            "  sizeof *__builtin_choose_expr(__builtin_classify_type(%s) == 5, %s, (char *)0),\n"
            "  __builtin_classify_type(%s) != 5 ? 0 : __builtin_types_compatible_p(__typeof__(%s),\n"
            "    __typeof__(&*__builtin_choose_expr(__builtin_classify_type(%s) == 5, %s, (char *)0))) ? "
            "1 : 2,\n"
            "  _Generic(%s, ",
            kernel->name, kernel->members[i].name, member_name, member_name, member_name, member_name,
            member_name, member_name, member_name, member_name, member_name);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
      const char *const type = names[k][0];
      if (names[k][1] != NULL)
        snprintf(code, sizeof code,
                 "(sizeof(%s) == 8 ? %d : sizeof(%s) == 4 ? %d : sizeof(%s) == 2 ? %d : %d)", type, IW_I64,
                 type, IW_I32, type, IW_I16, IW_I8);
      else
        snprintf(code, sizeof code,
                 "(sizeof(%s) == 8 ? %d : sizeof(%s) == 4 ? %d : sizeof(%s) == 2 ? %d : %d)", type, IW_U64,
                 type, IW_U32, type, IW_U16, IW_U8);
      print_associations(out, type, code);
    }
    snprintf(code, sizeof code, "%d", IW_F32);
    print_associations(out, "float", code);
    snprintf(code, sizeof code, "%d", IW_F64);
    print_associations(out, "double", code);
    snprintf(code, sizeof code, "%d", CODE_VOID);
    print_associations(out, "void", code);
    fprintf(out, "default: %d) },\n", CODE_UNNAMED);
  }
  fprintf(out, "{ 0 } };\n");
  if (fflush(out) != 0 || ferror(out) || fclose(out) != 0)
    fail("%s: %s", paths[FILE_TEXT], strerror(errno));
}

static void show_messages(void)
{
  size_t size;
  char *const text = read_text(paths[FILE_MESSAGES], &size);
  fwrite(text, 1, size, stderr);
  free(text);
}

static member_type type_of(const unsigned long long row[6])
{
  const unsigned code = (unsigned)row[5] & 0xff, kind = (unsigned)row[5] & 0xf00;
  member_type t = {
    .offset = row[0], .size = row[1], .alignment = row[2], .element_size = row[3], .kind = MEMBER_OTHER
  };
  t.is_void = code == CODE_VOID;
  t.has_type = code < CODE_VOID;
  t.type = (iw_type)code;
  t.is_const = kind == CODE_CONST_POINTER;
  if (row[4] != 0)
    t.kind = row[4] == 1 ? MEMBER_POINTER : MEMBER_ARRAY;
  else if (kind == CODE_SCALAR && t.has_type)
    t.kind = MEMBER_SCALAR;
  if (t.kind == MEMBER_SCALAR)
    t.element_size = t.size;
  return t;
}

/* ---- Loading ---- */

static void *load(const char *path, int how, const char *source)
{
  char open_path[64];
#ifdef __linux__ /* by a name that stays when the file is removed: addr2line reads it later */
  const int file = open(path, O_RDONLY);
  if (file >= 0) {
    snprintf(open_path, sizeof open_path, "/proc/self/fd/%d", file);
    path = open_path;
  }
#endif
  void *const object = dlopen(path, how | RTLD_LOCAL);
  if (object == NULL) {
    const char *message = dlerror(); /* begins with the path of a file that is about to be removed */
    if (strncmp(message, path, strlen(path)) == 0 && strncmp(message + strlen(path), ": ", 2) == 0)
      message += strlen(path) + 2;
    fail("%s: compiled, but not loaded: %s", source, message);
  }
  return object;
}

char *list_members(const declared_kernel *kernel)
{
  char *list = calloc(1, 1);
  for (size_t i = 0; i < kernel->member_count; i++) {
    const char *const here = kernel->members[i].declaration;
    const size_t length = list ? strlen(list) : 0;
    list = need_more(list, length + strlen(here) + 3, 1);
    strcat(strcat(list, i ? ", " : ""), here);
  }
  return list;
}

static const declared_kernel *choose_kernel(const declarations *d, const char *source, const char *name,
                                            size_t length)
{
  char list[1000] = "";
  if (d->kernel_count == 0)
    fail("%s: has no kernel; a kernel is a function that IW_KERNEL of <isowarp/kernel.h> defines", source);
  for (size_t i = 0; i < d->kernel_count; i++) {
    const char *const here = d->kernels[i].name;
    if (name != NULL ? strlen(here) == length && memcmp(here, name, length) == 0 : d->kernel_count == 1)
      return &d->kernels[i];
    if (strlen(list) + strlen(here) + 3 < sizeof list)
      strcat(strcat(list, *list ? ", " : ""), here);
  }
  if (name != NULL)
    fail("--kernel: '%.*s' is not one of %s", (int)length, name, list);
  fail("%s: has %zu kernels; --kernel chooses among %s", source, d->kernel_count, list);
}

/* Whether kernels have structs of the same members. */
static int have_equal_members(const declared_kernel *a, const declared_kernel *b)
{
  int equal = a->member_count == b->member_count;
  for (size_t i = 0; equal && i < a->member_count; i++)
    equal = strcmp(a->members[i].declaration, b->members[i].declaration) == 0;
  return equal;
}

/* NAME, NAME:GRID, and several with commas in between; without --kernel the only one. */
static void choose_launches(compiled_kernel *k, const declarations *d, const settings *s)
{
  for (const char *at = s->kernel; ; at++) {
    const size_t length = at ? strcspn(at, ",:") : 0;
    launch here = { .declared = choose_kernel(d, s->operands[0], at, length), .grid = s->grid };
    k->declared = k->launch_count == 0 ? here.declared : k->declared;
    if (!have_equal_members(k->declared, here.declared))
      fail("--kernel: the argument structs of %s and %s have other members", k->declared->name,
           here.declared->name);
    if (at != NULL && at[length] == ':') {
      char grid[32];
      const size_t digits = strcspn(at + length + 1, ",");
      snprintf(grid, sizeof grid, "%.*s", (int)digits, at + length + 1);
      here.grid = parse_count(grid, "--kernel", 1, INT32_MAX);
      at += digits + 1;
    }
    k->launches = need_more(k->launches, k->launch_count + 1, sizeof *k->launches);
    k->launches[k->launch_count++] = here;
    if (at == NULL || *(at += length) == '\0')
      return;
  }
}

/* Every byte of the struct belongs to a member that is known, or lies in front of one that has to be
 * aligned. */
static void check_members(const compiled_kernel *k, const unsigned long long about[2])
{
  size_t end = 0;
  for (size_t i = 0; i <= k->declared->member_count; i++) {
    const int is_last = i == k->declared->member_count;
    if (!is_last && k->declared->members[i].is_bit_field)
      fail("kernel %s: the member %s is a bit-field, which 'run' cannot set", k->declared->name,
           k->declared->members[i].declaration);
    const size_t offset = is_last ? (size_t)about[0] : k->types[i].offset;
    const size_t alignment = is_last ? (size_t)about[1] : k->types[i].alignment;
    if (offset < end || offset - end >= alignment)
      fail("kernel %s: bytes %zu to %zu of its argument struct are of no member whose name is known",
           k->declared->name, end, offset);
    if (!is_last)
      end = offset + k->types[i].size;
  }
}

/* Reads the members of the chosen kernel from what the preprocessor wrote. */
static void describe(const settings *s, compiled_kernel *k, const char *source)
{
  command_line c = c_compiler(s);
  split_words(&c, getenv("CFLAGS"));
  add_words(&c, "-w", "-O0", "-g0", "-fPIC", "-shared", "-x", "cpp-output", paths[FILE_TEXT], "-o",
            paths[FILE_DESCRIPTION], NULL);
  append_table(k->declared);
  start(&c, 1, paths[FILE_MESSAGES]);
  if (finish(&c, 1) != 0) {
    show_messages();
    fail("%s: the members of the argument struct of kernel %s are not known", source, k->declared->name);
  }
  free_words(&c);
  void *const object = load(paths[FILE_DESCRIPTION], RTLD_LAZY, source);
  const unsigned long long *const about = dlsym(object, "iw_run_struct"),
                                  (*const rows)[6] = dlsym(object, "iw_run_members");
  if (about == NULL || rows == NULL)
    fail("%s: the members of the argument struct of kernel %s are not known", source, k->declared->name);
  k->types = need(k->declared->member_count, sizeof *k->types);
  for (size_t i = 0; i < k->declared->member_count; i++)
    k->types[i] = type_of(rows[i]);
  check_members(k, about);
  dlclose(object);
}

compiled_kernel compile_kernel(const settings *s, iw_backend backend, const char *isa,
                               void (*note_files)(const declarations *))
{
  static declarations declared;
  const char *const source = s->operands[0];
  compiled_kernel k = { .launches = NULL };
  if (access(source, R_OK) != 0)
    fail("%s: %s", source, strerror(errno));
  make_folder();
  command_line object = object_command(s, backend, isa, source), text = c_compiler(s);
  start(&object, 0, NULL);
  split_words(&text, getenv("CFLAGS"));
  add_words(&text, "-w", "-E", "-DIW_SIM", source, "-o", paths[FILE_TEXT], NULL);
  start(&text, 1, paths[FILE_MESSAGES]);
  const int text_failed = finish(&text, 1) != 0;
  if (!text_failed) {
    size_t size;
    char *const preprocessed = read_text(paths[FILE_TEXT], &size);
    declared = read_declarations(preprocessed, size);
    free(preprocessed);
    note_files(&declared);
  }
  if (finish(&object, 0) != 0) /* its messages have been shown */
    fail("%s: '%s' did not compile it", source, object.at[0]);
  if (text_failed) {
    show_messages();
    fail("%s: '%s -E' did not preprocess it", source, text.at[0]);
  }
  choose_launches(&k, &declared, s);
  describe(s, &k, source);
  void *const loaded = load(paths[FILE_OBJECT], RTLD_NOW, source);
  for (size_t i = 0; i < k.launch_count; i++) {
    launch *const here = &k.launches[i];
    here->kernel = dlsym(loaded, here->declared->name);
    if (here->kernel == NULL || here->kernel->args != k.launches[0].kernel->args)
      fail("%s: has no kernel %s in the object that '%s' made", source, here->declared->name, object.at[0]);
  }
  if (s->output != NULL) {
    size_t size;
    char *const bytes = read_text(paths[FILE_OBJECT], &size);
    write_bytes(s->output, bytes, size);
    free(bytes);
  }
  discard_compilation();
  free_words(&object);
  free_words(&text);
  return k;
}
