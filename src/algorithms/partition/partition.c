/* SPDX-License-Identifier: Apache-2.0
 *
 * Public entries of partition, select, unique and run lengths: checks, the choice of kernels, and launches.
 * The schedules are in the kernel templates (partition_kernel.h: agent_staged.h on GPUs compacts tiles in
 * shared memory, where short arrays have agent_waiting.h, and agent_reread.h on CPUs reads a tile again when
 * its place is known), with their tuning in tuning_cuda.h and tuning_cpu.h. Comparisons with a constant and
 * histogram bins become ranges of values (value_ranges.h, doc/design/partition.md#comparisons-are-ranges);
 * byte flags and users' predicates have kernels of their own. Usually one launch flags and moves the
 * elements; a counting launch comes first where the number of selected elements has to be known
 * (doc/design/partition.md#one-output-array). Payloads follow by the flag bits that were stored, a launch
 * each (doc/design/partition.md#payloads); elements of 1 and 2 bytes move by flag bits too. Unique is a
 * select of run heads; on GPUs one launch writes run lengths, too. Small calls take a path with fewer checks
 * (doc/design/cpu.md#small-calls).
 * Layer: public entry; it must not know how a backend launches or what a device is, but by the device
 * record.
 */
#include "algorithms/common/payloads.h"
#include "algorithms/partition/partition.h"
#include "algorithms/partition/value_ranges.h"
#include "runtime/launch.h"
#include "runtime/memory.h"
#include "runtime/staging.h"

/* Outputs of at least so many bytes are written with streaming stores. */
enum { NONTEMPORAL_BYTES = 8 << 20 };

/* ---- Moving ------------------------------------------------------------------------------------------ */

/* A call: what is moved, by which test, and where to. Item 0 is the elements; the others are payloads. */
enum { MOST_ITEMS = 1 + IW_MAX_PAYLOADS };
#define NO_PAYLOAD SIZE_MAX
typedef struct partition_job {
  /* What each call sets. The others are zeroed, from a multiple of 16 bytes on: nothing can be forwarded of a
   * vector store that crosses a cache line. */
  iw_context *context;
  const void *in;
  size_t n;
  void *front;
  size_t *count;
  size_t element_payload;   /* the payload that moves the elements, by their own item; NO_PAYLOAD: none */
  iw_type type;
  int wants_rejected;       /* rejected values go to an item's rest, or if that is NULL behind the selected ones */
  void *rest;
  const uint8_t *flags;     /* or NULL */
  const iw_kernel *kernel;  /* a user's, or NULL for the library's own: */
  iw_kernel_id kernel_id;
  int needs_block_counts;   /* the user's kernel has the staged agent on a CPU: a single block needs a counting launch, too */
  int separate_flags;       /* the kernel only flags, and elements are moved by flag bits */
  int heads;                /* it flags elements that differ from the one before */
  range range;
  const iw_payload *payloads;
  size_t payload_count;
  const iw_histogram_spec *bins; /* not NULL: the range is bin `bin` of these, which have no plan yet */
  size_t bin;
  int lengths;              /* payload 0 is run begins, and becomes run lengths, unless a kernel writes these at once */
  int only_counts;          /* selected elements are counted and nothing is moved */
} partition_job;

/* The arrays of a call: count, flags, and for each item one that is read and one or two that are written. */
enum { COUNT, FLAGS, ITEMS, IN = 0, FRONT, REST, OF_ITEM, ARRAYS = ITEMS + OF_ITEM * MOST_ITEMS };
_Static_assert((int)ARRAYS <= (int)IW_MAX_ARRAYS, "a call's arrays can be staged");

static const char *const names[MOST_ITEMS][OF_ITEM] = {
#define PAYLOAD(p) { "payloads[" #p "].in", "payloads[" #p "].out", "payloads[" #p "].rest" }
  { "in", "out", "options->rest" }, PAYLOAD(0), PAYLOAD(1), PAYLOAD(2), PAYLOAD(3), PAYLOAD(4), PAYLOAD(5), PAYLOAD(6),
  PAYLOAD(7),
#undef PAYLOAD
};

static unsigned items_of(const partition_job *d)
{
  return 1 + (unsigned)d->payload_count;
}

/* Whether item i is the payload that moves the elements: item 0 does it for it. */
static int is_element_payload(const partition_job *d, unsigned i)
{
  return d->element_payload + 1 == i && i;
}

/* Item i as a payload. */
static inline iw_payload elements_of(const partition_job *d)
{
  return (iw_payload){ .in = d->in, .out = d->front, .rest = d->rest, .width = iw_type_size(d->type) };
}
static iw_payload item_of(const partition_job *d, unsigned i)
{
  return is_element_payload(d, i) ? (iw_payload){ .width = 1 } : i ? d->payloads[i - 1] : elements_of(d);
}

static const char *name_of(const partition_job *d, unsigned i, unsigned which)
{
  if (d->lengths && which == FRONT)
    return i ? "lengths" : "values";
  if (i == 0 && d->element_payload != NO_PAYLOAD)
    return names[d->element_payload + 1][which];
  return names[i][which];
}

/* In a call with payloads, elements need not be moved. */
static int is_moved(const partition_job *d, unsigned i)
{
  return i ? !is_element_payload(d, i) : d->front || d->rest || (!d->payload_count && !d->only_counts);
}

/* Elements that are neither moved nor tested are not read, and may be missing. */
static int is_read(const partition_job *d, unsigned i)
{
  return i ? is_moved(d, i) && d->payloads[i - 1].in != NULL : is_moved(d, 0) || !d->flags;
}

/* Lists the arrays of item i. An output without a rest may be its own input. */
static inline IW_INLINED void list_item(const partition_job *d, unsigned i, iw_payload item, iw_array *arrays)
{
  iw_array *const a = arrays + ITEMS + OF_ITEM * i;
  const unsigned front = (item.rest ? 0 : IW_IN_PLACE) | (is_moved(d, i) ? 0 : IW_OPTIONAL);
  a[IN] = iw_values(names[i][IN], item.in, is_read(d, i) ? d->n : 0, item.width, IW_READ);
  a[FRONT] = iw_values(name_of(d, i, FRONT), item.out, d->n, item.width, IW_WRITE | front);
  a[REST] = iw_values(name_of(d, i, REST), item.rest, d->n, item.width, IW_WRITE | IW_OPTIONAL);
}

/* Lists the call's arrays without payloads. counts: so many has count. */
static inline IW_INLINED void list_elements(const partition_job *d, size_t counts, iw_array *arrays)
{
  arrays[COUNT] = (iw_array){ "count", d->count, counts, sizeof *d->count, IW_WRITE | IW_SINGLE, NULL };
  arrays[FLAGS] = (iw_array){ "test->flags", d->flags, d->n, 1, IW_READ | IW_OPTIONAL, NULL };
  list_item(d, 0, elements_of(d), arrays);
}
/* Lists the call's arrays, with room in outputs for all values, and returns how many there are. */
static inline unsigned list_arrays(const partition_job *d, iw_array *arrays)
{
  list_elements(d, 1, arrays);
  for (unsigned i = 1; i < items_of(d); i++)
    list_item(d, i, item_of(d, i), arrays);
  return ITEMS + OF_ITEM * items_of(d);
}

/* Makes an output one of so many values. */
static void set_values(iw_array *output, size_t values, size_t width)
{
  output->count = values * width / output->size;
}

/* Checks the outputs, and that none overlaps another array. */
static iw_status check_outputs(const partition_job *d, const iw_array *arrays)
{
  const iw_array *const end = arrays + ITEMS + OF_ITEM * items_of(d);
  for (const iw_array *a = arrays + ITEMS; a < end; a += OF_ITEM)
    IW_TRY(iw_check_each_array(a + FRONT, 2));
  for (const iw_array *b = arrays + ITEMS + FRONT; b < end; b++)
    for (const iw_array *a = arrays; a < b; a++)
      IW_TRY(iw_check_pair(a, b));
  return IW_OK;
}

static iw_status check_payloads(const partition_job *d)
{
  for (unsigned i = 1; i < items_of(d); i++) {
    const iw_payload *const p = &d->payloads[i - 1];
    if (p->width != 1 && p->width != 2 && p->width != 4 && p->width != 8 && p->width != 16)
      return iw_fail(IW_ERROR_INVALID, "payloads[%u].width is %zu; valid are 1, 2, 4, 8 and 16", i - 1, p->width);
    const iw_array in = iw_values(names[i][IN], p->in, d->n, p->width, IW_READ | IW_OPTIONAL);
    IW_TRY(iw_check_each_array(&in, 1));
    if (!p->in && p->width != 4 && p->width != 8)
      return iw_fail(IW_ERROR_INVALID, "payloads[%u].width is %zu, and payloads[%u].in is NULL: indices have 4 or 8 bytes", i - 1, p->width, i - 1);
    if (!p->in && p->width == 4 && d->n > (uint64_t)1 << 32)
      return iw_fail(IW_ERROR_OVERFLOW, "payloads[%u].width is 4 and n is %zu: indices of 32 bits number at most 4294967296 elements",
                     i - 1, d->n);
    if (p->rest && !d->wants_rejected)
      return iw_fail(IW_ERROR_INVALID, "payloads[%u].rest is %p; valid is NULL, as a selection has one output of each array", i - 1, p->rest);
  }
  return IW_OK;
}

/* Checks what can be checked before the number of selected elements is known. */
static IW_NOINLINE iw_status check(const partition_job *d, const iw_array *arrays)
{
  IW_TRY(iw_check_each_array(&arrays[ITEMS + IN], 1));
  IW_TRY(iw_check_each_array(&arrays[COUNT], 1));
  if (d->payload_count)
    IW_TRY(check_payloads(d));
  IW_TRY(iw_check_pair(&arrays[FLAGS], &arrays[COUNT]));
  for (unsigned i = 0; i < items_of(d); i++) {
    const iw_array *const a = arrays + ITEMS + OF_ITEM * i;
    IW_TRY(iw_check_pair(&a[IN], &arrays[COUNT]));
    if (a[IN].at == a[FRONT].at && a[IN].at && !a[REST].at)
      IW_TRY(iw_check_in_place(d->context, a[IN].name, a[IN].at, a[FRONT].name, a[FRONT].at, iw_bytes_of(&a[FRONT])));
  }
  return d->wants_rejected ? check_outputs(d, arrays) : IW_OK;
}

/* An upper bound of tiles. bytes: of the elements, of which each counts as 4 bytes at least. */
static size_t tiles_of(size_t bytes)
{
  return iw_ceil_div(bytes, IW_PARTITION_MIN_TILE_BYTES);
}

/* Words of group states, and of tile states and group states. */
static size_t group_words(size_t bytes)
{
  return 2 * iw_ceil_div(tiles_of(bytes), 32);
}
static size_t tile_state_words(size_t bytes)
{
  return tiles_of(bytes) + group_words(bytes);
}

/* The grid size for n elements of `size` bytes: at most one wave, and enough bytes for each block. */
static inline size_t blocks_of(const iw_context *context, const iw_kernel *kernel, size_t n, size_t size)
{
  const size_t wave = (size_t)context->device.processors * kernel->blocks_per_processor, bytes = n * size;
  return iw_min(iw_min(tiles_of(n * iw_max(size, 4)), wave), iw_most_blocks(&context->device, bytes, 1));
}

/* Sets where group states are, of args->n elements of `size` bytes. */
static void set_group_states(iw_partition_args *args, size_t size)
{
  args->group_states = args->tile_states + tiles_of(args->n * iw_max(size, 4));
}

/* Launches a kernel over args->n elements of `size` bytes. */
static iw_status launch(iw_context *context, const iw_kernel *kernel, iw_partition_args *args, size_t size)
{
  const size_t blocks = blocks_of(context, kernel, args->n, size);
  set_group_states(args, size);
  if (args->count_only)
    args->counted_blocks = blocks;
  return context->ops->launch(context, kernel, blocks, kernel->block, kernel->shared, args);
}

/* Adds up the block counts, on the host. */
static iw_status sum_block_counts(iw_context *context, const iw_partition_args *args, uint64_t *total)
{
  enum { SOME = 512 };
  uint64_t parts[SOME];
  *total = 0;
  for (uint64_t p = 0; p < args->counted_blocks; p += SOME) {
    const size_t some = iw_min(args->counted_blocks - p, SOME);
    IW_TRY(context->ops->copy(context, parts, args->block_counts + p, some * sizeof *parts));
    for (size_t i = 0; i < some; i++)
      *total += parts[i];
  }
  return IW_OK;
}

/* Flag bits by a kernel that makes nothing else. Bits past the last element are unspecified. */
static iw_status make_flag_bits(const partition_job *d, const iw_array *arrays, uint32_t *flag_bits)
{
  const value_order o = order_of(d->type);
  const rank_range ranks = ranks_of_range(&o, &d->range);
  const size_t chunks = iw_ceil_div(d->n, IW_FLAG_BITS_CHUNK), size = iw_type_size(d->type);
  const size_t max_blocks = iw_max(d->n * size / d->context->device.min_bytes_per_block, 1);
  return iw_launch_by_id(d->context, d->kernel_id, iw_min(iw_ceil_div(chunks, IW_FLAG_BITS_WARPS), max_blocks), 0, &(iw_flag_bits_args){
    .in = arrays[d->flags ? (unsigned)FLAGS : ITEMS + IN].kernel_ptr, .n = d->n, .chunks = chunks, .bits = flag_bits,
    .heads = (uint32_t)d->heads, .lo = ranks.lo, .hi = ranks.hi, .inverted = (uint32_t)d->range.inverted,
    .order = narrow_order_of(&o),
  });
}

/* The kernel that moves values of `width` bytes by flag bits. */
static iw_kernel_id bit_flags_kernel(size_t width)
{
  return width == 1 ? IW_K_partition_bit_flags_8 : width == 2 ? IW_K_partition_bit_flags_16
    : width == 4 ? IW_K_partition_bit_flags_32 : width == 8 ? IW_K_partition_bit_flags_64 : IW_K_partition_bit_flags_128;
}

/* The kernel of staged_runs.h, which only the staged agent has, for elements of 4 and 8 bytes. */
static int has_runs_kernel(const iw_context *context, iw_type type)
{
  return iw_type_size(type) >= 4 && !context->device.partition_rereads;
}
static iw_kernel_id runs_kernel(iw_type type)
{
  return iw_type_size(type) == 4 ? IW_K_partition_runs_32 : IW_K_partition_runs_64;
}

/* The kernel of agent_waiting.h in place of `id`. It moves one array, which is short; a user's kernel has no
 * such schedule. one_output: blocks wait for all others, which should run at the same time then. */
static iw_status find_short_kernel(const partition_job *d, iw_kernel_id id, int one_output, const iw_kernel **kernel)
{
  static const struct { uint32_t id, in_short; } kernels[] = {
#define SHORT(name) { IW_K_partition_##name, IW_K_partition_short_##name }
    SHORT(u32), SHORT(f32), SHORT(flags_32), SHORT(heads_32), SHORT(runs_32), SHORT(u64), SHORT(f64), SHORT(flags_64),
    SHORT(heads_64), SHORT(runs_64),
#undef SHORT
  };
  const size_t tiles = iw_ceil_div(d->n, IW_PARTITION_SHORT_TILE);
  *kernel = NULL;
  if (d->context->device.partition_rereads || d->kernel || tiles > IW_PARTITION_WAITED_TILES)
    return IW_OK;
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
    if (kernels[k].id == id && !(one_output && tiles > iw_blocks_per_wave(d->context, kernels[k].in_short)))
      return iw_find_kernel(d->context, kernels[k].in_short, kernel);
  return IW_OK;
}

/* Launches it. */
static iw_status launch_short(iw_context *context, const iw_kernel *kernel, size_t n, const void *args)
{
  return context->ops->launch(context, kernel, iw_ceil_div(n, IW_PARTITION_SHORT_TILE), kernel->block, kernel->shared, args);
}

/* Turns run begins into run lengths, by two launches. */
static iw_status convert_to_run_lengths(iw_context *context, size_t width, const iw_run_lengths_args *lengths)
{
  iw_run_lengths_args args = *lengths;
  const iw_kernel_id id = width == 4 ? IW_K_run_lengths_u32 : IW_K_run_lengths_u64;
  const size_t chunks = iw_ceil_div(args.n, IW_RUN_LENGTHS_CHUNK);
  const size_t blocks = iw_min(iw_ceil_div(chunks, IW_RUN_LENGTHS_WARPS), iw_max(args.n * width / context->device.min_bytes_per_block, 1));
  for (args.save_next = 1;; args.save_next = 0) {
    IW_TRY(iw_launch_by_id(context, id, blocks, 0, &args));
    if (!args.save_next)
      return IW_OK;
  }
}

/* Reports the count to a caller on the host, and trims the staged outputs, which are copied back, to it. */
static iw_status report_count(const partition_job *d, iw_array *arrays, int count_is_here, const uint64_t *count)
{
  iw_context *const context = d->context;
  uint64_t total;
  int wanted = !count_is_here;
  if (context->device.reads_host_memory) { /* all is the host's */
    *d->count = (size_t)*count;
    return IW_OK;
  }
  for (unsigned i = 0; i < items_of(d); i++) {
    const iw_array *const a = arrays + ITEMS + OF_ITEM * i;
    wanted |= a[FRONT].kernel_ptr != a[FRONT].at || a[REST].kernel_ptr != a[REST].at;
  }
  if (!wanted)
    return IW_OK;
  IW_TRY(context->ops->copy(context, &total, count, sizeof total));
  if (!count_is_here)
    *d->count = (size_t)total;
  for (unsigned i = 0; i < items_of(d); i++) {
    const iw_payload item = item_of(d, i);
    iw_array *const a = arrays + ITEMS + OF_ITEM * i;
    if (!d->wants_rejected || item.rest)
      set_values(&a[FRONT], (size_t)total, item.width);
    set_values(&a[REST], d->n - (size_t)total, item.width);
  }
  return IW_OK;
}

/* How a call is done: its kernel, what is launched, and what is in scratch memory. */
typedef struct schedule {
  const iw_kernel *kernel;  /* flags elements and moves them, or with separate_flags counts flag bits */
  size_t kernel_width;      /* bytes of what that kernel counts */
  size_t widest;            /* bytes of the widest item, at least 4: tile states are allocated for it */
  size_t copied;            /* bytes of the largest item that is moved in place, from a copy */
  int keeps_flag_bits;
  int checks_with_count;    /* outputs may be too small for all elements: the host needs the count before anything is moved */
  int counts;               /* a counting launch comes first */
  int writes_lengths;       /* one launch writes values and lengths of runs */
  const iw_kernel *short_kernel; /* moves a short array, and writes its lengths; or NULL */
  size_t copy_at, count_at, block_counts_at, marking_counts_at, flag_bits_at, next_at;
} schedule;

static iw_status make_schedule(partition_job *d, const iw_array *arrays, int count_is_here, schedule *s, iw_layout *layout)
{
  iw_context *const context = d->context;
  const size_t n = d->n, size = iw_type_size(d->type);
  const unsigned items = items_of(d);
  int one_output = 0;       /* an item whose rejected values go behind the selected ones */
  /* On a CPU payloads are moved as parts, which only the re-read agent counts: a predicate with another
   * agent only flags. */
  d->separate_flags |= d->needs_block_counts && items > 1 && context->device.partition_rereads;
  *s = (schedule){ .kernel = d->kernel, .kernel_width = d->separate_flags ? sizeof(uint32_t) : size, .widest = iw_max(size, 4),
                   .keeps_flag_bits = d->separate_flags || items > 1 };
  if (!s->kernel || d->separate_flags)
    IW_TRY(iw_find_kernel(context, d->separate_flags ? IW_K_partition_bit_flags_32 : d->kernel_id, &s->kernel));
  for (unsigned i = 0; i < items; i++) {
    const iw_payload item = item_of(d, i);
    const iw_array *const a = arrays + ITEMS + OF_ITEM * i;
    if (!is_moved(d, i))
      continue;
    s->widest = iw_max(s->widest, item.width);
    one_output |= d->wants_rejected && !item.rest;
    if (item.in && a[IN].kernel_ptr == a[FRONT].kernel_ptr)
      s->copied = iw_max(s->copied, n * item.width);
  }
  s->checks_with_count = !d->wants_rejected && !count_is_here && !iw_are_usable(arrays, ITEMS + OF_ITEM * items);
  if (d->lengths && has_runs_kernel(context, d->type) && !s->checks_with_count) {
    s->writes_lengths = 1;
    d->separate_flags = s->keeps_flag_bits = 0;
    IW_TRY(iw_find_kernel(context, runs_kernel(d->type), &s->kernel));
  }
  if (s->writes_lengths || (items == 1 && !d->separate_flags && !d->only_counts && !d->needs_block_counts))
    IW_TRY(find_short_kernel(d, s->writes_lengths ? runs_kernel(d->type) : d->kernel_id, one_output, &s->short_kernel));
  const int counts_itself = context->device.partition_rereads && !d->needs_block_counts && blocks_of(context, s->kernel, n, s->widest) == 1;
  const int only_payloads = !d->separate_flags && !is_moved(d, 0) && !s->writes_lengths; /* the counting launch is what makes their flag bits */
  s->counts = d->only_counts || s->checks_with_count || (one_output && !counts_itself && !s->short_kernel) || only_payloads;

  iw_layout_begin(layout, context);
  s->copy_at = iw_layout_add(layout, "a copy of an array in place", s->copied, 1);
  s->count_at = iw_layout_add(layout, "the count", 1, sizeof(uint64_t));
  s->block_counts_at = iw_layout_add(layout, "counts of blocks", s->counts ? blocks_of(context, s->kernel, n, s->kernel_width) : 0, sizeof(uint64_t));
  s->marking_counts_at = iw_layout_add(layout, "counts of blocks that make flags", d->separate_flags && d->kernel ? blocks_of(context, d->kernel, n, size) : 0, sizeof(uint64_t));
  s->flag_bits_at = iw_layout_add(layout, "flag bits", s->keeps_flag_bits ? iw_ceil_div(n, IW_PARTITION_MAX_TILE_ELEMENTS) : 0,
                                  IW_PARTITION_MAX_TILE_ELEMENTS / 8);
  s->next_at = iw_layout_add(layout, "begins of chunks", d->lengths && !s->writes_lengths ? iw_ceil_div(n, IW_RUN_LENGTHS_CHUNK) : 0, sizeof(uint64_t));
  return IW_OK;
}

/* Makes flag bits where a kernel of its own does so, and runs the counting launch. */
static iw_status flag_and_count(const partition_job *d, const schedule *s, const iw_array *arrays, char *base, iw_partition_args *args)
{
  if (d->separate_flags && d->kernel) {
    iw_partition_args marking = *args;
    marking.in = arrays[ITEMS + IN].kernel_ptr;
    marking.block_counts = (uint64_t *)(void *)(base + s->marking_counts_at);
    marking.count_only = 1;
    IW_TRY(launch(d->context, d->kernel, &marking, iw_type_size(d->type)));
  } else if (d->separate_flags)
    IW_TRY(make_flag_bits(d, arrays, args->flag_bits));
  if (s->counts) {
    args->count_only = 1;
    IW_TRY(launch(d->context, s->kernel, args, s->kernel_width));
    args->count_only = 0;
  }
  return IW_OK;
}

/* Checks outputs of just as many values as are selected. */
static iw_status check_outputs_of_count(const partition_job *d, iw_array *arrays, const iw_partition_args *args, uint64_t *total)
{
  IW_TRY(sum_block_counts(d->context, args, total));
  for (unsigned i = 0; i < items_of(d); i++)
    set_values(&arrays[ITEMS + OF_ITEM * i + FRONT], (size_t)*total, item_of(d, i).width);
  return check_outputs(d, arrays);
}

/* Moves item i: elements that the kernel tests, else values by flag bits. */
static iw_status move_item(const partition_job *d, const schedule *s, const iw_array *arrays, char *base, unsigned i, iw_partition_args *args)
{
  iw_context *const context = d->context;
  const iw_payload item = item_of(d, i);
  const iw_array *const a = arrays + ITEMS + OF_ITEM * i;
  const int tests = i == 0 && !d->separate_flags, halves = item.width == 16; /* 16 bytes move as two elements of 8 */
  const iw_kernel *mover = s->kernel;
  uint32_t *const flag_bits = s->keeps_flag_bits ? (uint32_t *)(void *)(base + s->flag_bits_at) : NULL;
  args->in = item.in ? a[IN].kernel_ptr : flag_bits;      /* indices are not read, but need an address */
  args->front = a[FRONT].kernel_ptr;
  args->rest = item.rest ? a[REST].kernel_ptr : NULL;
  args->index_input = !item.in;
  args->n = halves ? 2 * d->n : d->n;
  args->block_counts = d->wants_rejected && !item.rest ? (uint64_t *)(void *)(base + s->block_counts_at) : NULL;
  args->flag_bits = tests && s->counts ? NULL : flag_bits; /* the counting launch has stored them */
  args->nontemporal = d->n * item.width >= NONTEMPORAL_BYTES;
  if (args->in == args->front) {
    IW_TRY(context->ops->copy(context, base + s->copy_at, args->in, d->n * item.width));
    args->in = base + s->copy_at;
  }
  if (!tests)
    IW_TRY(iw_find_kernel(context, bit_flags_kernel(item.width), &mover));
  if (s->short_kernel)
    return launch_short(context, s->short_kernel, args->n, args);
  return launch(context, mover, args, halves ? item.width / 2 : item.width);
}

/* Launches a kernel that writes run heads, and lengths or begins of runs. args has all but the states of
 * groups. */
static iw_status launch_runs(iw_context *context, const iw_kernel *kernel, size_t size, iw_partition_runs_args *args)
{
  const size_t n = args->move.n;
  set_group_states(&args->move, size);
  args->last_states = args->move.group_states + group_words(n * size);
  return context->ops->launch(context, kernel, blocks_of(context, kernel, n, size), kernel->block, kernel->shared, args);
}

/* The words that it needs of tile states. */
static size_t run_state_words(size_t bytes)
{
  return tile_state_words(bytes) + group_words(bytes);
}

/* Writes values and lengths of runs by one launch. In place the elements come from a copy, as other blocks
 * read them. */
static iw_status write_runs(const partition_job *d, const schedule *s, const iw_array *arrays, char *base, const iw_partition_args *move)
{
  iw_partition_runs_args args = { .move = *move, .lengths = arrays[ITEMS + OF_ITEM + FRONT].kernel_ptr,
                                  .lengths_width = (uint32_t)d->payloads[0].width };
  args.move.in = arrays[ITEMS + IN].kernel_ptr;
  args.move.front = d->front ? arrays[ITEMS + FRONT].kernel_ptr : NULL;
  args.move.block_counts = NULL;
  if (args.move.in == args.move.front) {
    IW_TRY(d->context->ops->copy(d->context, base + s->copy_at, args.move.in, s->copied));
    args.move.in = base + s->copy_at;
  }
  return s->short_kernel ? launch_short(d->context, s->short_kernel, d->n, &args)
    : launch_runs(d->context, s->kernel, iw_type_size(d->type), &args);
}

/* The call, once its arrays are where kernels run. count_is_here: the caller's count, too. */
static iw_status partition_staged(partition_job *d, iw_array *arrays, int count_is_here)
{
  iw_context *const context = d->context;
  static const uint64_t zero = 0;
  schedule s;
  iw_layout layout;
  void *scratch, *tickets;
  uint64_t total;
  if (d->n == 0) {
    if (count_is_here)
      return context->ops->upload(context, d->count, &zero, sizeof zero);
    *d->count = 0;
    return IW_OK;
  }
  IW_TRY(make_schedule(d, arrays, count_is_here, &s, &layout));
  IW_TRY(iw_scratch(context, &layout, &scratch));
  char *const base = scratch;
  uint32_t *const flag_bits = s.keeps_flag_bits ? (uint32_t *)(void *)(base + s.flag_bits_at) : NULL;
  uint64_t *const count = (uint64_t *)(void *)(count_is_here ? (char *)d->count : base + s.count_at);
  iw_partition_args args = {
    .in = d->separate_flags ? flag_bits : arrays[ITEMS + IN].kernel_ptr, .flags = arrays[FLAGS].kernel_ptr, .n = d->n,
    .block_counts = (uint64_t *)(void *)(base + s.block_counts_at), .flag_bits = flag_bits,
    .lo = d->range.lo, .hi = d->range.hi, .inverted = (uint32_t)d->range.inverted,
  };
  const size_t most_bytes = d->n * s.widest;
  const size_t words = s.short_kernel ? iw_ceil_div(d->n, IW_PARTITION_SHORT_TILE)
    : s.writes_lengths ? run_state_words(most_bytes) : tile_state_words(most_bytes);
  IW_TRY(iw_tile_states(context, iw_max(words, s.counts ? tile_state_words(most_bytes) : 0), &tickets, &args.tile_states));
  args.tickets = tickets;
  if (s.writes_lengths) {
    args.count = count;
    IW_TRY(write_runs(d, &s, arrays, base, &args));
    return report_count(d, arrays, count_is_here, count);
  }
  IW_TRY(flag_and_count(d, &s, arrays, base, &args));
  if (d->only_counts) {
    IW_TRY(sum_block_counts(context, &args, &total));
    *d->count = (size_t)total;
    return IW_OK;
  }
  if (s.checks_with_count) {
    IW_TRY(check_outputs_of_count(d, arrays, &args, &total));
    if (total == 0) {
      *d->count = 0;
      return IW_OK;
    }
  }
  args.count = count;                                     /* the first launch that moves writes it */
  for (unsigned i = 0; i < items_of(d); i++)
    if (is_moved(d, i)) {
      IW_TRY(move_item(d, &s, arrays, base, i, &args));
      args.count = NULL;
    }
  if (d->lengths)
    IW_TRY(convert_to_run_lengths(context, d->payloads[0].width, &(iw_run_lengths_args){
      .runs = arrays[ITEMS + OF_ITEM + FRONT].kernel_ptr, .count = count, .n = d->n, .next = (uint64_t *)(void *)(base + s.next_at) }));
  return report_count(d, arrays, count_is_here, count);
}

/* Selects the backend of an AUTO context: a user's kernel runs on the one that it was built for. */
static iw_status choose(partition_job *d, const iw_array *arrays, unsigned count)
{
  return d->kernel ? iw_select_context_for_kernel(&d->context, d->kernel, arrays, count) : iw_select_context(&d->context, arrays, count);
}

static IW_NOINLINE iw_status partition_checked(partition_job *d, iw_array *arrays)
{
  const unsigned all = ITEMS + OF_ITEM * items_of(d);
  int count_is_here;
  IW_TRY(choose(d, arrays, all));
  IW_TRY(iw_is_accessible(d->context, &arrays[COUNT], &count_is_here));
  count_is_here &= !d->context->device.reads_host_memory;
  if (count_is_here && !d->wants_rejected)
    IW_TRY(check_outputs(d, arrays));
  IW_TRY(iw_stage_on(d->context, arrays + FLAGS, all - FLAGS));
  return iw_unstage(d->context, arrays + FLAGS, all - FLAGS, partition_staged(d, arrays, count_is_here));
}

/* Whether a call takes the small-n path: no payloads, work for a single block, all in host memory, no error
 * and nothing in place. check() and partition_checked() handle everything else and report errors, but take
 * longer (doc/design/cpu.md#small-calls). The list of arrays is made in registers, and only looked at. */
static inline IW_INLINED int is_small_of(const partition_job *d, size_t counts)
{
  const iw_context *const context = d->context;
  if (d->payload_count || d->separate_flags || d->needs_block_counts || d->only_counts || !context->device.reads_host_memory
      || context->device_ops || !d->n || d->n * iw_type_size(d->type) >= 2 * context->device.min_bytes_per_block)
    return 0;
  iw_array arrays[ITEMS + OF_ITEM];
  list_elements(d, counts, arrays);
  return iw_are_apart(arrays, ITEMS + OF_ITEM);
}
static IW_NOINLINE int is_small(const partition_job *d) { return is_small_of(d, 1); }
static IW_NOINLINE int is_small_of_three(const partition_job *d) { return is_small_of(d, 4); }

/* The small-n path: one launch of one block. */
static iw_status partition_small(const partition_job *d)
{
  iw_context *const context = d->context;
  const iw_kernel *kernel = d->kernel;
  const size_t bytes = d->n * iw_type_size(d->type), tiles = tiles_of(bytes);
  uint64_t total, *words;
  void *tickets;
  if (!kernel)
    IW_TRY(iw_find_kernel(context, d->kernel_id, &kernel));
  IW_TRY(iw_tile_states(context, tile_state_words(bytes), &tickets, &words));
  IW_TRY(context->ops->launch(context, kernel, 1, kernel->block, kernel->shared, &(iw_partition_args){
    .in = d->in, .flags = d->flags, .n = d->n, .front = d->front, .rest = d->rest, .tile_states = words,
    .group_states = words + tiles, .tickets = tickets, .count = &total,
    .block_counts = d->wants_rejected && !d->rest ? &total : NULL,
    .lo = d->range.lo, .hi = d->range.hi, .inverted = (uint32_t)d->range.inverted,
  }));
  *d->count = (size_t)total;
  return IW_OK;
}

/* ---- Tests ------------------------------------------------------------------------------------------- */

static int is_wide(iw_type type)
{
  return iw_type_size(type) == 8;
}

/* The kernel that tests elements by a range of values. */
static iw_kernel_id range_kernel(iw_type type)
{
  const iw_type_facts facts = iw_facts_of(type);
  switch (facts.bits) {
  case 8: return IW_K_range_flags_u8; /* of integers only */
  case 16: return IW_K_range_flags_u16;
  case 32: return facts.is_float ? IW_K_partition_f32 : IW_K_partition_u32;
  default: return facts.is_float ? IW_K_partition_f64 : IW_K_partition_u64;
  }
}

static iw_status check_predicate(iw_type type, const iw_predicate *predicate)
{
  if (predicate->size != sizeof *predicate)
    return iw_fail(IW_ERROR_MISMATCH, "the predicate was built with another version of isowarp's headers: it has %zu bytes, "
                   "this library's %zu", predicate->size, sizeof *predicate);
  IW_TRY(iw_check_kernel(predicate->partition));
  if (predicate->partition->args != sizeof(iw_partition_args))
    return iw_fail(IW_ERROR_MISMATCH, "kernel %s of predicate %s takes arguments of %zu bytes: this library's partitions have "
                   "%zu", predicate->partition->name, predicate->name, predicate->partition->args, sizeof(iw_partition_args));
  if (predicate->type != type)
    return iw_fail(IW_ERROR_INVALID, "test->type is %s, but predicate %s is for %s", iw_type_name(type), predicate->name,
                   iw_type_name(predicate->type));
  return IW_OK;
}

/* Makes d's range of bin `bin` of a plan, or keeps the bins that have none yet. */
static iw_status apply_bin_test(partition_job *d, const iw_histogram_spec *bins, size_t bin)
{
  IW_TRY(iw_fail_named(iw_check_spec(d->type, bins), "test->bins"));
  if (iw_spec_of(bins)->kind == IW_HISTOGRAM_MAP)
    return iw_fail(IW_ERROR_INVALID, "test->bins is a map, whose bins are no ranges of values; valid are bins with edges");
  const size_t count = iw_spec_of(bins)->bins;
  if (bin >= count)
    return iw_fail(IW_ERROR_INVALID, "test->bin is %zu; there are bins 0 to %zu", bin, count - 1);
  d->kernel_id = range_kernel(d->type);
  if (bins->plan) {
    d->range = range_of_bin(d->type, bins->plan, bin);
    return IW_OK;
  }
  d->bins = bins;
  d->bin = bin;
  return IW_OK;
}

/* Makes d test what `test` says, which is a struct of the right size. */
static iw_status apply_test(const iw_test *test, partition_job *d)
{
  IW_TRY(iw_check_named_type("test->type", test->type, IW_ALL_TYPES));
  const int given = (test->constant != NULL) + (test->flags != NULL) + (test->predicate != NULL) + (test->bins != NULL);
  if (given != 1 && (d->n || given))
    return iw_fail(IW_ERROR_INVALID, "test has %d of constant, flags, predicate and bins set; valid is exactly one", given);
  d->separate_flags = iw_type_size(d->type) < 4; /* the kernels that test and move at once are for 4 and 8 bytes */
  if (test->predicate) {
    IW_TRY(check_predicate(d->type, test->predicate));
    d->kernel = test->predicate->partition;
    d->needs_block_counts = !test->predicate->has_reread_schedule;
  } else if (test->bins)
    return apply_bin_test(d, test->bins, test->bin);
  else if (test->constant) {
    IW_TRY(iw_check_enum("test->compare", (int)test->compare, "iw_compare", IW_GREATER_EQUAL));
    IW_TRY(iw_check_single("test->constant", test->constant, iw_type_size(d->type)));
    range_of(&d->range, d->type, test->compare, test->constant);
    d->kernel_id = range_kernel(d->type);
  } else {
    d->flags = test->flags;
    d->separate_flags |= !is_moved(d, 0);
    d->kernel_id = d->separate_flags ? IW_K_pack_flags : is_wide(d->type) ? IW_K_partition_flags_64 : IW_K_partition_flags_32;
  }
  return IW_OK;
}

/* ---- The calls --------------------------------------------------------------------------------------- */

static inline partition_job partition_job_of(iw_context *context, iw_type type, const void *in, size_t n, int wants_rejected, void *front,
                                   void *rest, size_t *count, const iw_payload *payloads, size_t payload_count)
{
  return (partition_job){ .context = context, .type = type, .in = in, .n = n, .wants_rejected = wants_rejected, .front = front, .rest = rest,
                          .count = count, .payloads = payloads, .payload_count = payload_count, .element_payload = NO_PAYLOAD };
}

/* Finds the range of a bin whose bins have no plan yet. An automatic range reads the samples, so the arrays
 * have been checked. */
static IW_NOINLINE iw_status find_range(partition_job *d)
{
  iw_histogram_plan own;
  IW_TRY(iw_plan_resolve(d->context, d->type, d->in, d->n, d->bins, &own));
  if (d->n)
    d->range = range_of_bin(d->type, &own, d->bin);
  iw_plan_release(&own);
  return IW_OK;
}

/* Checks the arrays of a call and runs it. */
static IW_NOINLINE iw_status check_and_run_any(partition_job *d, int small)
{
  iw_array arrays[ARRAYS];
  list_arrays(d, arrays);
  if (!small)
    IW_TRY(check(d, arrays));
  if (d->bins)
    IW_TRY(find_range(d));
  return small ? partition_small(d) : partition_checked(d, arrays);
}
static inline iw_status check_and_run(partition_job *d)
{
  const int small = is_small(d);
  return small && !d->bins ? partition_small(d) : check_and_run_any(d, small);
}

static iw_status partition_by(partition_job *d, const iw_test *test)
{
  IW_TRY(apply_test(test, d));
  return check_and_run(d);
}

/* Reads a call's payloads, of which there are some, into d. copies: memory for them. */
static iw_status apply_payloads(const iw_move_options *options, partition_job *d, iw_payload copies[IW_MAX_PAYLOADS])
{
  IW_TRY(iw_read_payloads(options, copies));
  d->payloads = copies;
  d->payload_count = options->payload_count;
  if (d->front || d->rest)
    return IW_OK;
  for (size_t p = 0; p < d->payload_count && d->in; p++) /* item 0 moves the elements if a payload names these */
    if (copies[p].in == d->in && copies[p].width == iw_type_size(d->type)) {
      d->element_payload = p;
      d->front = copies[p].out;
      d->rest = copies[p].rest;
      break;
    }
  return IW_OK;
}

/* Reads a call's options without the payloads into d. */
static inline iw_status apply_options(const iw_move_options *options, partition_job *d)
{
  IW_TRY(iw_check_struct("options->size", options, "iw_move_options", sizeof *options));
  d->rest = options->rest;
  return !d->rest || d->wants_rejected ? IW_OK
    : iw_fail(IW_ERROR_INVALID, "options->rest is %p; valid is NULL, as a selection has one output of each array", options->rest);
}

static IW_NOINLINE iw_status partition_with_payloads(partition_job *d, const iw_test *test, const iw_move_options *options)
{
  iw_payload copies[IW_MAX_PAYLOADS];
  IW_TRY(apply_payloads(options, d, copies));
  return partition_by(d, test);
}

static inline iw_status partition_call(iw_context *context, const iw_test *test, const void *in, size_t n, int wants_rejected, void *out,
                                       size_t *count, const iw_move_options *options)
{
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_pointer("test", test));
  IW_TRY(iw_check_struct("test->size", test, "iw_test", sizeof *test));
  partition_job d = partition_job_of(context, test->type, in, n, wants_rejected, out, NULL, count, NULL, 0);
  if (options) {
    IW_TRY(apply_options(options, &d));
    if (options->payload_count)
      return partition_with_payloads(&d, test, options);
  }
  return partition_by(&d, test);
}

iw_status iw_partition(iw_context *context, const iw_test *test, const void *in, size_t n, void *out, size_t *count,
                       const iw_move_options *options)
{
  return partition_call(context, test, in, n, 1, out, count, options);
}

iw_status iw_select_if(iw_context *context, const iw_test *test, const void *in, size_t n, void *out, size_t *count,
                       const iw_move_options *options)
{
  return partition_call(context, test, in, n, 0, out, count, options);
}

iw_status iw_count_selected(iw_context *context, const iw_test *test, const void *in, size_t n, size_t *count)
{
  partition_job d = partition_job_of(context, test->type, in, n, 0, NULL, NULL, count, NULL, 0);
  d.only_counts = 1;
  return partition_by(&d, test);
}

/* The kernel that flags elements that differ from the one before. */
static iw_kernel_id heads_kernel(iw_type type)
{
  static const iw_kernel_id heads[] = { [1] = IW_K_heads_keys_8, [2] = IW_K_heads_keys_16, [4] = IW_K_heads_keys_32,
                                        [8] = IW_K_heads_keys_64 };
  return heads[iw_type_size(type)];
}

/* Selects the elements that differ from the one before: run heads. */
static iw_status select_heads(partition_job *d)
{
  IW_TRY(iw_check_context(d->context));
  IW_TRY(iw_check_type(d->type, IW_ALL_TYPES));
  d->heads = 1;
  d->separate_flags = iw_type_size(d->type) < 4 || !is_moved(d, 0);
  d->kernel_id = d->separate_flags ? heads_kernel(d->type) : is_wide(d->type) ? IW_K_partition_heads_64 : IW_K_partition_heads_32;
  return check_and_run(d);
}

iw_status iw_unique(iw_context *context, iw_type type, const void *in, size_t n, void *out, size_t *count,
                    const iw_move_options *options)
{
  iw_payload copies[IW_MAX_PAYLOADS];
  partition_job d = partition_job_of(context, type, in, n, 0, out, NULL, count, NULL, 0);
  if (options)
    IW_TRY(apply_options(options, &d));
  if (options && options->payload_count)
    IW_TRY(apply_payloads(options, &d, copies));
  return select_heads(&d);
}

iw_status iw_run_lengths(iw_context *context, iw_type type, const void *in, size_t n, void *values, iw_indices lengths, size_t *count)
{
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_indices("lengths", lengths, n, "n", n));
  const iw_payload runs = { .size = sizeof runs, .out = lengths.at, .width = lengths.width };
  partition_job d = partition_job_of(context, type, in, n, 0, values, NULL, count, &runs, 1);
  d.lengths = 1;
  return select_heads(&d);
}

/* ---- Runs, for other algorithms ---------------------------------------------------------------------- */

/* Moves the elements of `in` at head bits, or their indices if it is NULL. count: receives the number of
 * runs, or NULL. */
static iw_status move_by_head_bits(iw_context *context, const iw_runs *runs, const void *in, size_t width, void *out, uint64_t *count)
{
  const iw_kernel *kernel;
  void *tickets;
  iw_partition_args args = {
    .in = in ? in : runs->head_bits, .n = runs->n, .front = out, .count = count, .flag_bits = runs->head_bits,
    .nontemporal = runs->n * width >= NONTEMPORAL_BYTES, .index_input = !in,
  };
  IW_TRY(iw_find_kernel(context, bit_flags_kernel(width), &kernel));
  IW_TRY(iw_tile_states(context, tile_state_words(runs->n * iw_max(iw_type_size(runs->type), runs->width)), &tickets, &args.tile_states));
  args.tickets = tickets;
  return launch(context, kernel, &args, width);
}

size_t iw_layout_add_head_bits(iw_layout *layout, size_t n)
{
  return iw_layout_add(layout, "head bits", iw_ceil_div(n, IW_PARTITION_MAX_TILE_ELEMENTS), IW_PARTITION_MAX_TILE_ELEMENTS / 8);
}

iw_status iw_mark_runs(iw_context *context, const iw_runs *runs)
{
  const partition_job d = { .context = context, .type = runs->type, .n = runs->n, .flags = runs->is_flags ? runs->in : NULL,
                            .kernel_id = runs->is_flags ? IW_K_pack_flags : heads_kernel(runs->type), .heads = 1,
                            .element_payload = NO_PAYLOAD };
  const iw_array arrays[ITEMS + OF_ITEM] = { [FLAGS] = { .kernel_ptr = (void *)(uintptr_t)runs->in },
                                             [ITEMS + IN] = { .kernel_ptr = (void *)(uintptr_t)runs->in } };
  /* Kernels that move by the bits read those of whole tiles. */
  const size_t first_word = runs->n / 32, bits = iw_ceil_div(runs->n, IW_PARTITION_MAX_TILE_ELEMENTS) * IW_PARTITION_MAX_TILE_ELEMENTS;
  IW_TRY(context->ops->zero(context, runs->head_bits + first_word, (bits / 32 - first_word) * sizeof *runs->head_bits));
  return make_flag_bits(&d, arrays, runs->head_bits);
}

iw_status iw_find_runs(iw_context *context, const iw_runs *runs)
{
  return move_by_head_bits(context, runs, NULL, runs->width, runs->begins, runs->count);
}

iw_status iw_move_run_heads(iw_context *context, const iw_runs *runs, void *out)
{
  return move_by_head_bits(context, runs, runs->in, iw_type_size(runs->type), out, NULL);
}

int iw_finds_runs_at_once(const iw_context *context, const iw_runs *runs)
{
  return !runs->is_flags && has_runs_kernel(context, runs->type);
}

iw_status iw_find_runs_at_once(iw_context *context, const iw_runs *runs, void *out, uint64_t *zeroed)
{
  const iw_kernel *kernel;
  void *tickets;
  const size_t size = iw_type_size(runs->type);
  iw_partition_runs_args args = {
    .move = { .in = runs->in, .n = runs->n, .front = out, .count = runs->count },
    .lengths = runs->begins, .lengths_width = (uint32_t)runs->width, .begins = 1, .zeroed = zeroed,
  };
  IW_TRY(iw_find_kernel(context, runs_kernel(runs->type), &kernel));
  IW_TRY(iw_tile_states(context, run_state_words(runs->n * size), &tickets, &args.move.tile_states));
  args.move.tickets = tickets;
  return launch_runs(context, kernel, size, &args);
}

/* ---- Three ways -------------------------------------------------------------------------------------- */

/* Two launches: elements that are not less go to scratch, and are partitioned once more. */
static iw_status partition_three_small(partition_job d, const void *pivot, size_t *offsets)
{
  void *others;
  const size_t n = d.n;
  size_t less, equal = 0;
  IW_TRY(iw_scratch_array(d.context, "elements that are not less", d.n, iw_type_size(d.type), &others));
  range_of(&d.range, d.type, IW_LESS, pivot);
  d.rest = others;
  d.count = &less;
  IW_TRY(partition_small(&d));
  d.in = others;
  d.n -= less;
  d.front = (char *)d.front + less * iw_type_size(d.type);
  d.rest = NULL;
  d.count = &equal;
  range_of(&d.range, d.type, IW_EQUAL, pivot);
  if (d.n)
    IW_TRY(partition_small(&d));
  offsets[0] = 0;
  offsets[1] = less;
  offsets[2] = less + equal;
  offsets[3] = n;
  return IW_OK;
}

int iw_partition_three_small(iw_context *context, iw_type type, const void *in, size_t n, const void *pivot, void *out,
                             size_t *offsets, iw_status *status)
{
  partition_job d = partition_job_of(context, type, in, n, 1, out, NULL, offsets, NULL, 0);
  d.kernel_id = range_kernel(type);
  d.separate_flags = iw_type_size(type) < 4; /* is not small */
  if (!is_small_of_three(&d) || iw_overlap(out, n * iw_type_size(type), pivot, 1)) /* the second launch needs the pivot */
    return 0;
  *status = partition_three_small(d, pivot, offsets);
  return 1;
}

uint32_t iw_rank_of_narrow(iw_type type, const void *value, iw_narrow_order *order)
{
  const value_order o = order_of(type);
  const uint64_t bits = bits_at(&o, value);
  *order = narrow_order_of(&o);
  return is_nan(&o, bits) ? IW_NARROW_NAN : (uint32_t)rank_of(&o, bits);
}

/* Bin 0 is [lowest, pivot), bin 1 [pivot, pivot]. For a NaN all bins are empty. */
void iw_plan_of_pivot(iw_type type, const void *pivot, iw_scalar_bits edges[2], iw_histogram_plan *plan)
{
  const value_order o = order_of(type);
  const size_t size = iw_type_size(type);
  const iw_scalar_bits lowest = value_at_rank(&o, 0);
  iw_scalar_bits middle = { .u64 = 0 };
  memcpy(&middle, pivot, size);
  const int nan = is_nan(&o, bits_of(&o, middle));
  memcpy(edges, &lowest, size);
  memcpy((char *)edges + size, nan ? &lowest : &middle, size);
  *plan = (iw_histogram_plan){
    .type = type, .spec = { .size = sizeof plan->spec, .kind = IW_HISTOGRAM_EDGES, .bins = 2 },
    .binning = { .mode = IW_BINNING_SEARCH, .bins = 2, .steps = 1, .bottom = nan ? value_at_rank(&o, highest_rank(&o)) : lowest,
                 .top = nan ? lowest : middle },
    .edges = edges, .edges_bytes = 2 * size,
  };
}
