/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp: scan, reduce, histogram, partition, multisplit and sort with the same bits on CPUs and NVIDIA
 * GPUs. This header is all that runs on one machine; each task has a header of its own, which may be
 * included alone:
 *
 *   isowarp/context.h     status, types, contexts, memory, the launch of your kernels
 *   isowarp/scans.h       scan, reduce, argmin; of segments, rows, columns and runs of keys
 *   isowarp/histograms.h  histograms with weights, rows, channels, dimensions; bin indices; growing ranges
 *   isowarp/moves.h       partition, select, unique, run lengths, multisplit
 *   isowarp/sorts.h       sort, argsort, merge, search, top-k, median
 *   isowarp/exact.h       exact sums of floats
 *
 * Beside it: <isowarp/peers.h> distributed arrays, <isowarp/kernel.h> the kernel language,
 * <isowarp/sim.h> the simulated GPU.
 * <isowarp/typed.h> (C11) and <isowarp/isowarp.hpp> (C++) are opt-in layers that take the element type
 * from the pointers.
 *
 * Rules that hold for every call
 * ------------------------------
 * Errors. A call that can fail returns an iw_status; IW_OK is 0. iw_message() then says what is wrong, with
 *   the value and the limit. No call prints, exits or aborts. If a check fails, output arrays are unchanged;
 *   after any other failure, unspecified. Contracts list only errors beyond these rules, _MEMORY and _LAUNCH.
 * Arrays. Sizes and counts are in elements unless a name says bytes. Arrays, single values and results are
 *   aligned to their type. n may be 0, and pointers to n elements may then be NULL. Inputs may overlap. An
 *   output array or a result (count, report, …) overlaps no other and no input unless the call says which
 *   pointers may be equal; else IW_ERROR_OVERLAP. Any other bad argument is IW_ERROR_INVALID.
 * Order. Arguments are the context; what is done (an operator and a type, a spec, a test, buckets);
 *   inputs with their length; outputs; results; options. iw_memory_copy has the order of memcpy. A count,
 *   an index or an offset that a call writes is a size_t, of a distributed array a uint64_t; an output
 *   array of indices, lengths or bin numbers whose width may be chosen is an iw_indices.
 * Types. "The six types" are i32 u32 i64 u64 f32 f64; "all types" are these and the narrow ones, i8 u8
 *   i16 u16 bool f16 bf16 (doc/arguments.md). bool: bytes 0 and 1; another byte is compared and moved as
 *   of u8.
 * Option structs begin with their size: set it to sizeof the struct. Zero all members that you do not
 *   need. NULL options are the defaults. In C IW_OPTIONS makes them in a call:
 *   IW_OPTIONS(iw_sort_options, .descending = 1). A newer header's larger struct works if the members
 *   that the library does not know are 0 (doc/abi.md).
 * Memory. An array is in host memory or, if the context runs on CUDA, in device memory; one call may mix
 *   them. Device memory is used in place. On a CUDA context host memory is staged through the device, in
 *   pieces where a call reads it once, so a histogram or a reduction may read more than the device holds.
 *   Single values (init, constant, pivot, lo, hi) and tables (edges, map) are in host memory unless said
 *   otherwise, and read first: they may lie in an output. Another device's memory is IW_ERROR_INVALID.
 * Streams. On CUDA a call whose arrays are all in device memory returns when its work is queued on the
 *   context's stream. A call waits, that is, returns only when its work is done, if it uses host memory or
 *   needs a value on the host: a report, a count, offsets or a result in host memory, an automatic range. A
 *   failure of queued work is reported by a later call. On a CPU all calls wait.
 * CUDA graphs. Calls that do not wait and whose scratch was reserved (iw_context_reserve) neither allocate
 *   nor synchronise, and may be captured from the context's stream. Values in host memory (edges, pivot,
 *   init) are read at capture, an init in device memory at each replay. A graph uses the context's scratch:
 *   replay it while the context is open, and not at the same time as other graphs or calls of the context.
 * Threads. One thread at a time uses a context, which owns the scratch of its calls; different contexts
 *   share nothing. Functions without a context may be called from any thread. A CPU context has threads of
 *   its own, fewer where some cannot be created, and works in the child of a fork. A call needs 32 KiB of
 *   stack; with less than 512 KiB kernels run on these threads alone (doc/reliability.md).
 * Results depend on the input alone: not on backend, instruction set, number of threads, or tuning.
 *   Rounding is to nearest and subnormals are kept, whatever floating-point environment the caller has. A
 *   NaN that is computed is the canonical one, 0x7fc00000 (f64 0x7ff8000000000000, f16 0x7e00, bf16
 *   0x7fc0); elements that only move keep their bits.
 */
#ifndef ISOWARP_H
#define ISOWARP_H

#include <isowarp/context.h>
#include <isowarp/exact.h>
#include <isowarp/histograms.h>
#include <isowarp/moves.h>
#include <isowarp/scans.h>
#include <isowarp/sorts.h>

#endif
