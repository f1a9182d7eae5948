/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of statuses and types, and the message of the latest failure. Runtime layer.
 */
#include "runtime/arithmetic.h"
#include "runtime/error.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char message[512];

iw_status iw_fail(iw_status status, const char *format, ...)
{
  char text[sizeof message]; /* an argument may be the previous message */
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  snprintf(message, sizeof message, "%s", text);
  return status;
}

const char *iw_message(void)
{
  return message;
}

const char *iw_version(void)
{
  return ISOWARP_VERSION_STRING;
}

const char *iw_status_name(iw_status status)
{
  switch (status) {
  case IW_OK: return "IW_OK";
  case IW_ERROR_INVALID: return "IW_ERROR_INVALID";
  case IW_ERROR_OVERLAP: return "IW_ERROR_OVERLAP";
  case IW_ERROR_OVERFLOW: return "IW_ERROR_OVERFLOW";
  case IW_ERROR_UNAVAILABLE: return "IW_ERROR_UNAVAILABLE";
  case IW_ERROR_MISMATCH: return "IW_ERROR_MISMATCH";
  case IW_ERROR_MEMORY: return "IW_ERROR_MEMORY";
  case IW_ERROR_LAUNCH: return "IW_ERROR_LAUNCH";
  }
  return "unknown status";
}

static const char *const types[] = {
  [IW_U8] = "u8",   [IW_U16] = "u16", [IW_I32] = "i32", [IW_U32] = "u32",
  [IW_I64] = "i64", [IW_U64] = "u64", [IW_F32] = "f32", [IW_F64] = "f64",
};
enum { TYPES = sizeof types / sizeof *types };
_Static_assert(TYPES == 8, "each iw_type has a name: add one for a new type");

size_t (iw_type_size)(iw_type type)
{
  return iw_size_of(type);
}

const char *iw_type_name(iw_type type)
{
  return (unsigned)type < TYPES ? types[type] : "?";
}
