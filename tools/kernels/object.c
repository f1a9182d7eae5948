/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp compile: a kernel as a shared object, and as JSON what a program that launches it has to know: the
 * members of its argument struct. compile.c does the work. */
#include "kernels.h"
#include <isowarp/descriptor.h>

#include <stdio.h>
#include <string.h>

static void put_json(const char *text)
{
  putchar('"');
  for (const char *c = text; *c; c++)
    if ((unsigned char)*c < ' ')
      printf("\\u%04x", (unsigned)*c);
    else
      printf(*c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
  putchar('"');
}

static void put_member(const member *m, const member_type *t)
{
  static const char *const kinds[] = { "other", "scalar", "pointer", "array" };
  printf("{\"name\": ");
  put_json(m->name);
  printf(", \"declaration\": ");
  put_json(m->declaration);
  printf(", \"offset\": %zu, \"size\": %zu, \"kind\": \"%s\", \"element_size\": %zu, \"type\": ", t->offset,
         t->size, kinds[t->kind], t->element_size);
  if (t->has_type)
    put_json(iw_type_name(t->type));
  else
    printf("null");
  printf(", \"const\": %s}", t->is_const ? "true" : "false");
}

static void note_nothing(const declarations *d)
{
  (void)d;
}

int run_compile(const settings *s)
{
  if (s->operand_count != 1)
    fail("'compile' %s%s",
         s->operand_count ? "takes one FILE.c, but there is also " : "needs a FILE.c that has a kernel",
         s->operand_count ? s->operands[1] : "");
  if (s->output == NULL || strcmp(s->output, "-") == 0)
    fail("'compile' needs -o and a file for the shared object");
  if (s->kernel != NULL && strpbrk(s->kernel, ",:") != NULL)
    fail("--kernel: 'compile' takes one name, not '%s'", s->kernel);
  settings chosen = *s;
  chosen.context.backend = backend_of(s);
  if (chosen.context.backend == IW_BACKEND_CUDA && s->warp_size != 0 && s->warp_size != 32)
    fail("--warp-size: a warp of CUDA has 32 lanes, not %u", s->warp_size);
  iw_context *const context = open_context(&chosen);
  iw_context_info info = { .size = sizeof info };
  must(iw_context_get_info(context, &info));
  const compiled_kernel k = compile_kernel(&chosen, chosen.context.backend, info.isa, note_nothing);
  const iw_kernel *const kernel = k.launches[0].kernel;
  printf("{\"kernel\": ");
  put_json(k.declared->name);
  printf(", \"isa\": ");
  put_json(kernel->isa);
  printf(", \"warp_size\": %u, \"block\": %u, \"size\": %zu, \"members\": [", kernel->warp_size,
         kernel->block, kernel->args);
  for (size_t i = 0; i < k.declared->member_count; i++) {
    printf("%s\n  ", i ? "," : "");
    put_member(&k.declared->members[i], &k.types[i]);
  }
  printf("]}\n");
  close_context();
  return STATUS_GOOD;
}
