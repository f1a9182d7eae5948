/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of statuses and types, and the message of the latest failure. Runtime layer.
 */
#include "runtime/arithmetic.h"
#include "runtime/error.h"

#include <fenv.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>

static _Thread_local char message[512];

/* Formats in the default floating-point environment and the locale "C". fesetenv() sets the x87 unit too, by
 * whose rounding mode printf() rounds. */
static int format_text(char *text, size_t size, const char *format, va_list list)
{
  fenv_t environment;
  fegetenv(&environment);
  fesetenv(FE_DFL_ENV);
  const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  const locale_t before = plain ? uselocale(plain) : (locale_t)0;
  const int length = vsnprintf(text, size, format, list);
  if (plain) {
    uselocale(before);
    freelocale(plain);
  }
  fesetenv(&environment);
  return length;
}

int iw_format(char *text, size_t size, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  const int length = format_text(text, size, format, list);
  va_end(list);
  return length;
}

iw_status iw_fail(iw_status status, const char *format, ...)
{
  char text[sizeof message]; /* an argument may be the previous message */
  va_list list;
  va_start(list, format);
  format_text(text, sizeof text, format, list);
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
  case IW_ERROR_FINDING: return "IW_ERROR_FINDING";
  case IW_ERROR_PEER: return "IW_ERROR_PEER";
  }
  return "unknown status";
}

static const char *const types[] = {
#define NAMED(NAME, name, C, kind) [IW_##NAME] = #name,
  IW_ELEMENT_TYPES(NAMED)
#undef NAMED
};
enum { TYPES = sizeof types / sizeof *types };
_Static_assert(TYPES == IW_TYPE_COUNT + 1, "IW_ELEMENT_TYPES has all types, in the order of their values");

size_t (iw_type_size)(iw_type type)
{
  return iw_size_of(type);
}

const char *iw_type_name(iw_type type)
{
  return (unsigned)type < TYPES && types[type] ? types[type] : "?";
}
