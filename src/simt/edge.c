/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the program's variables end: this is the first file of the library that a program is linked with
 * (-u iw_simt_edge_data), so that only the runtime's variables, and those of libraries, are behind these. */
#include "simt/simt.h"

char iw_simt_edge_data[SIMT_EDGE] = { 1 }; /* behind those that begin with a value other than 0 */
char iw_simt_edge_bss[SIMT_EDGE];          /* behind those that are 0 */
