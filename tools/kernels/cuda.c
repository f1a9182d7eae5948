/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp cuda, and isowarp run of a .cu file: CUDA C++ is preprocessed, its launches are rewritten
 * (launches.c), the compiler instruments each access of memory, and the program is linked with the runtime
 * of the simulated GPU (libisowarp-simt). */
#include <config.h>
#include "kernels.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int is_cuda_file(const char *path)
{
  const size_t n = strlen(path);
  return n > 3 && strcmp(path + n - 3, ".cu") == 0;
}

/* ---- Where things are ---- */

/* The folder of CUDA's headers: include/isowarp/cuda beside the library's. */
static const char *headers_folder(void)
{
  static char path[MOST_PATH];
  command_line c = { NULL, 0 };
  add_includes(&c);
  for (size_t i = 0; i < c.count && path[0] == '\0'; i++)
    if (strncmp(c.at[i], "-I", 2) == 0 && exists(c.at[i] + 2, "isowarp/cuda/cuda_runtime.h", path))
      *strrchr(path, '/') = '\0';
    else
      path[0] = '\0';
  free_words(&c);
  if (path[0] == '\0')
    fail("isowarp/cuda/cuda_runtime.h is not beside the library's headers; the environment variable "
         "ISOWARP_CFLAGS may have -I and "
         "the folder that isowarp/ is in");
  return path;
}

/* Headers of CUDA without a text of their own: what they include, or stand for if it cannot run. */
static const struct { const char *names, *included, *cannot; } small_headers[] = {
  { "builtin_types.h channel_descriptor.h cuda.h cuda_device_runtime_api.h cuda_profiler_api.h "
    "device_atomic_functions.h device_launch_parameters.h driver_functions.h driver_types.h host_config.h "
    "host_defines.h math_functions.h sm_60_atomic_functions.h vector_functions.h", "cuda_runtime.h", NULL },
  { "cooperative_groups/reduce.h cooperative_groups/scan.h", "cooperative_groups.h", NULL },
  { "cuda/std/array cuda/std/atomic cuda/std/cstdint cuda/std/limits cuda/std/type_traits cuda/std/utility",
    "cuda/atomic", NULL },
  { "cublas.h cublas_v2.h", NULL, "cuBLAS" }, { "cufft.h", NULL, "cuFFT" },
  { "curand.h curand_kernel.h", NULL, "cuRAND" }, { "cusolverDn.h", NULL, "cuSOLVER" },
  { "cusparse.h", NULL, "cuSPARSE" }, { "mma.h", NULL, "tensor cores (wmma)" }, { "nvrtc.h", NULL, "NVRTC" },
  { "cub/cub.cuh", NULL, "CUB" },
  { "thrust/copy.h thrust/device_vector.h thrust/execution_policy.h thrust/host_vector.h thrust/reduce.h "
    "thrust/scan.h thrust/sort.h thrust/transform.h", NULL, "Thrust" },
};

static FILE *open_to_write(const char *path)
{
  FILE *const out = fopen(path, "w");
  if (out == NULL)
    fail("%s: %s", path, strerror(errno));
  return out;
}

static void close_written(FILE *out, const char *path)
{
  if (ferror(out) || fclose(out) != 0)
    fail("%s: %s", path, strerror(errno));
}

/* Writes them, once; returns their folder. */
static const char *small_headers_folder(void)
{
  static const char *const folders[] = { "headers/cooperative_groups", "headers/cub", "headers/cuda", "headers/cuda/std",
                                         "headers/thrust" };
  static const char *headers;
  if (headers != NULL)
    return headers;
  headers = temporary_file("headers");
  (void)mkdir(headers, 0700); /* what fails here is said by the first file */
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    (void)mkdir(temporary_file(folders[i]), 0700);
  for (size_t i = 0; i < sizeof small_headers / sizeof *small_headers; i++) {
    command_line names = { NULL, 0 };
    split_words(&names, small_headers[i].names);
    for (size_t k = 0; k < names.count; k++) {
      char name[64];
      snprintf(name, sizeof name, "headers/%s", names.at[k]);
      const char *const path = temporary_file(name);
      FILE *const out = open_to_write(path);
      if (strncmp(names.at[k], "cuda/std/", 9) == 0)
        fprintf(out, "#include <%s>\n", names.at[k] + 9);
      if (small_headers[i].cannot != NULL)
        fprintf(out, "#error \"isowarp: the simulated GPU cannot run %s\"\n", small_headers[i].cannot);
      else
        fprintf(out, "#include <%s>\n", small_headers[i].included);
      close_written(out, path);
    }
    free_words(&names);
  }
  return headers;
}

/* The runtime: in a build tree, beside the program in an installation, or where configure said. */
static const char *runtime_library(void)
{
  static const char name[] = "libisowarp-simt.a", *const places[] = { "", "..", "../lib", "../lib64" };
  static char path[MOST_PATH];
  char program[MOST_PATH], folder[MOST_PATH + 16];
  find_program(program, sizeof program);
  char *const slash = strrchr(program, '/');
  if (slash != NULL)
    slash[1] = '\0';
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    snprintf(folder, sizeof folder, "%s%s", slash != NULL ? program : "./", places[i]);
    if (exists(folder, name, path))
      return path;
  }
  if (!exists(LIBDIR, name, path))
    fail("%s is missing: the runtime of CUDA C++ is not installed", path);
  return path;
}

/* ---- Compile ---- */

static command_line cxx_compiler(void) { return compiler_command("CXX", "g++"); }

static void must_run(const command_line *c, const char *source, const char *what)
{
  if (run_command(c) != 0)
    fail("%s: '%s' did not %s it", source, c->at[0], what);
}

/* Compiles one file; tail: text for its end, or NULL. Returns the object's path. */
static const char *compile_file(const char *source, int number, cuda_kernels *kernels,
                                char *(*tail)(const settings *, const cuda_kernels *), const settings *s)
{
  char name[32];
  command_line text = cxx_compiler(), object = cxx_compiler();
  const char *const headers = headers_folder();
  size_t size, rewritten_size;
  if (access(source, R_OK) != 0)
    fail(number > 0 ? "%s: %s; arguments of the program stand behind --, as in 'isowarp cuda %s -- %s'" : "%s: %s", source,
         strerror(errno), s->operands[0], source);
  snprintf(name, sizeof name, "program%d.i", number);
  const char *const preprocessed = temporary_file(name);
  snprintf(name, sizeof name, "program%d.ii", number);
  const char *const rewritten = temporary_file(name);
  snprintf(name, sizeof name, "program%d.o", number);
  const char *const result = temporary_file(name);
  add_words(&text, "-E", "-x", "c++", "-std=c++17", "-I", headers, "-I", small_headers_folder(), "-include",
            "cuda_runtime.h", NULL);
  if (is_cuda_file(source))
    add_words(&text, "-DISOWARP_CU", NULL);
  split_words(&text, getenv("CXXFLAGS"));
  add_words(&text, source, "-o", preprocessed, NULL);
  must_run(&text, source, "preprocess");
  char *const in = read_text(preprocessed, &size);
  char *const out = rewrite_launches(in, size, headers, kernels, &rewritten_size);
  FILE *const file = open_to_write(rewritten);
  fwrite(out, 1, rewritten_size, file);
  if (tail != NULL) {
    char *const more = tail(s, kernels);
    fputs(more, file);
    free(more);
  }
  close_written(file, rewritten);
  free(in);
  free(out);
  /* Options such as -Dmain=program are of the preprocessor, which has run. */
  add_words(&object, "-x", kind_of_compiler("CXX", "g++") == CLANG ? "c++-cpp-output" : "c++", "-std=c++17", "-O1", "-g1", "-gdwarf-4", "-w", "-fpermissive",
            "-fsanitize=thread", "-fno-builtin-memcpy", "-fno-builtin-memset", "-fno-builtin-memmove",
            "-fno-pie", "-ffp-contract=off", "-fno-omit-frame-pointer", "-fno-strict-aliasing", NULL);
  /* Jumps that are threaded leave out reads: of a flag in `flag && threadIdx.x == 0` in other threads. */
  if (kind_of_compiler("CXX", "g++") == CLANG)
    /* A variable without a value that a lane passes to a shuffle is no undefined behaviour in CUDA. */
    add_words(&object, "-Wno-everything", "-ftrivial-auto-var-init=pattern", "-fsanitize=array-bounds,alignment", "-mllvm",
              "-tsan-distinguish-volatile=1", "-mllvm", "-tsan-instrument-read-before-write=1", "-mllvm",
              "-jump-threading-threshold=0", "-ftls-model=local-exec", NULL);
  else
    add_words(&object, "-fpreprocessed", "-fsanitize=bounds-strict,alignment", "--param=tsan-distinguish-volatile=1",
              "-fno-thread-jumps", "-ftls-model=local-exec", NULL);
  split_words(&object, getenv("CXXFLAGS"));
  add_words(&object, "-c", rewritten, "-o", result, NULL);
  must_run(&object, source, "compile");
  free_words(&text);
  free_words(&object);
  return result;
}

/* has_main: a file has been seen to define main(); if linking fails without, that is said. */
static void link_program(const char *const *objects, size_t count, const char *program, int has_main, const settings *s)
{
  command_line c = cxx_compiler();
  /* Variables of the device are each file's own by default, and may have one name in several. */
  add_words(&c, "-no-pie", "-Wl,--allow-multiple-definition", "-o", program, NULL);
  for (size_t i = 0; i < count; i++)
    add_words(&c, objects[i], NULL);
  /* The user's variables stand in front of the runtime's, and edge.c of src/simt in between. */
  split_words(&c, getenv("LDFLAGS"));
  add_words(&c, "-Wl,-u,iw_simt_edge_data", runtime_library(), "-lm", "-lpthread", NULL);
  if (run_command(&c) != 0)
    fail(has_main ? "the program: '%s' did not link it" :
                    "%s has no main(), which a program begins with; 'isowarp run %s --kernel NAME' runs a kernel alone",
         has_main ? c.at[0] : s->operands[0], s->operands[0]);
  free_words(&c);
}

/* ---- Run ---- */

static void set_environment(const char *name, const char *value)
{
  if (value != NULL && setenv(name, value, 1) != 0)
    fail("%s: %s", name, strerror(errno));
}

/* Runs the program with its own standard input and output; returns its exit status. */
static int run_program(const char *program, char **arguments, const char *shown)
{
  int status = 0;
  size_t count = 0;
  while (arguments != NULL && arguments[count] != NULL)
    count++;
  char **const words = need(count + 2, sizeof *words);
  words[0] = (char *)(uintptr_t)shown;
  for (size_t i = 0; i <= count; i++)
    words[i + 1] = i < count ? arguments[i] : NULL;
  fflush(NULL);
  const pid_t process = fork();
  if (process == 0) {
    signal(SIGPIPE, SIG_DFL);
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* it ends with a run of --explore */
#endif
    execv(program, words);
    _exit(127);
  }
  if (process < 0)
    fail("%s: %s", shown, strerror(errno));
  set_watched_process(process);
  while (waitpid(process, &status, 0) < 0 && errno == EINTR)
    ;
  set_watched_process(0);
  free(words);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* --count, --trace, --timeline: the program writes what it has seen to these files. */
typedef struct seen { const char *counts, *events; } seen;

static seen ask_for_seen(const settings *s)
{
  const seen here = { temporary_file("counts"), temporary_file("events") };
  if (s->count_only)
    set_environment(s->counts != NULL ? "ISOWARP_SIMT_COUNTS" : "ISOWARP_SIM_COUNT", here.counts);
  if (s->trace != NULL)
    set_environment("ISOWARP_SIMT_TRACE", here.events);
  if (s->timeline != NULL)
    set_environment("ISOWARP_SIMT_TIMELINE", here.events);
  return here;
}

static void show_seen(const settings *s, seen here)
{
  size_t size;
  if (s->trace != NULL || s->timeline != NULL)
    trace_read(here.events, hand_on_event, (void *)(uintptr_t)s);
  if (s->trace != NULL)
    trace_write(s->trace);
  if (s->timeline != NULL)
    timeline_write(s->timeline);
  if (s->counts != NULL) {
    counts_read(here.counts);
    counts_write(s->counts);
  } else if (s->count_only && access(here.counts, R_OK) == 0) {
    char *const text = read_text(here.counts, &size);
    fwrite(text, 1, size, stdout);
    free(text);
  } else if (s->count_only)
    fprintf(stderr, "isowarp: note: --count: the program has launched no kernel\n");
}

typedef struct cuda_program { const settings *s; const char *path; } cuda_program;

static int run_trial(void *user)
{
  const cuda_program *const p = user;
  return run_program(p->path, p->s->program_arguments, p->s->operands[0]);
}

int run_cuda(const settings *s)
{
  const char **const objects = need((size_t)s->operand_count, sizeof *objects);
  cuda_kernels kernels = { .at = NULL };
  if (s->operand_count == 0)
    fail("'cuda' needs a FILE.cu");
  if (s->operand_count > 16)
    fail("'cuda' takes at most 16 files; give others as objects by LDFLAGS");
  (void)runtime_library(); /* not only after minutes of compiling */
  make_folder();
  int first = -1; /* the file with main() */
  for (int i = 0; i < s->operand_count; i++) {
    const int line = kernels.main_line;
    kernels.main_line = 0;
    objects[i] = compile_file(s->operands[i], i, &kernels, NULL, s);
    if (kernels.main_line != 0 && first >= 0)
      fail("%s:%d: the program has a second main(), beside that of %s:%d", s->operands[i], kernels.main_line, s->operands[first], line);
    first = kernels.main_line != 0 ? i : first;
    kernels.main_line = kernels.main_line != 0 ? kernels.main_line : line;
  }
  const char *const program = s->output != NULL ? s->output : temporary_file("program");
  link_program(objects, (size_t)s->operand_count, program, first >= 0, s);
  free(objects);
  int status = STATUS_GOOD;
  if (s->output == NULL) {
    cuda_program p = { s, program };
    const seen here = ask_for_seen(s);
    set_environment("ISOWARP_SIM_CHECKS", s->checks);
    status = s->explore != 0 ? explore(s, 1, run_trial, &p) : run_trial(&p);
    show_seen(s, here);
  }
  discard_compilation();
  return status;
}

/* ---- One kernel ---- */

/* The name in front of '<' of a template's --kernel. */
static const cuda_kernel *chosen_kernel(const settings *s, const cuda_kernels *all)
{
  const char *const end = s->kernel != NULL ? s->kernel + strcspn(s->kernel, "<") : NULL;
  const char *base = end;
  while (base > s->kernel && base[-1] != ':')
    base--;
  const size_t length = (size_t)(end - base);
  if (all->count == 0)
    fail("%s: has no __global__ function", s->operands[0]);
  if (s->kernel == NULL && all->count == 1 && !all->at[0].is_template)
    return &all->at[0];
  char list[1000] = "";
  for (size_t i = 0; i < all->count; i++) {
    if (s->kernel != NULL && strlen(all->at[i].name) == length && memcmp(all->at[i].name, base, length) == 0)
      return &all->at[i];
    if (strlen(list) + strlen(all->at[i].name) + 4 < sizeof list)
      strcat(strcat(list, i ? ", " : ""), all->at[i].name);
  }
  if (s->kernel == NULL)
    fail("%s: --kernel says which of %s is launched; of a template with its arguments, as 'NAME<float>'",
         s->operands[0], list);
  fail("--kernel: '%s' is not one of %s", s->kernel, list);
}

typedef struct parameters { char **names; size_t count; } parameters;

/* The last word of each parameter that stands in front of '[', '=' or its end. */
static parameters parameters_of(const cuda_kernel *k)
{
  parameters p = { NULL, 0 };
  const char *const end = strchr(k->parameters, '\0'), *name = NULL, *name_end = NULL;
  int depth = 0, is_default = 0;
  for (const char *c = k->parameters, *to; ; c = to) {
    to = c == end ? c : *c == '#' ? c + strcspn(c, "\n") : token_end(c, end);
    if (c == end || (*c == ',' && depth == 0)) {
      if (name != NULL && !(name_end - name == 4 && memcmp(name, "void", 4) == 0 && p.count == 0 && c == end)) {
        p.names = need_more(p.names, p.count + 1, sizeof *p.names);
        p.names[p.count++] = copy_text(name, (size_t)(name_end - name));
      }
      name = NULL;
      is_default = 0;
      if (c == end)
        return p;
    }
    depth += strchr("<([", *c) != NULL;
    depth -= strchr(">)]", *c) != NULL;
    is_default |= *c == '=';
    if (is_word(*c) && !isdigit((unsigned char)*c) && depth == 0 && !is_default) {
      name = c;
      name_end = to;
    }
  }
}

/* How many letters of an --arg are the name that it gives a value to; 0: it is no name. */
static size_t name_length(const char *text)
{
  const size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
  return text[length] == '=' ? length : 0;
}

/* The number of the parameter that an --arg gives a member of: "matrix.rows=4"; p.count: of none. */
static size_t parameter_of_member(const parameters *p, const char *text)
{
  const size_t length = strcspn(text, ".");
  size_t i = 0;
  while (i < p->count && (length >= name_length(text) || strlen(p->names[i]) != length || memcmp(p->names[i], text, length) != 0))
    i++;
  return i;
}

static int names_constant(const cuda_kernels *all, size_t constant, const char *text)
{
  const char *const name = all->constants[constant].name;
  return name_length(text) == strlen(name) && memcmp(text, name, strlen(name)) == 0;
}

/* Of those that the kernel itself uses. */
static void note_constants(const settings *s, const cuda_kernels *all, const cuda_kernel *kernel)
{
  for (size_t k = 0; k < all->constant_count; k++) {
    const char *const name = all->constants[k].name;
    int is_set = all->constants[k].is_set || memmem(kernel->body, kernel->body_size, name, strlen(name)) == NULL;
    for (size_t i = 0; i < s->args.count; i++)
      is_set |= names_constant(all, k, s->args.at[i]);
    if (!is_set)
      fprintf(stderr, "isowarp: note: nothing sets the __constant__ variable %s, so that it is 0; --arg %s=VALUE does\n", name, name);
  }
}

/* main() of a kernel without a program. Its parameters, their members and constants are what --arg gives
 * values to. */
static char *main_text(const settings *s, const cuda_kernels *all)
{
  if (all->main_line != 0)
    fail("%s:%d: the file has a main(), which 'isowarp cuda %s' runs; 'run' takes a kernel without a program",
         s->operands[0], all->main_line, s->operands[0]);
  const cuda_kernel *const k = chosen_kernel(s, all);
  const parameters p = parameters_of(k);
  const char *const expression = s->kernel != NULL ? s->kernel : k->name;
  char *text = NULL;
  size_t size;
  FILE *const out = open_memstream(&text, &size);
  if (out == NULL)
    fail("there is no memory for a main function");
  fprintf(out, "\n# 1 \"isowarp run\"\nint main(int argc, char **argv)\n{\n  static const char *const names[] = { ");
  for (size_t i = 0; i < p.count; i++) {
    int has_members = 0;
    for (size_t a = 0; a < s->args.count; a++)
      has_members |= parameter_of_member(&p, s->args.at[a]) == i;
    fprintf(out, has_members ? "0, " : "\"%s\", ", p.names[i]);
  }
  fprintf(out, "0 };\n  return iw_simt::run(%s, \"%s\", names, argc, argv, [](auto &p, iw_simt::slots &to) { (void)p;", expression,
          expression);
  for (size_t a = 0; a < s->args.count; a++) {
    const char *const arg = s->args.at[a];
    const size_t i = parameter_of_member(&p, arg), dot = strcspn(arg, ".");
    const int length = (int)name_length(arg);
    if (i < p.count)
      fprintf(out, " to.add(iw_simt::get<%zu>(p)%.*s, \"%.*s\");", i, length - (int)dot, arg + dot, length, arg);
    for (size_t c = 0; c < all->constant_count; c++)
      if (names_constant(all, c, arg))
        fprintf(out, " to.add(%.*s, \"%.*s\");", length, arg, length, arg);
  }
  fprintf(out, " });\n}\n");
  if (fclose(out) != 0)
    fail("there is no memory for a main function");
  note_constants(s, all, k);
  return text;
}

static const char *kernel_program;

/* What the program says of its kernel's parameters. */
static void describe(compiled_kernel *k, const char *name)
{
  char line[1200], elements[16], parameter[1000], kind;
  char command[MOST_PATH + 64];
  declared_kernel *const declared = need(1, sizeof *declared);
  *declared = (declared_kernel){ .name = copy_string(name) };
  snprintf(command, sizeof command, "ISOWARP_SIMT_DESCRIBE=1 ISOWARP_SIM_SCHEDULE=ascending '%s'",
           kernel_program);
  FILE *const in = popen(command, "r");
  size_t offset = 0;
  while (in != NULL && fgets(line, sizeof line, in) != NULL) {
    member_type t = { .alignment = 16, .type = IW_U8 };
    if (sscanf(line, "%c %zu %zu %d %15s %999s", &kind, &t.size, &t.element_size, &t.is_const, elements,
               parameter) != 6)
      continue;
    t.kind = kind == 'p' ? MEMBER_POINTER : kind == 's' ? MEMBER_SCALAR : kind == 'a' ? MEMBER_ARRAY : MEMBER_OTHER;
    t.is_struct = t.kind == MEMBER_OTHER;
    t.is_void = strcmp(elements, "void") == 0;
    while (iw_type_size(t.type) != 0 && strcmp(iw_type_name(t.type), elements) != 0)
      t.type = (iw_type)(t.type + 1);
    t.has_type = iw_type_size(t.type) != 0;
    t.offset = offset;
    offset += (t.size + 15) / 16 * 16;
    declared->members = need_more(declared->members, declared->member_count + 1, sizeof *declared->members);
    k->types = need_more(k->types, declared->member_count + 1, sizeof *k->types);
    k->types[declared->member_count] = t;
    char *const shown = need(strlen(parameter) + 40, 1);
    sprintf(shown, "%s%s %s%s", t.is_const ? "const " : "", t.has_type || t.is_void ? elements : "struct",
            t.kind == MEMBER_POINTER ? "*" : "", parameter);
    declared->members[declared->member_count++] =
      (member){ .name = copy_string(parameter), .declaration = shown };
  }
  if (in == NULL || pclose(in) != 0)
    fail("%s: the program that was made of it does not run", name);
  k->declared = declared;
}

compiled_kernel compile_cuda_kernel(const settings *s)
{
  cuda_kernels kernels = { .at = NULL };
  compiled_kernel k = { .launches = NULL };
  (void)runtime_library();
  make_folder();
  const char *const object = compile_file(s->operands[0], 0, &kernels, main_text, s);
  kernel_program = temporary_file("program");
  link_program(&object, 1, kernel_program, 1, s);
  describe(&k, s->kernel != NULL ? s->kernel : kernels.at[0].name);
  return k;
}

/* X, X,Y or X,Y,Z */
static void read_dimensions(const char *text, const char *option, uint64_t *out)
{
  out[0] = out[1] = out[2] = 1;
  for (int i = 0; i < 3; i++) {
    char part[32];
    const size_t length = strcspn(text, ",");
    snprintf(part, sizeof part, "%.*s", (int)(length < 31 ? length : 31), text);
    out[i] = parse_count(part, option, 1, INT32_MAX);
    text += length;
    if (*text == '\0')
      return;
    text++;
  }
  fail("%s: there are more than three numbers", option);
}

/* What CUDA launches. */
static void check_dimensions(const settings *s, const uint64_t *grid, const uint64_t *block)
{
  if (grid[1] > 65535 || grid[2] > 65535)
    fail("--grid: %s has more than 65535 blocks along Y or Z", s->grid_text);
  if (block[0] > 1024 || block[1] > 1024 || block[2] > 64 || block[0] * block[1] * block[2] > 1024)
    fail("--block: %s is not 1 to 1024 threads, of at most 64 along Z", s->block_text);
}

int run_cuda_program(const settings *s, void (*write_arguments)(FILE *, void *), void *user,
                     const char **results)
{
  uint64_t head[7];
  const char *const arguments = temporary_file("arguments");
  *results = temporary_file("results");
  if (s->grid_text == NULL || s->block_text == NULL)
    fail("'run' of CUDA C++ needs --grid, the number of blocks, and --block, the threads of a block");
  read_dimensions(s->grid_text, "--grid", head);
  read_dimensions(s->block_text, "--block", head + 3);
  check_dimensions(s, head, head + 3);
  head[6] = s->shared;
  FILE *const out = open_to_write(arguments);
  fwrite(head, sizeof head, 1, out);
  write_arguments(out, user);
  close_written(out, arguments);
  set_environment("ISOWARP_SIMT_ARGUMENTS", arguments);
  set_environment("ISOWARP_SIMT_RESULTS", *results);
  set_environment("ISOWARP_SIM_CHECKS", s->checks);
  const seen here = ask_for_seen(s);
  const int status = run_program(kernel_program, NULL, s->operands[0]);
  show_seen(s, here);
  return status;
}
