/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of the CUDA runtime: memory and its copies, and what `isowarp run` of a .cu file passes to a
 * kernel and back. Streams run at once, so that events are times.
 */
#include "simt/simt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { INVALID_VALUE = 1 };
int iw_simt_last_error;

static int is_global(const void *at)
{
  return (uintptr_t)at - iw_simt_now.global.base < iw_simt_now.global.bytes;
}

int iw_simt_is_device_memory(const void *at, int *is_managed)
{
  *is_managed = is_global(at) && simt_region_at((uintptr_t)at)->is_managed;
  return is_global(at);
}

/* Whether an address is global memory or a variable. */
static int is_of_device(const void *at)
{
  size_t offset;
  return is_global(at) || iw_simt_area((uintptr_t)at, &offset) == &iw_simt_now.data;
}

/* Whether [at, at + bytes) is not out of the device's memory: within an allocation, or of the program's
 * variables; else a finding. */
static int check(const void *at, size_t bytes, const char *what, uint32_t pc)
{
  if (!is_global(at)) {
    if (!is_of_device(at) || iw_simt_in_object((uintptr_t)at, bytes))
      return 1;
    SIMT_FOUND(SIM_BOUNDS, 0, pc, 0, "the host %s %zu bytes from %s on", what, bytes, iw_simt_place((uintptr_t)at));
    return 0;
  }
  const simt_region *const r = simt_region_at((uintptr_t)at);
  const size_t offset = (uintptr_t)at - r->base;
  if (offset <= r->bytes && bytes <= r->bytes - offset && !r->is_free && r != iw_simt_regions)
    return 1;
  SIMT_FOUND(SIM_BOUNDS, 0, pc, 0, "the host %s %zu bytes from %s on", what, bytes, iw_simt_place((uintptr_t)at));
  return 0;
}

int iw_simt_memcpy(void *to, const void *from, size_t bytes, int kind, void *return_address)
{
  const uint32_t pc = simt_pc(return_address);
  if (bytes == 0)
    return 0;
  const int is_bad_to = kind & IW_SIMT_TO_DEVICE && !is_of_device(to), is_bad_from = kind & IW_SIMT_TO_HOST && !is_of_device(from);
  if (!to || !from || is_bad_to || is_bad_from) {
    SIMT_FOUND(SIM_BOUNDS, 1, pc, 0, "nothing is copied, as the %s is %s", !to || is_bad_to ? "destination" : "source",
               to && from ? "no memory of the device" : "a null pointer");
    return INVALID_VALUE;
  }
  if (!check(to, bytes, "copies", pc) || !check(from, bytes, "copies", pc))
    return INVALID_VALUE;
  if (is_global(from) && !is_global(to) && (iw_simt_now.checks & SIM_CHECK_UNDEFINED)) {
    size_t k = 0, undefined = 0, first = 0;
    for (; k < bytes; k++)
      if (!iw_simt_is_defined(&iw_simt_now.global, (uintptr_t)from + k, 1) && undefined++ == 0)
        first = k;
    if (undefined)
      SIMT_FOUND(SIM_UNDEFINED, 1, pc, 0, "the host copies %zu bytes that nothing has written, the first at %s", undefined,
                 iw_simt_place((uintptr_t)from + first));
  }
  memmove(to, from, bytes);
  if (!is_global(to))
    return 0;
  if (!is_global(from))
    iw_simt_set_defined(&iw_simt_now.global, (uintptr_t)to, bytes, 1);
  else
    for (size_t i = 0; i < bytes; i++)
      iw_simt_set_defined(&iw_simt_now.global, (uintptr_t)to + i, 1,
                          iw_simt_is_defined(&iw_simt_now.global, (uintptr_t)from + i, 1));
  return 0;
}

int iw_simt_memset(void *to, int value, size_t bytes, void *return_address)
{
  if (bytes == 0)
    return 0;
  if (!is_of_device(to) || !check(to, bytes, "sets", simt_pc(return_address)))
    return INVALID_VALUE;
  if (is_global(to))
    iw_simt_set_defined(&iw_simt_now.global, (uintptr_t)to, bytes, 1);
  memset(to, value, bytes);
  return 0;
}

int64_t iw_simt_time(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- isowarp run ------------------------------------------------------------------------------------- */

/* The tool asks with ISOWARP_SIMT_DESCRIBE what the parameters are. With ISOWARP_SIMT_ARGUMENTS it gives a
 * file: the grid, the block and the shared bytes as 7 numbers of 64 bits, then for each parameter its
 * number of bytes and the bytes; of a pointer those that it leads to, or, if the highest bit of the number
 * is set, none: nothing has written them. A number whose bits are all set stands for a null pointer. */
int iw_simt_run_begin(int argc, char **argv, const iw_simt_parameter *p, size_t count, void **values,
                      iw_simt_config *config)
{
  (void)argc, (void)argv;
  const char *const name = getenv("ISOWARP_SIMT_ARGUMENTS");
  if (getenv("ISOWARP_SIMT_DESCRIBE")) {
    for (size_t i = 0; i < count; i++)
      printf("%c %zu %zu %d %s %s\n", p[i].kind, p[i].size, p[i].element, p[i].is_const, p[i].type,
             p[i].name);
    fflush(stdout);
    _exit(0);
  }
  FILE *const in = name ? fopen(name, "r") : NULL;
  uint64_t head[7], bytes;
  if (!in || fread(head, sizeof head, 1, in) != 1) {
    fprintf(stderr, "isowarp: this program is made for `isowarp run`\n");
    _exit(2);
  }
  config->grid = (iw_simt_dim){ (unsigned)head[0], (unsigned)head[1], (unsigned)head[2] };
  config->block = (iw_simt_dim){ (unsigned)head[3], (unsigned)head[4], (unsigned)head[5] };
  config->shared = head[6];
  for (size_t i = 0; i < count; i++) {
    if (fread(&bytes, sizeof bytes, 1, in) != 1)
      _exit(2);
    if (bytes == UINT64_MAX)
      continue;
    const int is_written = !(bytes >> 63);
    bytes &= ~((uint64_t)1 << 63);
    if (p[i].kind != 'p') {
      if (bytes != p[i].size || fread(values[i], bytes, 1, in) != 1)
        _exit(2);
      continue;
    }
    void *const at = iw_simt_malloc(bytes, 0, NULL);
    if (!at || (is_written && bytes && fread(at, bytes, 1, in) != 1))
      _exit(2);
    if (is_written)
      iw_simt_set_defined(&iw_simt_now.global, (uintptr_t)at, bytes, 1);
    simt_region_at((uintptr_t)at)->name = p[i].name;
    *(void **)values[i] = at;
  }
  fclose(in);
  return 0;
}

/* Writes what the pointers lead to, for each its bytes, then a byte for each that says whether it is
 * defined. */
int iw_simt_run_end(const iw_simt_parameter *p, size_t count, void **values)
{
  const char *const name = getenv("ISOWARP_SIMT_RESULTS");
  FILE *const out = name ? fopen(name, "w") : NULL;
  const int status = iw_simt_error(0) ? 3 : 0;
  for (size_t i = 0; out && i < count; i++)
    if (p[i].kind == 'p' && *(void **)values[i]) {
      const simt_region *const r = simt_region_at(*(uintptr_t *)values[i]);
      fwrite((void *)r->base, 1, r->bytes, out);
      for (size_t k = 0; k < r->bytes; k++)
        putc(iw_simt_is_defined(&iw_simt_now.global, r->base + k, 1), out);
    }
  if (out)
    fclose(out);
  return status;
}

/* ---- malloc() and new of the program, which a kernel calls for memory of the device -------------------- */

static void *new_memory(size_t bytes, void *return_address)
{
  if (iw_simt_now.thread)
    return iw_simt_malloc(bytes ? bytes : 1, 0, return_address);
  void *const memory = malloc(bytes ? bytes : 1);
  if (!memory) {
    fputs("isowarp: there is no memory for the program\n", stderr);
    abort();
  }
  return memory;
}

static void delete_memory(void *memory, void *return_address)
{
  if (is_global(memory))
    (void)iw_simt_free(memory, return_address);
  else
    free(memory);
}

#define HERE __builtin_return_address(0)
void *iw_simt_malloc_hook(size_t bytes) { return iw_simt_now.thread ? new_memory(bytes, HERE) : malloc(bytes); }
void iw_simt_free_hook(void *memory) { delete_memory(memory, HERE); }

/* operator new, new[], delete and delete[], the last two also with a size */
void *_Znwm(size_t bytes) { return new_memory(bytes, HERE); }
void *_Znam(size_t bytes) { return new_memory(bytes, HERE); }
void _ZdlPv(void *memory) { delete_memory(memory, HERE); }
void _ZdaPv(void *memory) { delete_memory(memory, HERE); }
void _ZdlPvm(void *memory, size_t bytes) { (void)bytes, delete_memory(memory, HERE); }
void _ZdaPvm(void *memory, size_t bytes) { (void)bytes, delete_memory(memory, HERE); }
