/* SPDX-License-Identifier: Apache-2.0
 *
 * An array of a .npz file, which is a ZIP archive of .npy files. libzip reads the archive from memory, so
 * that a pipe may hold one. */
#include <config.h>

#include "io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int is_npz(const char *data, size_t size)
{
  /* The second begins an archive without members. */
  return size >= 4 && (memcmp(data, "PK\3\4", 4) == 0 || memcmp(data, "PK\5\6", 4) == 0);
}

#ifdef HAVE_LIBZIP
#include <zip.h>

/* The length of a member's name without ".npy". */
static int stem_length(const char *member)
{
  const size_t length = strlen(member); /* at most 65535 in a ZIP archive */
  return (int)length - (length > 4 && strcmp(member + length - 4, ".npy") == 0 ? 4 : 0);
}

/* Closes the archive and its file, since the fuzz target counts memory, and fails with what libzip says. */
_Noreturn static void fail_zip(zip_t *archive, zip_file_t *file, const char *name, const char *member,
                               const char *error)
{
  char text[400];
  const int length = stem_length(member);
  snprintf(text, sizeof text, "array '%.*s': %.200s", length > 100 ? 100 : length, member, error);
  if (file != NULL)
    zip_fclose(file);
  zip_discard(archive);
  fail("%s: %s", name, text);
}

/* The index of the array with this name, or of the only one if none is wanted. */
static zip_uint64_t find_array(zip_t *archive, const char *name, const char *wanted)
{
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  char list[200] = "";
  for (zip_int64_t i = 0; i < count; i++) {
    const char *const member = zip_get_name(archive, (zip_uint64_t)i, 0);
    const int length = member ? stem_length(member) : 0;
    if (member == NULL)
      continue;
    if (wanted == NULL ? count == 1
                       : strlen(wanted) == (size_t)length && memcmp(member, wanted, (size_t)length) == 0)
      return (zip_uint64_t)i;
    const size_t used = strlen(list);
    if (used + (size_t)length + 8 < sizeof list)
      snprintf(list + used, sizeof list - used, "%s%.*s", used ? ", " : "", length, member);
    else if (used >= 3 && used + 6 < sizeof list && strcmp(list + used - 3, "...") != 0)
      strcat(list, ", ...");
  }
  zip_discard(archive);
  if (count == 0)
    fail("%s: the .npz file has no arrays", name);
  if (wanted == NULL)
    fail("%s: the .npz file has several arrays; choose one by --array: %s", name, list);
  fail("%s: no array has the name '%s'; there are: %s", name, wanted, list);
}

char *read_npz(const char *name, const char *data, size_t size, const char *wanted, size_t *bytes)
{
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t *const source = zip_source_buffer_create(data, size, 0, &error);
  zip_t *const archive = source ? zip_open_from_source(source, ZIP_RDONLY, &error) : NULL;
  if (archive == NULL) {
    if (source != NULL)
      zip_source_free(source);
    char text[200];
    snprintf(text, sizeof text, "%s", zip_error_strerror(&error));
    zip_error_fini(&error);
    fail("%s: as a .npz file: %s", name, text);
  }
  zip_error_fini(&error);
  const zip_uint64_t index = find_array(archive, name, wanted);
  const char *const member = zip_get_name(archive, index, 0);
  zip_stat_t about;
  zip_file_t *file = NULL;
  if (zip_stat_index(archive, index, 0, &about) != 0 || (file = zip_fopen_index(archive, index, 0)) == NULL)
    fail_zip(archive, NULL, name, member, zip_strerror(archive));
  if (!(about.valid & ZIP_STAT_SIZE))
    fail_zip(archive, file, name, member, "its size is not known");

  /* The buffer grows with what is there: the size in the archive may be wrong. */
  char *out = NULL;
  size_t done = 0, capacity = 0;
  zip_int64_t got;
  do {
    if (done == capacity) {
      const size_t more = capacity ? 2 * capacity : (size_t)1 << 20;
      capacity = done <= about.size && about.size - done < more ? (size_t)about.size + 1 : more;
      out = need_more(out, capacity, 1);
    }
    got = zip_fread(file, out + done, capacity - done);
    if (got < 0) {
      free(out);
      fail_zip(archive, file, name, member, zip_file_strerror(file));
    }
    done += (size_t)got;
    progress("unpacking", "B", done, (size_t)about.size);
  } while (got > 0);
  progress_end();
  zip_fclose(file);
  zip_discard(archive);
  *bytes = done;
  return out;
}

#else

char *read_npz(const char *name, const char *data, size_t size, const char *wanted, size_t *bytes)
{
  (void)data, (void)size, (void)wanted, (void)bytes;
  fail("%s: is .npz; isowarp was built without libzip, which reads it (Debian: libzip-dev)", name);
}

#endif
