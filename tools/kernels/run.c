/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp run: a kernel without a host program. Compiles it (compile.c), fills in its argument struct from
 * --arg, launches it, and prints, saves or compares the arrays that it may write. With --watch a process of
 * its own does that each time a file changes. */
#include <config.h>
#include "kernels.h"
#include <isowarp/descriptor.h>
#include <isowarp/sim.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* One member of the argument struct, and what --arg gave it. */
typedef struct argument {
  const member *declared;
  const member_type *type;
  const char *text;      /* behind NAME=; NULL: not given */
  array host;            /* of a pointer: the elements; data is NULL if nothing has written them */
  size_t element_size;
  int has_type;          /* host.type is the elements' type */
  void *memory;          /* of a pointer: where the kernel finds them */
  const char *save, *expect; /* NULL: not given */
  int is_null;               /* of a pointer: it leads nowhere */
  int is_result;             /* by --result, or as there is none */
} argument;

/* ---- Values ---- */

/* The member of NAME=VALUE, and the text of the value. */
static argument *named(const char *option, const char *text, argument *arguments, const compiled_kernel *k,
                       const char **rest)
{
  const size_t length = strcspn(text, "=");
  if (text[length] == '\0')
    fail("%s: '%s' is not NAME=VALUE", option, text);
  *rest = text + length + 1;
  for (size_t i = 0; i < k->declared->member_count; i++)
    if (strlen(arguments[i].declared->name) == length &&
        memcmp(arguments[i].declared->name, text, length) == 0)
      return &arguments[i];
  fail("%s: there is no '%.*s'; kernel %s takes %s", option, (int)length, text, k->declared->name,
       list_members(k->declared));
}

/* An array of n elements that all are `element`. */
static array filled(iw_type type, size_t n, const void *element)
{
  const size_t size = iw_type_size(type);
  array a = { .type = type, .n = n, .owned = need(n, size) };
  for (size_t i = 0; i < n; i++)
    memcpy((char *)a.owned + i * size, element, size);
  a.data = a.owned;
  return a;
}

static void parse_element(const char *option, const argument *a, iw_type type, const char *text,
                          size_t length, void *element)
{
  char copy[128];
  const char *wrong = "is not a number";
  snprintf(copy, sizeof copy, "%.*s", (int)length, text);
  if (length < sizeof copy)
    wrong = parse_value(type, copy, copy + length, element);
  if (wrong != NULL)
    fail("%s %s: '%s' %s", option, a->declared->name, copy, wrong);
}

/* TYPE[N], or TYPE[N]=V. TYPE may be left out if the member says what its elements are. */
static array parse_length(const char *option, argument *a, const char *text, int may_be_unwritten)
{
  const char *const open = strchr(text, '['), *const close = strchr(text, ']');
  const char *const name = a->declared->name;
  size_t length;
  value element = { 0 };
  char digits[32];
  if (close == NULL || close < open || (close[1] != '\0' && close[1] != '=') || close - open > 30)
    fail("%s %s: '%s' is not TYPE[N] or TYPE[N]=VALUE", option, name, text);
  if (open > text) {
    iw_type type = IW_U8;
    while (iw_type_size(type) != 0 && (strlen(iw_type_name(type)) != (size_t)(open - text) ||
                                       memcmp(iw_type_name(type), text, (size_t)(open - text)) != 0))
      type = (iw_type)(type + 1);
    if (iw_type_size(type) == 0)
      fail("%s %s: '%.*s' is not one of u8, u16, i32, u32, i64, u64, f32, f64", option, name,
           (int)(open - text), text);
    if (!a->type->is_void && (!a->has_type || a->host.type != type))
      fail("%s %s: the elements of '%s' are %s, not %s", option, name, a->declared->declaration,
           a->has_type ? iw_type_name(a->host.type) : "no numbers", iw_type_name(type));
    a->host.type = type;
    a->has_type = 1;
    a->element_size = iw_type_size(type);
  }
  if (!a->has_type && a->type->is_void)
    fail("%s %s: '%s' does not say what its elements are; write their type in front of [", option, name,
         a->declared->declaration);
  snprintf(digits, sizeof digits, "%.*s", (int)(close - open - 1), open + 1);
  char label[300];
  snprintf(label, sizeof label, "%s %s", option, name);
  length = parse_count(digits, label, 0, PTRDIFF_MAX / a->element_size);
  if (close[1] == '\0') {
    if (!may_be_unwritten)
      fail("%s %s: '%s' has no value; write =0 behind it", option, name, text);
    return (array){ .type = a->host.type, .n = length };
  }
  if (a->has_type) {
    parse_element(option, a, a->host.type, close + 2, strlen(close + 2), &element);
    return filled(a->host.type, length, &element);
  }
  if (strcmp(close + 2, "0") != 0)
    fail("%s %s: the elements of '%s' are no numbers; only =0 clears them", option, name,
         a->declared->declaration);
  array zeros = { .n = length, .owned = memset(need(length, a->element_size), 0, length * a->element_size) };
  zeros.data = zeros.owned;
  return zeros;
}

/* LO:HI, the integers from LO to HI - 1. */
static array parse_range(const char *option, const argument *a, const char *text)
{
  const char *const colon = strchr(text, ':');
  value low, high, element;
  parse_element(option, a, IW_I64, text, (size_t)(colon - text), &low);
  parse_element(option, a, IW_I64, colon + 1, strlen(colon + 1), &high);
  const uint64_t n = (uint64_t)high.i64 - (uint64_t)low.i64;
  if (high.i64 < low.i64 || n > (uint64_t)1 << 40)
    fail("%s %s: '%s' is not LO:HI with LO <= HI and at most 2^40 numbers", option, a->declared->name, text);
  const iw_type type = a->host.type;
  const size_t size = iw_type_size(type);
  array made = { .type = type, .n = (size_t)n, .owned = need((size_t)n, size) };
  for (size_t i = 0; i < n; i++) {
    const int64_t number = low.i64 + (int64_t)i;
    char digits[24];
    if (i == 0 || i == n - 1) { /* the ends are in the type's range, so all are */
      snprintf(digits, sizeof digits, "%lld", (long long)number);
      parse_element(option, a, type, digits, strlen(digits), &element);
    }
    switch (type) {
    case IW_U8: element.u8 = (uint8_t)number; break;
    case IW_U16: element.u16 = (uint16_t)number; break;
    case IW_I32: element.i32 = (int32_t)number; break;
    case IW_U32: element.u32 = (uint32_t)number; break;
    case IW_I64: element.i64 = number; break;
    case IW_U64: element.u64 = (uint64_t)number; break;
    case IW_F32: element.f32 = (float)number; break;
    case IW_F64: element.f64 = (double)number; break;
    case IW_I8: element.i8 = (int8_t)number; break;
    case IW_I16: element.i16 = (int16_t)number; break;
    case IW_BOOL: element.u8 = (uint8_t)number; break;
    default: element.u16 = half_bits(type, (double)number);
    }
    memcpy((char *)made.owned + i * size, &element, size);
  }
  made.data = made.owned;
  return made;
}

/* V,V,V */
static array parse_list(const char *option, const argument *a, const char *text)
{
  const iw_type type = a->host.type;
  const size_t size = iw_type_size(type);
  array made = { .type = type };
  for (const char *at = text; ; at++) {
    const size_t length = strcspn(at, ",");
    made.owned = need_more(made.owned, made.n + 1, size);
    parse_element(option, a, type, at, length, (char *)made.owned + made.n++ * size);
    at += length;
    if (*at == '\0')
      break;
  }
  made.data = made.owned;
  return made;
}

/* "TEXT": its bytes. */
static array parse_string(const char *option, const argument *a, const char *text)
{
  const size_t length = strlen(text) - 1;
  if (length == 0 || text[length] != '"')
    fail("%s %s: '%s' has no quotation mark at its end", option, a->declared->name, text);
  if (!a->has_type || a->host.type != IW_U8)
    fail("%s %s: the elements of '%s' are %s, but those of a text are u8", option, a->declared->name,
         a->declared->declaration, a->has_type ? iw_type_name(a->host.type) : "no numbers");
  array made = { .type = IW_U8, .n = length - 1, .owned = need(length, 1) };
  made.data = memcpy(made.owned, text + 1, made.n);
  return made;
}

/* The elements that an option gives to an array. The type is a->host.type if a->has_type. */
static array parse_array(const char *option, argument *a, const char *text, int may_be_unwritten)
{
  const char *const name = a->declared->name;
  if (*text == '@') {
    const reading how = { .type = a->has_type ? a->host.type : IW_F64,
                          .has_type = a->has_type,
                          .member = a->declared->declaration,
                          .truth = a->has_type && a->host.type == IW_U8,
                          .dialect = plain_dialect };
    if (!a->has_type && !a->type->is_void)
      fail("%s %s: the elements of '%s' are no numbers, which '@' reads", option, name,
           a->declared->declaration);
    return read_array(text + 1, &how);
  }
  if (*text == '"')
    return parse_string(option, a, text);
  if (strchr(text, '[') != NULL)
    return parse_length(option, a, text, may_be_unwritten);
  if (!a->has_type)
    fail("%s %s: '%s' does not say what its elements are; write TYPE[N] or, of a .npy file, @FILE", option,
         name, a->declared->declaration);
  return strchr(text, ':') != NULL ? parse_range(option, a, text) : parse_list(option, a, text);
}

/* ---- Arguments ---- */

/* Puts the options to the members that they name. */
static argument *read_arguments(const settings *s, const compiled_kernel *k)
{
  const size_t n = k->declared->member_count;
  argument *const all = need(n, sizeof *all);
  const char *text;
  for (size_t i = 0; i < n; i++) {
    const member_type *const type = &k->types[i];
    all[i] = (argument){ .declared = &k->declared->members[i], .type = type, .has_type = type->has_type,
                         .host.type = type->type, .element_size = type->element_size,
                         .is_result = s->results.count == 0 };
  }
  for (size_t i = 0; i < s->args.count; i++) {
    argument *const a = named("--arg", s->args.at[i], all, k, &text);
    if (a->text != NULL)
      fail("--arg: %s is given twice", a->declared->name);
    a->text = text;
  }
  for (size_t i = 0; i < n; i++)
    if (all[i].text == NULL)
      fail("there is no --arg for %s; kernel %s takes %s", all[i].declared->name, k->declared->name,
           list_members(k->declared));
  for (size_t i = 0; i < s->results.count; i++) {
    size_t m = 0;
    while (m < n && strcmp(all[m].declared->name, s->results.at[i]) != 0)
      m++;
    if (m == n || all[m].type->kind != MEMBER_POINTER)
      fail("--result: '%s' is no array; kernel %s takes %s", s->results.at[i], k->declared->name,
           list_members(k->declared));
    all[m].is_result = 1;
  }
  for (size_t i = 0; i < s->expect.count + s->save.count; i++) {
    const int is_save = i >= s->expect.count;
    const char *const option = is_save ? "--save" : "--expect";
    argument *const a = named(option, is_save ? s->save.at[i - s->expect.count] : s->expect.at[i], all, k,
                              &text);
    if (a->type->kind != MEMBER_POINTER)
      fail("%s: '%s' is no pointer to an array", option, a->declared->declaration);
    if ((is_save ? a->save : a->expect) != NULL)
      fail("%s: %s is given twice", option, a->declared->name);
    if (is_save && (text[0] != '@' || text[1] == '\0'))
      fail("--save %s: '%s' is not @FILE", a->declared->name, text);
    *(is_save ? &a->save : &a->expect) = text + is_save;
  }
  return all;
}

/* Fills in a member of the struct at args that is no pointer. */
static void set_value(argument *a, char *args)
{
  const member_type *const type = a->type;
  if (type->kind == MEMBER_SCALAR) {
    parse_element("--arg", a, type->type, a->text, strlen(a->text), args + type->offset);
    return;
  }
  if (type->kind == MEMBER_OTHER || !type->has_type)
    fail("--arg %s: '%s' is neither a number nor an array of numbers nor a pointer%s", a->declared->name,
         a->declared->declaration, type->is_struct ? "; give its members, each by --arg NAME.MEMBER=VALUE" : "");
  const array values = parse_array("--arg", a, a->text, 0);
  if (values.n * type->element_size != type->size)
    fail("--arg %s: %zu elements are given, but '%s' has %zu", a->declared->name, values.n,
         a->declared->declaration, type->size / type->element_size);
  memcpy(args + type->offset, values.data, type->size);
}

/* Reads the elements of a pointer; returns their number of bytes. */
static size_t read_elements(argument *a)
{
  a->is_null = strcmp(a->text, "NULL") == 0 || strcmp(a->text, "nullptr") == 0;
  if (a->is_null && (a->save != NULL || a->expect != NULL))
    fail("--%s: %s is a null pointer, which leads to no elements", a->save != NULL ? "save" : "expect", a->declared->name);
  if (a->is_null)
    return 0;
  a->host = parse_array("--arg", a, a->text, 1);
  if (a->type->is_void)
    a->has_type = 1;
  if (a->has_type)
    a->element_size = iw_type_size(a->host.type);
  const size_t bytes = a->host.n * a->element_size;
  if (a->host.n != 0 && bytes / a->host.n != a->element_size)
    fail("--arg %s: %zu elements of %zu bytes are too many", a->declared->name, a->host.n, a->element_size);
  return bytes;
}

/* Allocates the elements of a pointer where the kernel finds them. */
static void allocate(iw_context *context, iw_backend backend, argument *a, char *args)
{
  const size_t bytes = read_elements(a);
  if (a->is_null)
    return;
  must(iw_memory_allocate(context, bytes, &a->memory));
  if (a->host.data != NULL && bytes > 0) {
    must(iw_memory_copy(context, a->memory, a->host.data, bytes));
  } else if (backend != IW_BACKEND_SIM && bytes > 0) {
    /* Memory of the simulated GPU is undefined; elsewhere the bits of a NaN stand for unwritten elements. */
    void *const ones = memset(need(bytes, 1), 0xff, bytes);
    must(iw_memory_copy(context, a->memory, ones, bytes));
    free(ones);
  }
  char *const shown = need(strlen(a->declared->name) + 7, 1);
  sprintf(shown, "args->%s", a->declared->name);
  trace_array(a->memory, shown, a->has_type, a->host.type);
  memcpy(args + a->type->offset, &a->memory, sizeof a->memory);
}

/* ---- Findings ---- */

static const char *copied_argument; /* that is copied from the simulated GPU, or NULL */

static void print_finding(void *user, const iw_sim_finding *f)
{
  (void)user;
  fflush(stdout);
  fprintf(stderr, "isowarp: %s", f->severity == IW_SIM_NOTE ? "note: " : "");
  if (copied_argument != NULL)
    fprintf(stderr, "--arg %s: ", copied_argument);
  for (const char *c = f->message; *c; c++)
    fputc((unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c, stderr);
  if (f->count > 1)
    fprintf(stderr, " (%llu times)", (unsigned long long)f->count);
  fputc('\n', stderr);
}

/* Whether a call succeeded; what the simulated GPU found has been printed. */
static int found_nothing(iw_status status)
{
  if (status == IW_ERROR_FINDING)
    return 0;
  must(status);
  return 1;
}

/* ---- What the kernel wrote ---- */

enum { MOST_SHOWN = 64, FIRST_SHOWN = 16, LAST_SHOWN = 4, MOST_DIFFERENCES = 8 };

static void print_array(const char *name, iw_type type, const void *data, size_t n)
{
  char text[NUMBER_CHARS];
  printf("%s %s[%zu]:", name, iw_type_name(type), n);
  for (size_t i = 0; i < n; i++) {
    if (n > MOST_SHOWN && i == FIRST_SHOWN) {
      printf(" ...");
      i = n - LAST_SHOWN;
    }
    format_value(type, element_at(type, data, i), text);
    printf(" %s", text);
  }
  putchar('\n');
}

/* A number, and the bits of a float, of which several are printed alike. */
static void print_element(iw_type type, const void *element)
{
  char text[NUMBER_CHARS];
  value v = { 0 };
  format_value(type, element, text);
  memcpy(&v, element, iw_type_size(type));
  printf("%s", text);
  if (is_half(type))
    printf(" (0x%0*x)", 2 * (int)iw_type_size(type), (unsigned)v.u16);
  if (type == IW_F32)
    printf(" (0x%08x)", (unsigned)v.u32);
  if (type == IW_F64)
    printf(" (0x%016llx)", (unsigned long long)v.u64);
}

/* Compares an array with --expect; returns whether they are equal to the bit. */
static int compare(argument *a, const void *data)
{
  const array right = parse_array("--expect", a, a->expect, 0);
  const char *const name = a->declared->name;
  const size_t n = a->host.n, size = a->element_size, common = n < right.n ? n : right.n;
  size_t different = 0;
  if (a->has_type && right.type != a->host.type)
    fail("--expect %s: the expected elements are %s, not %s", name, iw_type_name(right.type),
         iw_type_name(a->host.type));
  for (size_t i = 0; i < common; i++) {
    const char *const got = (const char *)data + i * size;
    const char *const expected = (const char *)right.data + i * size;
    if (memcmp(got, expected, size) == 0 || different++ >= MOST_DIFFERENCES)
      continue;
    printf("%s[%zu]", name, i);
    if (a->has_type) {
      printf(" is ");
      print_element(a->host.type, got);
      printf(", expected ");
      print_element(a->host.type, expected);
    } else
      printf(" is another one");
    putchar('\n');
  }
  if (n != right.n)
    printf("%s has %zu elements, expected %zu\n", name, n, right.n);
  if (different > 0)
    printf("%s differs in %zu of %zu elements\n", name, different, common);
  else if (n == right.n)
    printf("%s is as expected (%zu elements)\n", name, n);
  free(right.owned);
  return different == 0 && n == right.n;
}

/* Whether an array is printed, saved or compared. */
static int is_reported(const argument *a)
{
  return !a->is_null && (a->save != NULL || a->expect != NULL || (a->is_result && !a->type->is_const && a->has_type));
}

/* Prints, saves or compares an array; returns the exit status. */
static int report_data(argument *a, const void *data)
{
  int status = STATUS_GOOD;
  if (a->expect != NULL && !compare(a, data))
    status = STATUS_CHECK_FAILED;
  if (a->save != NULL)
    write_file(a->save, a->host.type, data, a->host.n);
  if (a->save == NULL && a->expect == NULL)
    print_array(a->declared->name, a->host.type, data, a->host.n);
  return status;
}

static int report_array(iw_context *context, argument *a)
{
  const size_t bytes = a->host.n * a->element_size;
  const char *const name = a->declared->name;
  int status = STATUS_GOOD;
  if (!is_reported(a))
    return STATUS_GOOD;
  if (a->save != NULL && !a->has_type)
    fail("--save %s: the elements of '%s' are no numbers", name, a->declared->declaration);
  void *const data = need(bytes, 1);
  copied_argument = name;
  if (bytes > 0 && !found_nothing(iw_memory_copy(context, data, a->memory, bytes)))
    status = STATUS_FINDING;
  copied_argument = NULL;
  if (status == STATUS_GOOD)
    status = report_data(a, data);
  free(data);
  return status;
}

/* --count: the simulated GPU writes tables to a file without a name, which is copied to standard output. */
static void print_counts(iw_context *context)
{
  char path[40], text[4096];
  size_t got;
  FILE *const file = tmpfile();
  if (file == NULL)
    fail("--count: %s", strerror(errno));
  snprintf(path, sizeof path, "/dev/fd/%d", fileno(file));
  must(iw_sim_write_counts(context, path));
  rewind(file);
  while ((got = fread(text, 1, sizeof text, file)) > 0)
    fwrite(text, 1, got, stdout);
  fclose(file);
}

/* ---- One run ---- */

void hand_on_event(void *user, const iw_sim_event *event)
{
  const settings *const s = user;
  if (s->trace != NULL)
    trace_event(event);
  if (s->timeline != NULL)
    timeline_event(event);
}

/* Opens a context; a wrong --check is named as that. */
static iw_context *open_run(const settings *s, iw_backend backend)
{
  static const char variable[] = "ISOWARP_SIM_CHECKS is ";
  settings chosen = *s;
  chosen.context.backend = backend;
  if (s->checks != NULL && setenv("ISOWARP_SIM_CHECKS", s->checks, 1) != 0)
    fail("--check: %s", strerror(errno));
  iw_context *probe;
  if (s->checks != NULL && iw_context_open(&probe, &chosen.context) != IW_OK &&
      strncmp(iw_message(), variable, sizeof variable - 1) == 0)
    fail("--check: %s", iw_message() + sizeof variable - 1);
  else if (s->checks != NULL)
    iw_context_close(probe);
  return open_context(&chosen);
}

iw_backend backend_of(const settings *s)
{
  const char *const variable = getenv("ISOWARP_BACKEND");
  if (s->context.backend != IW_BACKEND_AUTO)
    return s->context.backend;
  if (variable == NULL || strcmp(variable, backend_names[IW_BACKEND_AUTO]) == 0)
    return IW_BACKEND_SIM;
  for (int i = IW_BACKEND_CPU; backend_names[i] != NULL; i++)
    if (strcmp(backend_names[i], variable) == 0)
      return (iw_backend)i;
  return IW_BACKEND_AUTO; /* opening the context fails, and says what is valid */
}

/* Fails if the backend cannot do what options ask for. */
static void check_run(const settings *s, iw_backend backend)
{
  if (backend == IW_BACKEND_CUDA && s->warp_size != 0 && s->warp_size != 32)
    fail("--warp-size: a warp of CUDA has 32 lanes, not %u", s->warp_size);
  if (backend != IW_BACKEND_SIM && s->checks != NULL)
    fail("--check: the %s backend has no checks; the simulated GPU has (--backend sim)",
         backend_names[backend]);
  if (backend != IW_BACKEND_SIM && (s->trace != NULL || s->timeline != NULL || s->count_only))
    fail("%s: the %s backend has none; the simulated GPU has (--backend sim)",
         s->trace != NULL      ? "--trace"
         : s->timeline != NULL ? "--timeline"
                               : "--count",
         backend_names[backend]);
}

static compiled_kernel compile_for(const settings *s, iw_backend backend, iw_context *context,
                                   void (*note_files)(const declarations *))
{
  iw_context_info info = { .size = sizeof info };
  must(iw_context_get_info(context, &info));
  const compiled_kernel k = compile_kernel(s, backend, info.isa, note_files);
  for (size_t i = 0; i < k.launch_count && !s->block; i++)
    if (k.launches[i].kernel->block == 0)
      fail("'run' needs --block: kernel %s runs with blocks of any size, 1 to 1024 threads",
           k.launches[i].declared->name);
  return k;
}

static int run_compiled(const settings *s, iw_backend backend, iw_context *context, compiled_kernel k)
{
  if (backend == IW_BACKEND_SIM)
    must(iw_sim_set_report(context, print_finding, NULL));
  argument *const all = read_arguments(s, &k);
  const size_t n = k.declared->member_count;
  const size_t args_size = k.launches[0].kernel->args;
  char *const args = memset(need(args_size, 1), 0, args_size);
  for (size_t i = 0; i < n; i++)
    if (all[i].type->kind == MEMBER_POINTER)
      allocate(context, backend, &all[i], args);
    else
      set_value(&all[i], args);
  int status = STATUS_GOOD;
  if (s->trace != NULL || s->timeline != NULL)
    must(iw_sim_set_trace(context, hand_on_event, (void *)s));
  if (s->count_only)
    must(iw_sim_set_counting(context, 1));
  for (size_t i = 0; i < k.launch_count && status == STATUS_GOOD; i++) {
    const iw_kernel *const kernel = k.launches[i].kernel;
    if (!found_nothing(iw_launch(context, kernel, k.launches[i].grid, s->block ? s->block : kernel->block,
                                 args, args_size)) ||
        !found_nothing(iw_context_synchronize(context)))
      status = STATUS_FINDING;
  }
  if (s->trace != NULL)
    trace_write(s->trace);
  if (s->timeline != NULL)
    timeline_write(s->timeline);
  if (s->counts != NULL) {
    counts_of_context(context);
    counts_write(s->counts);
  } else if (s->count_only)
    print_counts(context);
  if (status == STATUS_GOOD) {
    for (size_t i = 0; i < n; i++)
      if (all[i].type->kind == MEMBER_POINTER) {
        const int here = report_array(context, &all[i]);
        status = here > status ? here : status;
      }
  }
  for (size_t i = 0; i < n; i++) {
    must(iw_memory_free(context, all[i].memory));
    free(all[i].host.owned);
  }
  close_context();
  free(k.launches);
  free(k.types);
  free(all);
  free(args);
  return status;
}

static int run_once(const settings *s, void (*note_files)(const declarations *))
{
  const iw_backend backend = backend_of(s);
  check_run(s, backend);
  iw_context *const context = open_run(s, backend);
  return run_compiled(s, backend, context, compile_for(s, backend, context, note_files));
}

/* ---- --explore ---- */

/* Schedules that a seed does not change, and those that it does; NULL behind the last. residents: the first
 * numbers of resident blocks, of which NULL stands for as many as the device has room for. */
typedef struct schedules { const char *seedless[5], *seeded[3], *residents[4]; size_t resident_count; } schedules;
static const schedules of_language = {
  { "ascending", "descending", "round-robin", "adversarial" }, { "random", "priority" }, { NULL, "1", "2", "3" }, 4
};
static const schedules of_cuda = { { "ascending", "descending" }, { "random" }, { NULL }, 1 };

static size_t count_names(const char *const *names)
{
  size_t n = 0;
  while (names[n] != NULL)
    n++;
  return n;
}

/* Sets the environment of the k-th run, and describes it. seed: the first one. */
static void choose_schedule(const schedules *all, size_t k, uint64_t seed, char *replay, size_t size)
{
  const size_t seedless = count_names(all->seedless), seeded = count_names(all->seeded);
  const size_t fixed = seedless * all->resident_count, later = k < fixed ? 0 : k - fixed;
  const char *const schedule = k < fixed ? all->seedless[k % seedless] : all->seeded[later % seeded];
  const char *const resident = all->residents[(k < fixed ? k / seedless : later / seeded) % all->resident_count];
  char number[24];
  snprintf(number, sizeof number, "%llu", (unsigned long long)(seed + later / (seeded * all->resident_count)));
  setenv("ISOWARP_SIM_SCHEDULE", schedule, 1);
  setenv("ISOWARP_SIM_SEED", number, 1);
  if (resident != NULL)
    setenv("ISOWARP_SIM_RESIDENT", resident, 1);
  else
    unsetenv("ISOWARP_SIM_RESIDENT");
  snprintf(replay, size, "ISOWARP_SIM_SEED=%s ISOWARP_SIM_SCHEDULE=%s%s%s", number, schedule,
           resident != NULL ? " ISOWARP_SIM_RESIDENT=" : "", resident != NULL ? resident : "");
}

/* What a run printed to standard output and to standard error. */
typedef struct printed { FILE *out, *err; } printed;

/* Runs trial() in a process whose output goes to files. Returns its exit status; -1: it was ended at the
 * deadline. */
static int try_once(int (*trial)(void *), void *user, printed output, double deadline)
{
  int status = 0;
  pid_t got;
  fflush(NULL);
  const pid_t process = fork();
  if (process < 0)
    fail("--explore: %s", strerror(errno));
  if (process == 0) {
    dup2(fileno(output.out), STDOUT_FILENO);
    dup2(fileno(output.err), STDERR_FILENO);
    status = trial(user);
    finish_output();
    _exit(status);
  }
  set_watched_process(process);
  while ((got = waitpid(process, &status, WNOHANG)) == 0 && seconds_now() < deadline)
    nanosleep(&(struct timespec){ 0, 500000 }, NULL);
  if (got == 0) {
    kill(process, SIGKILL);
    waitpid(process, &status, 0);
  }
  set_watched_process(0);
  return got == 0 ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : STATUS_BAD;
}

static void copy_printed(FILE *from, FILE *to)
{
  char text[4096];
  size_t got;
  rewind(from);
  while ((got = fread(text, 1, sizeof text, from)) > 0)
    fwrite(text, 1, got, to);
  fflush(to);
}

static void show(printed output)
{
  copy_printed(output.out, stdout);
  copy_printed(output.err, stderr);
}

/* Fails if --explore is given with what makes sense for one run only. */
static void check_exploration(const settings *s)
{
  if (s->watch || s->trace != NULL || s->timeline != NULL || s->count_only || s->save.count != 0)
    fail("--explore: takes none of --watch, --trace, --timeline, --count and --save");
  for (size_t i = 0; i < s->args.count + s->expect.count; i++) {
    const char *const text = i < s->args.count ? s->args.at[i] : s->expect.at[i - s->args.count];
    const char *const value = strchr(text, '=');
    if (value != NULL && strcmp(value, "=@-") == 0)
      fail("--explore: standard input ('%s') can be read only once", text);
  }
}

int explore(const settings *s, int is_cuda, int (*trial)(void *), void *user)
{
  const schedules *const all = is_cuda ? &of_cuda : &of_language;
  const size_t names = count_names(all->seedless) + count_names(all->seeded);
  const char *const first_seed = getenv("ISOWARP_SIM_SEED");
  const uint64_t seed = first_seed != NULL ? parse_count(first_seed, "ISOWARP_SIM_SEED", 0, SIZE_MAX) : 1;
  const off_t input = lseek(STDIN_FILENO, 0, SEEK_CUR); /* of a file, which each run reads */
  const double deadline = seconds_now() + (double)s->explore;
  printed first = { NULL, NULL };
  char replay[128];
  size_t runs = 0;
  int status = STATUS_GOOD;
  check_exploration(s);
  while (status == STATUS_GOOD && seconds_now() < deadline) {
    const printed output = { tmpfile(), tmpfile() };
    if (output.out == NULL || output.err == NULL)
      fail("--explore: %s", strerror(errno));
    choose_schedule(all, runs, seed, replay, sizeof replay);
    (void)lseek(STDIN_FILENO, input, SEEK_SET);
    status = try_once(trial, user, output, deadline);
    runs += status >= 0;
    if (status > STATUS_GOOD || (status < 0 && first.out == NULL))
      show(output);
    if (first.out == NULL && status >= 0)
      first = output;
    else {
      fclose(output.out);
      fclose(output.err);
    }
  }
  if (status > STATUS_GOOD) {
    fprintf(stderr, "isowarp: run %zu differs or has a finding. Replay: %s\n", runs, replay);
    return status;
  }
  if (first.out == NULL)
    fail("--explore: the first run did not end within %zu s", s->explore);
  show(first);
  fprintf(stderr, "isowarp: nothing was found in %zu runs under %zu schedules\n", runs, runs < names ? runs : names);
  if (status < 0)
    fprintf(stderr, "isowarp: a run had not ended when the time was up: %s\n", replay);
  return STATUS_GOOD;
}

typedef struct exploration { const settings *s; compiled_kernel k; } exploration;

static int explore_trial(void *user)
{
  const exploration *const e = user;
  return run_compiled(e->s, IW_BACKEND_SIM, open_run(e->s, IW_BACKEND_SIM), e->k);
}

static void note_nothing(const declarations *d)
{
  (void)d;
}

static int explore_kernel(const settings *s)
{
  const iw_backend backend = backend_of(s);
  if (backend != IW_BACKEND_SIM)
    fail("--explore: the %s backend has no schedules; the simulated GPU has (--backend sim)",
         backend_names[backend]);
  exploration e = { .s = s };
  e.k = compile_for(s, backend, open_run(s, backend), note_nothing);
  close_context();
  return explore(s, 0, explore_trial, &e);
}

/* ---- CUDA C++ ---- */

typedef struct cuda_arguments { argument *all; size_t count; const char *values; } cuda_arguments;

static void write_arguments(FILE *out, void *user)
{
  const cuda_arguments *const c = user;
  for (size_t i = 0; i < c->count; i++) {
    const argument *const a = &c->all[i];
    const int is_pointer = a->type->kind == MEMBER_POINTER;
    uint64_t bytes = is_pointer ? a->host.n * a->element_size : a->type->size;
    const void *const data = is_pointer ? a->host.data : c->values + a->type->offset;
    const uint64_t head = a->is_null ? UINT64_MAX : data == NULL ? bytes | (uint64_t)1 << 63 : bytes;
    fwrite(&head, sizeof head, 1, out);
    if (data != NULL)
      fwrite(data, 1, bytes, out);
  }
}

/* Reports what the program has written: for each pointer the bytes, then which of them are defined. */
static int report_results(const char *path, argument *all, size_t count)
{
  int status = STATUS_GOOD;
  FILE *const in = fopen(path, "r");
  for (size_t i = 0; in != NULL && i < count; i++) {
    argument *const a = &all[i];
    const size_t bytes = a->type->kind == MEMBER_POINTER ? a->host.n * a->element_size : 0;
    char *const data = need(bytes, 2);
    size_t undefined = 0;
    if (a->type->kind == MEMBER_POINTER && fread(data, 1, 2 * bytes, in) == 2 * bytes && is_reported(a)) {
      for (size_t k = 0; k < bytes; k++)
        undefined += data[bytes + k] == 0;
      const int here = report_data(a, data);
      status = here > status ? here : status;
      fflush(stdout);
      if (undefined > 0)
        fprintf(stderr, "isowarp: note: nothing has written %zu of the %zu bytes of %s\n", undefined, bytes, a->declared->name);
    }
    free(data);
  }
  if (in != NULL)
    fclose(in);
  return status;
}

static int run_cuda_kernel(const settings *s, const compiled_kernel *k)
{
  const size_t n = k->declared->member_count;
  const char *results;
  argument *const all = read_arguments(s, k);
  const size_t size = n > 0 ? k->types[n - 1].offset + k->types[n - 1].size : 0;
  char *const values = memset(need(size, 1), 0, size);
  for (size_t i = 0; i < n; i++)
    if (all[i].type->kind == MEMBER_POINTER)
      (void)read_elements(&all[i]);
    else
      set_value(&all[i], values);
  cuda_arguments c = { all, n, values };
  for (size_t i = 0; i < n; i++)
    if (all[i].type->kind == MEMBER_POINTER)
      trace_array(NULL, all[i].declared->name, all[i].has_type, all[i].host.type);
  int status = run_cuda_program(s, write_arguments, &c, &results);
  const int reported = report_results(results, all, n);
  if (status == STATUS_GOOD)
    status = reported;
  for (size_t i = 0; i < n; i++)
    free(all[i].host.owned);
  free(all);
  free(values);
  return status;
}

static int explore_cuda_trial(void *user)
{
  const exploration *const e = user;
  return run_cuda_kernel(e->s, &e->k);
}

/* Fails if an option is for kernels of our language only. */
static void check_cuda(const settings *s)
{
  if (s->watch || s->warp_size != 0)
    fail("%s: is for kernels of isowarp's language, not for CUDA C++", s->watch ? "--watch" : "--warp-size");
  if (backend_of(s) != IW_BACKEND_SIM)
    fail("--backend: CUDA C++ runs on the simulated GPU only");
}

static int run_cuda_once(const settings *s)
{
  check_cuda(s);
  exploration e = { .s = s, .k = compile_cuda_kernel(s) };
  const int status = s->explore != 0 ? explore(s, 1, explore_cuda_trial, &e) : run_cuda_kernel(s, &e.k);
  discard_compilation();
  free(e.k.types);
  return status;
}

/* ---- --watch ---- */

enum { POLL_MS = 100 };

/* A file whose changes matter, and what it was like. */
typedef struct watched_file {
  char *name;
  struct stat about;
} watched_file;

static struct { watched_file *at; size_t count; } files;
static int files_pipe = -1; /* by which the process that runs the kernel says which files it read */

static int look(const char *name, struct stat *about)
{
  memset(about, 0, sizeof *about);
  return stat(name, about) == 0;
}

/* Of the last change of the file's contents. */
static struct timespec changed_at(const struct stat *about)
{
#ifdef HAVE_STRUCT_STAT_ST_MTIMESPEC
  return about->st_mtimespec;
#else
  return about->st_mtim;
#endif
}

static int has_changed(const watched_file *file)
{
  const struct timespec before = changed_at(&file->about);
  struct stat now;
  look(file->name, &now);
  return now.st_ino != file->about.st_ino || now.st_size != file->about.st_size ||
         changed_at(&now).tv_sec != before.tv_sec || changed_at(&now).tv_nsec != before.tv_nsec;
}

static void watch_file(const char *name)
{
  for (size_t i = 0; i < files.count; i++)
    if (strcmp(files.at[i].name, name) == 0)
      return;
  files.at = need_more(files.at, files.count + 1, sizeof *files.at);
  files.at[files.count].name = copy_string(name);
  look(name, &files.at[files.count++].about);
}

static void send_files(const declarations *d)
{
  for (size_t i = 0; files_pipe >= 0 && i < d->file_count; i++)
    if (write(files_pipe, d->files[i], strlen(d->files[i]) + 1) < 0)
      return;
}

/* Runs once in a process of its own. */
static void run_watched(const settings *s)
{
  int ends[2], status = 0;
  char text[4096], *names = NULL;
  size_t size = 0;
  ssize_t got;
  sigset_t all, before;
  if (pipe(ends) != 0)
    fail("--watch: %s", strerror(errno));
  fflush(stdout);
  sigfillset(&all); /* signals wait until discard_compilation() knows the process */
  sigprocmask(SIG_SETMASK, &all, &before);
  const pid_t process = fork();
  if (process > 0)
    set_watched_process(process);
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (process < 0)
    fail("--watch: %s", strerror(errno));
  if (process == 0) {
    close(ends[0]);
    files_pipe = ends[1];
    status = run_once(s, send_files);
    finish_output();
    _exit(status);
  }
  close(ends[1]);
  while ((got = read(ends[0], text, sizeof text)) > 0 || (got < 0 && errno == EINTR))
    if (got > 0) {
      names = need_more(names, size + (size_t)got, 1);
      memcpy(names + size, text, (size_t)got);
      size += (size_t)got;
    }
  close(ends[0]);
  siginfo_t about;
  while (waitid(P_PID, (id_t)process, &about, WEXITED | WNOWAIT) != 0 && errno == EINTR)
    ;
  sigprocmask(SIG_SETMASK, &all, &before); /* when it is waited for, its number may be another process's */
  waitpid(process, &status, 0);
  set_watched_process(0);
  sigprocmask(SIG_SETMASK, &before, NULL);
  for (size_t at = 0; at < size; at += strlen(names + at) + 1)
    watch_file(names + at);
  free(names);
  if (WIFSIGNALED(status))
    fprintf(stderr, "isowarp: ended by signal %d (%s); waits for a change of %s\n", WTERMSIG(status),
            strsignal(WTERMSIG(status)), s->operands[0]);
  else
    fprintf(stderr, "isowarp: exit status %d; waits for a change of %s\n", WEXITSTATUS(status),
            s->operands[0]);
}

_Noreturn static void watch(const settings *s)
{
  watch_file(s->operands[0]);
  for (size_t i = 0; i < s->args.count + s->expect.count; i++) {
    const char *const text = i < s->args.count ? s->args.at[i] : s->expect.at[i - s->args.count];
    const char *const value = strchr(text, '=');
    if (value != NULL && value[1] == '@' && value[2] != '\0') {
      if (strcmp(value + 2, "-") == 0)
        fail("--watch: standard input ('%s') can be read only once", text);
      watch_file(value + 2);
    }
  }
  for (;;) {
    run_watched(s);
    for (size_t changed = 0; changed == 0; ) {
      for (size_t i = 0; i < files.count; i++)
        changed += (size_t)has_changed(&files.at[i]);
      nanosleep(&(struct timespec){ 0, POLL_MS * 1000000L }, NULL); /* also lets an editor finish */
    }
    for (size_t i = 0; i < files.count; i++)
      look(files.at[i].name, &files.at[i].about);
  }
}

int run_run(const settings *s)
{
  if (s->operand_count != 1)
    fail("'run' %s%s",
         s->operand_count ? "takes one FILE.c, but there is also " : "needs a FILE.c that has a kernel",
         s->operand_count ? s->operands[1] : "");
  if (is_cuda_file(s->operands[0]))
    return run_cuda_once(s);
  if (s->grid == 0)
    fail("'run' needs --grid, the number of blocks");
  if (s->explore != 0)
    return explore_kernel(s);
  if (s->watch)
    watch(s);
  return run_once(s, note_nothing);
}
