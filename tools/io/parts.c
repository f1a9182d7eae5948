/* SPDX-License-Identifier: Apache-2.0
 *
 * Outputs that are written in parts, so that they need not fit into memory: while one part is computed in
 * one buffer, a thread writes the part before from another. */
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct parts {
  const settings *settings;
  iw_type type;
  size_t capacity;         /* elements of a buffer */
  char *buffers[2];
  int current;             /* the buffer that no write reads */
  int is_text;
  destination file;
  piece *pieces;           /* what is written of the other buffer */
  size_t count;
  pthread_t writer;
  int writing, error;      /* writer runs; errno of the latest write, or 0 */
};

/* Rank 0 makes the file, and the others open it. */
static void open_shared(parts *p)
{
  enum { MOST_BYTES = 4096 + 64 };
  char mine[MOST_BYTES] = "";
  char *const names = need(ranks_count(), MOST_BYTES);
  if (!parts_any_order(p->settings))
    fail("--mpi: several ranks write to a regular file only, not to %s", p->settings->output);
  if (ranks_rank() == 0) {
    p->file = begin_file(p->settings->output);
    if (strlen(p->file.name) >= MOST_BYTES)
      fail("%s: the name is too long", p->settings->output);
    strcpy(mine, p->file.name);
  }
  ranks_gather(mine, names, MOST_BYTES);
  if (ranks_rank() == 0) {
    free(names);
    return;
  }
  p->file = (destination){ .path = p->settings->output, .name = names }; /* the first one: of rank 0 */
  if ((p->file.file = open(names, O_WRONLY | O_CLOEXEC)) < 0)
    fail("%s: %s, on rank %u", names, strerror(errno), ranks_rank());
  note_incomplete(names); /* whichever rank is ended first removes it */
}

parts *parts_open(const settings *s, iw_type type, size_t n, size_t capacity)
{
  parts *p = need(1, sizeof *p);
  *p = (parts){ .settings = s, .type = type, .capacity = capacity, .is_text = s->output == NULL };
  p->buffers[0] = need(capacity, iw_type_size(type));
  if (p->is_text && ranks_are_open())
    fail("--mpi: several ranks write no text; give -o FILE");
  if (p->is_text)
    return p;
  check_dtype(s->output, type);
  if (ranks_are_open()) {
    open_shared(p);
    return p;
  }
  p->file = begin_file(s->output);
  if (p->file.name == NULL) {
    char header[NPY_HEADER + 1];
    make_npy_header(header, type, n);
    write_all(p->file.file, p->file.path, header, NPY_HEADER);
  }
  return p;
}

int parts_any_order(const settings *s)
{
  return s->output != NULL && !is_pipe(s->output);
}

/* Writes the pieces, until an error. */
static void *write_pieces(void *argument)
{
  parts *const p = argument;
  const size_t size = iw_type_size(p->type);
  for (size_t k = 0; k < p->count && p->error == 0; k++) {
    const piece *const piece = p->pieces + k;
    const char *at = p->buffers[!p->current] + piece->first * size;
    size_t left = piece->n * size, to = NPY_HEADER + piece->at * size;
    while (left > 0 && p->error == 0) {
      const size_t most = left < 1 << 24 ? left : 1 << 24;
      const ssize_t wrote =
          p->file.name != NULL ? pwrite(p->file.file, at, most, (off_t)to) : write(p->file.file, at, most);
      if (wrote < 0 && errno != EINTR)
        p->error = errno;
      if (wrote > 0)
        at += wrote, left -= (size_t)wrote, to += (size_t)wrote;
    }
  }
  return NULL;
}

/* Waits for the writes of the other buffer. */
static void finish_pieces(parts *p)
{
  if (p->writing)
    pthread_join(p->writer, NULL);
  p->writing = 0;
  free(p->pieces);
  p->pieces = NULL;
  if (p->error != 0)
    fail("%s: %s", p->file.path, strerror(p->error));
}

void *parts_buffer(const parts *p)
{
  return p->buffers[p->current];
}

void parts_write(parts *p, const piece *pieces, size_t count, int more)
{
  if (p->is_text) {
    for (size_t k = 0; k < count; k++)
      write_numbers(p->type, element_at(p->type, p->buffers[p->current], pieces[k].first), pieces[k].n);
    return;
  }
  finish_pieces(p);
  p->pieces = need(count, sizeof *pieces);
  memcpy(p->pieces, pieces, count * sizeof *pieces);
  p->count = count;
  p->current = !p->current;
  if (more && p->buffers[p->current] == NULL)
    p->buffers[p->current] = need(p->capacity, iw_type_size(p->type));
  if (more && pthread_create(&p->writer, NULL, write_pieces, p) == 0) {
    p->writing = 1;
    return;
  }
  write_pieces(p);
  finish_pieces(p);
}

void parts_close(parts *p, size_t n)
{
  if (p->is_text) {
    finish_output();
  } else {
    finish_pieces(p);
    if (ranks_rank() > 0) {
      if (close(p->file.file) != 0)
        fail("%s: %s", p->file.path, strerror(errno));
      ranks_agree();
      note_incomplete(NULL);
      free(p->file.name);
      free(p->buffers[0]);
      free(p->buffers[1]);
      free(p);
      return;
    }
    ranks_agree();
    if (p->file.name != NULL) {
      char header[NPY_HEADER + 1];
      make_npy_header(header, p->type, n);
      write_all(p->file.file, p->file.path, header, NPY_HEADER); /* the pieces were written with offsets */
    }
    end_file(&p->file);
  }
  free(p->buffers[0]);
  free(p->buffers[1]);
  free(p);
}
