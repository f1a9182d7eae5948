/* SPDX-License-Identifier: Apache-2.0
 *
 * Errors: a status, and a message that iw_message() returns. Runtime layer; knows nothing else of the
 * library.
 */
#ifndef IW_RUNTIME_ERROR_H
#define IW_RUNTIME_ERROR_H

#include <isowarp.h>

#define IW_NOINLINE __attribute__((noinline))
#define IW_INLINED __attribute__((always_inline))

/* Stores the formatted message for iw_message() and returns status. */
iw_status iw_fail(iw_status status, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

/* snprintf() whose text does not depend on the caller's rounding mode and locale. */
int iw_format(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4), cold));

/* Returns from the calling function with the status of the expression if that is not IW_OK. */
#define IW_TRY(expression) \
  do { const iw_status status_ = (expression); if (status_ != IW_OK) return status_; } while (0)

#endif
