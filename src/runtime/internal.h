/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the library know of each other. Nothing here is visible outside it.
 */
#ifndef IW_INTERNAL_H
#define IW_INTERNAL_H

#include <fenv.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif
#include <isowarp.h>
#include <isowarp/descriptor.h>

#include "algorithms/common/args.h"
#include "algorithms/common/kernel_list.h"

#define IW_NOINLINE __attribute__((noinline))

/* iw_type_size(), which each call asks for several times. A digit a type; 0 for what is none. */
static inline size_t iw_size_of(iw_type type)
{
  return (unsigned)type <= IW_F64 ? 0x84884421u >> 4 * (unsigned)type & 15 : 0;
}
#define iw_type_size(type) iw_size_of(type)

/* ---- Errors ------------------------------------------------------------------------------------------------------ */

/* Keeps the message for iw_message() and returns status. */
iw_status iw_fail(iw_status status, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

/* Returns from the caller where expression is not IW_OK. */
#define IW_TRY(expression) do { const iw_status status_ = (expression); if (status_ != IW_OK) return status_; } while (0)

/* ---- Kernels ----------------------------------------------------------------------------------------------------- */

typedef enum iw_kernel_id {
#define IW_ID(name) IW_K_##name,
  IW_KERNEL_LIST(IW_ID)
#undef IW_ID
  IW_KERNEL_COUNT
} iw_kernel_id;

/* The kernels of one family stand in the order of their types, IW_I32 … IW_F64 (families that take all eight: IW_U8 …),
 * and those that have operators in the order of these. */
#define IW_KERNEL_OF(stem, type) ((iw_kernel_id)(IW_K_##stem##_i32 + ((type) - IW_I32)))
#define IW_KERNEL_OF_OP(stem, op, type) ((iw_kernel_id)(IW_K_##stem##_sum_i32 + 6 * (op) + ((type) - IW_I32)))
/* The kth sum in a wider type. */
#define IW_KERNEL_OF_MIXED(stem, k) ((iw_kernel_id)(IW_K_##stem##_sum_u32_from_u8 + (k)))

/* ---- Backends ---------------------------------------------------------------------------------------------------- */

/* Takes part of an array: bytes of it, from byte `at` on, where kernels reach them. */
typedef iw_status (*iw_piece_fn)(void *job, const void *piece, size_t at, size_t bytes);

typedef struct iw_backend_ops {
  const char *name;
  iw_status (*open)(iw_context *, const iw_context_options *); /* options: complete and checked */
  void (*close)(iw_context *);
  iw_status (*allocate)(iw_context *, size_t bytes, void **memory);
  void (*release)(iw_context *, void *memory);
  /* Whether kernels reach the caller's memory as it is; else it is host memory that has to be staged. An error where it is
   * neither. name: of the argument. NULL: they reach all of it. */
  iw_status (*locate)(iw_context *, const char *name, const void *memory, int *accessible);
  /* Between any two of host and device, in the order of the launches; done when it returns if one is host memory. */
  iw_status (*copy)(iw_context *, void *to, const void *from, size_t bytes);
  /* From a table of the host's, in the order of the launches; the table may be gone when it returns. */
  iw_status (*upload)(iw_context *, void *to, const void *from, size_t bytes);
  /* Host memory that they do not reach, piece by piece, of a multiple of unit bytes: the next one is on its way while kernels
   * use this one. */
  iw_status (*for_each_piece)(iw_context *, const void *host, size_t bytes, size_t unit, iw_piece_fn, void *job);
  iw_status (*set_stream)(iw_context *, void *stream);
  iw_status (*synchronize)(iw_context *);
  const iw_kernel *(*kernel)(iw_context *, iw_kernel_id); /* NULL: this backend has no such kernel */
  /* shared: bytes of the kernel's shared memory that it needs this time. */
  iw_status (*launch)(iw_context *, const iw_kernel *, size_t grid, unsigned block, size_t shared, const void *args);
} iw_backend_ops;

const iw_backend_ops *iw_backend_cpu(void);
/* NULL where there is none, and then *why is the reason, in words that follow "because". */
const iw_backend_ops *iw_backend_cuda(const char **why);
/* The number of the CUDA device whose memory this is; -1 for host memory. */
int iw_cuda_device_of(const void *memory);

/* An instruction set of the CPU backend. */
typedef struct iw_isa {
  const char *name;
  int (*available)(void);           /* on this machine */
  const iw_kernel *const *kernels;  /* by iw_kernel_id */
} iw_isa;

unsigned iw_isa_count(void);
const iw_isa *iw_isa_at(unsigned index);

struct iw_context {
  const iw_backend_ops *ops;
  iw_backend backend;
  const iw_isa *isa;
  unsigned threads;     /* of the CPU; this and the next five are set by the backend's open() */
  unsigned processors;  /* that run blocks: threads, or a GPU's multiprocessors */
  size_t shared_per_block;   /* bytes of shared memory that a block may have … */
  size_t shared_per_processor;    /* … and all blocks of a processor together */
  size_t min_bytes_per_block;         /* bytes of input that are worth another block: a thread has to be woken first */
  int prefers_global_atomics;    /* adding to one place from many blocks is cheaper here than adding copies up afterwards */
  unsigned team;        /* of the last launch; set by the backend's launch() */
  iw_blocks blocks;
  void *stream;
  void *scratch;        /* of any contents */
  size_t scratch_bytes;
  size_t reserved;      /* what iw_context_reserve() was asked for */
  void *tickets;        /* of scans, followed by their words: see iw_tile_states() */
  size_t tile_state_capacity;
  void *zeroed_counters;         /* counters that are 0 between calls: see iw_zeroed_counters() */
  void *staging;        /* for the caller's host memory, where kernels do not reach it */
  size_t staging_bytes;
  void *state;          /* the backend's own */
  /* A context that runs where the data is stands for the CPU, and has another one for a device, once there is need. */
  const iw_backend_ops *device_ops; /* NULL: this context is no such one */
  iw_context *device_context;
  iw_context_options options;
  size_t offload_threshold;      /* bytes of host data from which on the device is faster, its transfer included */
  int device_index;           /* of the CUDA device; -1: none */
  int has_captured_graph;         /* a graph was captured, and may be replayed with the memory that the context had */
  struct iw_deferred_free { struct iw_deferred_free *next; void *memory; } *deferred_frees;
  char label[128];      /* what it runs on, in words */
  char why[512];
};

/* ---- The caller's memory ----------------------------------------------------------------------------------------- */

enum { IW_READ = 1, IW_WRITE = 2 };
enum { IW_MAX_ARRAYS = 26 }; /* of one call */

/* An array of the caller's, and what a call does with it. here: where kernels find it; set by iw_stage(). */
typedef struct iw_array { const char *name; const void *at; size_t bytes; unsigned access; void *kernel_ptr; } iw_array;

/* The context that a call with these arrays runs on: *context, or the device's where that one is for both. */
iw_status iw_select_auto_context(iw_context **context, const iw_array *arrays, unsigned count);
static inline iw_status iw_select_context(iw_context **context, const iw_array *arrays, unsigned count)
{
  return (*context)->device_ops ? iw_select_auto_context(context, arrays, count) : IW_OK;
}
/* The same, and makes kernels reach the arrays: host memory is copied to a device, unless it is only written. */
iw_status iw_stage(iw_context **context, iw_array *arrays, unsigned count);
/* Of a context for both backends, the one that this kernel is for. */
iw_status iw_select_context_for_kernel(iw_context **context, const iw_kernel *kernel, const iw_array *arrays, unsigned count);
/* The second half of iw_stage, on this context. */
iw_status iw_stage_copies(iw_context *context, iw_array *arrays, unsigned count);
static inline iw_status iw_stage_on(iw_context *context, iw_array *arrays, unsigned count)
{
  for (unsigned i = 0; i < count; i++)
    arrays[i].kernel_ptr = (void *)(uintptr_t)arrays[i].at;
  return context->ops->locate ? iw_stage_copies(context, arrays, count) : IW_OK;
}
/* Ends a call that iw_stage() began: if its status is IW_OK, copies what it wrote to host memory. Returns the status. */
iw_status iw_unstage_copies(iw_context *context, const iw_array *arrays, unsigned count, iw_status status);
static inline iw_status iw_unstage(iw_context *context, const iw_array *arrays, unsigned count, iw_status status)
{
  return context->ops->locate ? iw_unstage_copies(context, arrays, count, status) : status;
}
/* Hands memory that kernels read once to use(), at once or in pieces of a multiple of unit bytes. Not called for none. */
iw_status iw_for_each_piece(iw_context *context, const iw_array *array, size_t unit, iw_piece_fn use, void *job);
/* Whether kernels reach it. */
static inline iw_status iw_is_accessible(iw_context *context, const iw_array *array, int *accessible)
{
  *accessible = 1;
  return array->bytes && context->ops->locate ? context->ops->locate(context, array->name, array->at, accessible) : IW_OK;
}
/* Whether it is a device's memory, on a context for one. Host memory is none, and may be asked for during a capture. */
iw_status iw_is_on_device(iw_context *context, const iw_array *array, int *there);
/* The device's context of one that is for both. */
iw_status iw_device_context(iw_context *context, iw_context **device);

/* At least bytes of scratch, aligned to 64, with any contents. */
iw_status iw_scratch(iw_context *context, size_t bytes, void **memory);
/* The place of a part of that size in a scratch of which *used bytes are taken already; aligned to 64. Parts that
 * together are larger than any memory make *used SIZE_MAX. */
static inline size_t iw_layout_add(size_t *used, size_t count, size_t size)
{
  const size_t at = *used;
  size_t bytes, end;
  const int full = __builtin_mul_overflow(count, size, &bytes) || __builtin_add_overflow(at, bytes, &end)
    || end > SIZE_MAX - 63;
  *used = full ? SIZE_MAX : (end + 63) / 64 * 64;
  return at;
}

/* A ticket struct and at least that many words behind it, zeroed when they were made and given to look-backs only, so that
 * no word can look like one of the scan that runs. */
size_t iw_scan_tile_states_needed(size_t n, iw_type type);
size_t iw_partition_tile_states_needed(size_t bytes);
iw_status iw_tile_states(iw_context *context, size_t words, void **tickets, uint64_t **first);

/* IW_ZEROED_COUNTERS words, and one that counts blocks, which are 0 before and after each launch that uses them. */
enum { IW_ZEROED_COUNTERS = 4096 };
iw_status iw_zeroed_counters(iw_context *context, uint32_t **blocks_done, uint64_t **words);

/* That a descriptor is one of this library's version. */
iw_status iw_check_kernel(const iw_kernel *kernel);
/* One of the library's own. */
iw_status iw_fail_no_kernel(const iw_context *context);
static inline iw_status iw_find_kernel(iw_context *context, iw_kernel_id id, const iw_kernel **kernel)
{
  *kernel = context->ops->kernel(context, id);
  return *kernel ? IW_OK : iw_fail_no_kernel(context);
}
/* Launches one of the library's own kernels. block: threads, or 0 for what the kernel is built for. */
iw_status iw_launch_by_id(iw_context *context, iw_kernel_id id, size_t grid, unsigned block, const void *args);
/* The same for one that needs only the first bytes of its shared memory. */
iw_status iw_launch_by_id_shared(iw_context *context, iw_kernel_id id, size_t grid, unsigned block, size_t shared, const void *args);
/* As many blocks as should run at a time. */
size_t iw_blocks_per_wave(iw_context *context, iw_kernel_id id);

/* ---- Argument checks --------------------------------------------------------------------------------------------- */

static inline iw_status iw_check_pointer(const char *name, const void *pointer)
{
  return pointer ? IW_OK : iw_fail(IW_ERROR_INVALID, "%s is NULL", name);
}
static inline iw_status iw_check_context(const iw_context *context) { return iw_check_pointer("context", context); }
/* smallest: IW_I32, or IW_U8 for calls that take all eight types. */
iw_status iw_fail_type(iw_type type);
static inline iw_status iw_check_type(iw_type type, iw_type smallest)
{
  return (unsigned)type <= IW_F64 && type >= smallest ? IW_OK : iw_fail_type(type);
}
iw_status iw_check_op(iw_op op);
/* A pointer to n elements: NULL only where n is 0, n * size within the address space, aligned to size, a power of two. */
iw_status iw_fail_array(const char *name, const void *array, size_t n, size_t size);
static inline iw_status iw_check_array(const char *name, const void *array, size_t n, size_t size)
{
  size_t bytes;
  const int fits = !__builtin_mul_overflow(n, size, &bytes) && bytes <= PTRDIFF_MAX; /* without a division, which takes long */
  return fits && (!n || (array && !((uintptr_t)array & (size - 1)))) ? IW_OK : iw_fail_array(name, array, n, size);
}
/* Two arrays that do not overlap. */
static inline int iw_overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
  return ((uintptr_t)b - (uintptr_t)a < a_bytes || (uintptr_t)a - (uintptr_t)b < b_bytes) && a_bytes && b_bytes;
}
iw_status iw_fail_overlap(const char *a_name, const void *a, size_t a_bytes, const char *b_name, const void *b, size_t b_bytes);
static inline iw_status iw_check_no_overlap(const char *a_name, const void *a, size_t a_bytes, const char *b_name, const void *b,
                                       size_t b_bytes)
{
  return iw_overlap(a, a_bytes, b, b_bytes) ? iw_fail_overlap(a_name, a, a_bytes, b_name, b, b_bytes) : IW_OK;
}
/* The same, but for exactly equal pointers. */
iw_status iw_check_no_partial_overlap(const char *a_name, const void *a, size_t a_bytes,
                                  const char *b_name, const void *b, size_t b_bytes);
/* in and out of a call that works in place by a copy: equal only where the context's reserve holds the array. */
iw_status iw_check_in_place(const iw_context *context, const void *in, const void *out, size_t bytes);

/* ---- Bins -------------------------------------------------------------------------------------------------------- */

/* The rule of a spec, worked out on the host. After it was made nothing of it changes, but that a persistent one keeps its
 * tables on each device that it ran on, in a list that only grows. */
struct iw_histogram_plan {
  iw_type type;
  iw_histogram_spec spec; /* but for what it points to */
  iw_binning binning;     /* edges and map still NULL */
  void *edges;            /* e(0) … e(bins-1), as the kernels want them; NULL for a map */
  size_t edges_bytes;
  uint32_t map[256];      /* of u8 samples: bins: below, bins + 1: above or none */
  int persistent;            /* else it serves one call, and its tables are in scratch there */
  struct iw_device_table { struct iw_device_table *next; const iw_backend_ops *ops; int device_index; void *memory; } *device_tables;
  size_t sampled;         /* samples of the data that were looked at … */
  double top_bin_share;         /* … and the share of them that the largest bin has */
};

/* Everything about a spec that can be wrong without looking at the data. */
iw_status iw_check_spec(iw_type type, const iw_histogram_spec *spec);
/* Whether the spec asks for the range of the data. */
int iw_spec_is_automatic(const iw_histogram_spec *spec);
/* Makes the plan of a checked spec that is not automatic. Drop it. */
iw_status iw_plan_make(iw_type type, const iw_histogram_spec *spec, iw_histogram_plan *plan);
/* The same for a checked spec that may have an automatic range. */
iw_status iw_plan_resolve(iw_context *context, iw_type type, const void *samples, size_t n, const iw_histogram_spec *spec,
                      iw_histogram_plan *plan);
void iw_plan_release(iw_histogram_plan *plan);
/* Bytes of scratch that iw_binning_upload needs. */
size_t iw_binning_scratch_bytes(const iw_context *context, const iw_histogram_plan *plan);
/* The binning that a kernel gets, its tables where the context's kernels reach them; memory: of that many bytes. */
iw_status iw_binning_upload(iw_context *context, const iw_histogram_plan *plan, void *memory, iw_binning *binning);
/* Counters that a histogram of this spec has: bins, or bins + 2. */
static inline size_t iw_outputs(const iw_histogram_spec *spec)
{
  return spec->bins + (spec->policy == IW_POLICY_COUNT ? 2 : 0);
}
/* A caller's plan, for elements of this type. */
iw_status iw_check_plan(const iw_histogram_plan *plan, iw_type type);

/* ---- Arithmetic -------------------------------------------------------------------------------------------------- */

static inline size_t iw_ceil_div(size_t a, size_t b) { return a / b + (a % b != 0); }
/* So many bytes in elements of a size that is a power of two: a division takes long, in a small call. */
static inline size_t iw_element_count(size_t bytes, size_t size) { return bytes >> __builtin_ctzll(size); }
static inline size_t iw_min(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t iw_max(size_t a, size_t b) { return a > b ? a : b; }

/* Rounding to nearest and subnormals kept between these two, whatever the caller has. What is computed in between
 * stands in a function that is not inlined, so that no compiler moves it out. */
#if defined(__x86_64__)
/* Floats are calculated by SSE and its kin only; glibc's functions set the old unit too, which takes long. */
typedef unsigned iw_fp_env;
enum { IW_DEFAULT_MXCSR = 0x1f80, IW_MXCSR_EXCEPTION_FLAGS = 0x3f }; /* of which flags say what has happened, and change nothing */
static inline void iw_fp_env_set_default(iw_fp_env *callers)
{
  *callers = _mm_getcsr();
  if ((*callers & ~(unsigned)IW_MXCSR_EXCEPTION_FLAGS) != IW_DEFAULT_MXCSR) /* setting takes longer than looking */
    _mm_setcsr(IW_DEFAULT_MXCSR);
}

static inline void iw_fp_env_restore(const iw_fp_env *callers)
{
  if (_mm_getcsr() != *callers)
    _mm_setcsr(*callers);
}

/* Stores that went past the caches are seen before what is stored after this. All others are in order on x86-64 anyway. */
static inline void iw_store_fence(void) { _mm_sfence(); }
#else
typedef fenv_t iw_fp_env;
static inline void iw_fp_env_set_default(iw_fp_env *callers)
{
  fegetenv(callers);
  fesetenv(FE_DFL_ENV);
}

static inline void iw_fp_env_restore(const iw_fp_env *callers) { fesetenv(callers); }

static inline void iw_store_fence(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
#endif

/* Sets words where kernels run to 0. */
iw_status iw_clear(iw_context *context, void *words, size_t n);

/* ---- Inside operations ------------------------------------------------------------------------------------------- */

/* iw_histogram_plan_run_any() of checked arguments that kernels reach. how: the plan's spec, or another one for the same
 * bins. */
iw_status iw_histogram_run_plan(iw_context *context, const iw_histogram_plan *plan, const iw_histogram_spec *how,
                               const void *samples, size_t n, void *counts, iw_histogram_report *report);

/* Adds what a histogram by the plan has to its 64-bit outputs, by its policy, where kernels run; memory: so many bytes. */
size_t iw_histogram_accumulate_scratch_bytes(iw_context *context, const iw_histogram_plan *plan, size_t n);
iw_status iw_histogram_accumulate(iw_context *context, const iw_histogram_plan *plan, const void *samples, size_t n, void *memory,
                   uint64_t *counts);
/* Adds to counts how often 0 … bins - 1 are among the numbers, where kernels run; memory: so many bytes. */
size_t iw_count_bin_indices_scratch_bytes(iw_context *context, size_t n, size_t bins);
iw_status iw_count_bin_indices(iw_context *context, const uint32_t *numbers, size_t n, size_t bins, void *memory, uint64_t *counts);

/* The bin numbers of samples, where kernels run, as numbers of so many bytes (1, 2 or 4); what is greater than last counts as it,
 * and sets *clamped, if that is not NULL. */
iw_status iw_compute_bin_indices(iw_context *context, iw_type type, const iw_binning *binning, const void *samples, size_t n, void *numbers,
                    size_t bytes, uint32_t last, uint32_t *clamped);

/* words(i) = words(0) + … + words(i-1), where kernels run. */
iw_status iw_offsets(iw_context *context, uint64_t *words, size_t n);

/* What tells an element's bucket: bits of a word of 1, 2, 4 or 8 bytes, (word >> shift) & mask, with the least mask 2^b - 1 that
 * has all buckets, of which it is one. Keys themselves, where a range of their bits decides. */
typedef struct iw_bucket_keys { const void *at; unsigned bytes, shift; } iw_bucket_keys;
/* Splits n elements stably into buckets, 1 or more: moves arrays, at most IW_MAX_MOVED - 1 of them, and writes where each
 * bucket begins, and n: buckets + 1 offsets. All where kernels run, and none in place; memory: so many bytes. */
size_t iw_multisplit_scratch_bytes(iw_context *context, const iw_bucket_keys *numbers, size_t buckets, size_t n, const iw_move_array *moved,
                      size_t count);
iw_status iw_multisplit_by_keys(iw_context *context, const iw_bucket_keys *numbers, size_t buckets, size_t n, const iw_move_array *moved,
                   size_t count, void *memory, uint64_t *offsets);
/* The same of at most IW_MULTISPLIT_TILE elements that are numbers, as many buckets as some bits tell apart, at most 8 of them, and
 * nothing else to move: by one launch, without memory. */
iw_status iw_multisplit_small(iw_context *context, const iw_bucket_keys *numbers, size_t buckets, size_t n, const void *in, void *out,
                       uint64_t *offsets);

#endif
