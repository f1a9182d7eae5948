/* SPDX-License-Identifier: Apache-2.0
 *
 * What the distributed calls share: a handle and its memory, agreements of all ranks, and collectives that
 * stage what the peers cannot reach. Algorithms layer, above the algorithms: it uses their calls and has no
 * kernels. It must not know an adapter.
 *
 * Every distributed call is a sequence of steps that all ranks take together. Between two collectives a
 * rank works alone and may fail; it notes that in its iw_step and goes on to the next agreement (iw_agree),
 * where all ranks learn of it and return. So no rank ever waits for one that has left.
 */
#ifndef IW_ALGORITHMS_DISTRIBUTED_H
#define IW_ALGORITHMS_DISTRIBUTED_H

#include <isowarp/peers.h>

#include "algorithms/common/args.h"
#include "runtime/check.h"
#include "runtime/context.h"

/* IW_CARRIED_BYTES: what all ranks together can add to an agreement. It holds the aggregates of 2^14 groups
 * of f32, which are 8 GiB of elements. */
enum { IW_AGREED_WORDS = 14, IW_OWN_WORDS = 6, IW_MESSAGE_BYTES = 256, IW_CARRIED_BYTES = 1 << 16, IW_MOST_MESSAGES = 32 };

/* What a rank says of itself in an agreement. */
typedef struct iw_record {
  uint64_t call;                     /* the distributed call, and which of its agreements this is */
  uint64_t status;                   /* the iw_status of what this rank has done so far */
  uint64_t agreed[IW_AGREED_WORDS];  /* arguments that have to be equal on all ranks */
  uint64_t own[IW_OWN_WORDS];        /* what the other ranks need to know of this one */
} iw_record;

/* A part of an array: its first element's global index and its length. */
typedef struct iw_range { uint64_t begin, n; } iw_range;

/* Memory that the handle keeps for its calls. Each slot grows to the largest size that was asked for. */
typedef enum iw_slot_name {
  IW_SLOT_RECORDS,      /* device copies of records, for peers that cannot reach host memory */
  IW_SLOT_TAIL_IN, IW_SLOT_TAIL_OUT, /* a group that is on several ranks, and its outputs */
  IW_SLOT_WORDS, IW_SLOT_GATHERED,   /* this rank's aggregates or counters, and those of all ranks */
  IW_SLOT_TAIL_LABELS, IW_SLOT_GROUP, /* its flags or keys; two groups in work */
  IW_SLOT_PARTS,        /* elements before or after they change their rank */
  IW_SLOT_PLACES,       /* where the elements of a split go; the caller's counters */
  IW_SLOT_STAGED_SEND, IW_SLOT_STAGED_RECEIVE,
  IW_SLOTS
} iw_slot_name;
typedef struct iw_slot { void *memory; size_t bytes; iw_context *context; /* NULL: host memory */ } iw_slot;

struct iw_distributed {
  iw_context *context;
  iw_context *device;   /* for staging, if the peers cannot reach host memory; else NULL */
  iw_context *exchange_device; /* the peers exchange arrays in its memory, NULL: host memory; all ranks have one, or none */
  iw_peers peers;
  int failed;           /* a function of the peers has failed: the ranks may be out of step */
  iw_record *records;   /* of all ranks, after an agreement */
  iw_range *from, *to;  /* `count` each */
  /* IW_MOST_MESSAGES * `count` each, as in iw_all_to_all. receive_bytes: also the sizes of an all-gather. */
  size_t *send_bytes, *send_offsets, *receive_bytes, *receive_offsets;
  size_t *gather_bytes; /* `count`, for iw_agree_and_gather */
  char *own_message, *messages; /* records with what they carry: of this rank, and of all */
  iw_scalar_bits *values; /* 2 * count */
  iw_slot slots[IW_SLOTS];
};

/* ---- Steps and agreements --------------------------------------------------------------------------- */

/* How a word is written in a message. */
typedef enum iw_word_form { IW_WORD_NUMBER, IW_WORD_TYPE, IW_WORD_HEX, IW_WORD_HASH } iw_word_form;

/* A distributed call that runs on this rank. */
typedef struct iw_step {
  iw_distributed *handle;
  iw_context *context;  /* of the call: the handle's, or on an AUTO context that of the device */
  const char *name;     /* of the call */
  iw_status status;     /* the first failure of this rank */
  char message[IW_MESSAGE_BYTES];
  unsigned words;
  const char *names[IW_AGREED_WORDS];
  iw_word_form forms[IW_AGREED_WORDS];
  iw_record record;     /* of this rank, for the next agreement */
} iw_step;

/* Begins a call. Fails only if this rank cannot take part: without a handle, or after the peers have
 * failed. */
iw_status iw_step_begin(iw_step *step, iw_distributed *handle, const char *name);
/* As iw_step_begin() for a handle that is being opened. */
void iw_step_init(iw_step *step, iw_distributed *handle, const char *name);
/* Notes the status of this rank's own work; the first failure stays. Returns whether there was none so
 * far. */
int iw_step_note(iw_step *step, iw_status status);
/* Does an expression that returns a status, unless this rank has failed before. */
#define IW_STEP(step, expression) ((void)((step)->status == IW_OK && iw_step_note((step), (expression))))
/* Adds an argument that has to be equal on all ranks. name: a string literal. */
void iw_step_word(iw_step *step, const char *name, iw_word_form form, uint64_t value);
/* Adds the bits of a single value, and of an array or a name by their hash. */
void iw_step_value(iw_step *step, const char *name, iw_type type, const void *value);
void iw_step_hash(iw_step *step, const char *name, const void *bytes, size_t count);
/* An agreement: all ranks learn all records, which are in handle->records afterwards. Returns IW_OK if no
 * rank has failed and all words are equal; else an error on every rank. The words stay for the call's next
 * agreement. */
iw_status iw_agree(iw_step *step);
/* The last agreement of a call, after this rank's work is done, also what its stream has still to do. */
iw_status iw_finish(iw_step *step);
/* An agreement, and if it returns IW_OK an all-gather of host memory, whose sizes are in
 * handle->gather_bytes. They are one collective if all ranks together send at most IW_CARRIED_BYTES, else
 * two. Their memory is reserved by iw_gather_reserve. send and receive may be NULL if this rank has
 * failed. */
iw_status iw_agree_and_gather(iw_step *step, const void *send, void *receive);
/* Sets ranges[r] to where rank r's part begins if its length is own word `word`. Returns the length of the
 * whole. */
uint64_t iw_ranges_of(const iw_step *step, unsigned word, iw_range *ranges);

/* ---- Memory ----------------------------------------------------------------------------------------- */

/* Sets *memory to at least `bytes` bytes. context: where its kernels run, or NULL for host memory. */
iw_status iw_slot_memory(iw_step *step, iw_slot_name slot, iw_context *context, size_t bytes, void **memory);
/* Arrays in the memory of a slot begin at multiples of 256 bytes. */
static inline size_t iw_padded(size_t bytes) { return (bytes + 255) / 256 * 256; }
/* Sets step->context to the device context of an AUTO context if one of the arrays is device memory. */
iw_status iw_step_select(iw_step *step, const void *a, size_t a_bytes, const void *b, size_t b_bytes);

/* ---- Collectives ------------------------------------------------------------------------------------ */

/* They return an error only if the peers have failed; what this rank alone has failed in is noted in the
 * step. Memory is reserved by the functions with _reserve in their names, whose failure has to be agreed on
 * before. */

/* All-gather of host memory, whose sizes are in handle->receive_bytes. */
iw_status iw_gather_reserve(iw_step *step, size_t own_bytes, size_t all_bytes);
iw_status iw_gather(iw_step *step, const void *send, void *receive);
/* All-reduce of n words in host memory. */
iw_status iw_all_reduce_reserve(iw_step *step, size_t n);
iw_status iw_all_reduce(iw_step *step, uint64_t *values, size_t n);
/* All-to-all of the sizes and offsets in the handle, all within the first send_bytes and receive_bytes of
 * two arrays in host or device memory. */
typedef struct iw_exchange {
  const void *send;
  void *receive;
  size_t send_bytes, receive_bytes;
  int on_device;                     /* whether the peers get device memory */
  int stages_send, stages_receive;   /* whether they get a copy instead of the array */
  int beside;                        /* calls of the context that follow may run beside it, until iw_exchange_join() */
} iw_exchange;
iw_status iw_exchange_reserve(iw_step *step, iw_exchange *exchange);
/* messages: at most IW_MOST_MESSAGES. */
iw_status iw_exchange_run(iw_step *step, const iw_exchange *exchange, unsigned messages);
/* The context's calls that follow wait for all exchanges so far. */
void iw_exchange_join(iw_step *step);
/* The elements that two ranges have both, and where these begin. */
uint64_t iw_range_overlap(const iw_range *a, const iw_range *b, uint64_t *begin);
/* Sets the handle's sizes for an exchange in which rank r's elements have the global places handle->from[r]
 * and go to the ranks that have these places in handle->to. send_offset: of this rank's first element, in
 * bytes. */
void iw_plan_moves(iw_distributed *handle, size_t size, size_t send_offset);

/* ---- Arguments -------------------------------------------------------------------------------------- */

/* Adds the words of a spec that has been checked (unless the step has failed). */
void iw_step_spec(iw_step *step, iw_type type, const iw_histogram_spec *spec);
/* If a checked spec asks for the range of the data: sets own words 1 and 2 to the extremes of this rank's
 * samples for the next agreement. Own word 0 is n. */
iw_status iw_find_extremes(iw_step *step, iw_type type, const void *samples, size_t n,
                           const iw_histogram_spec *spec);
/* After that agreement: the automatic range of the whole array, of handle->records. */
iw_status iw_range_of_extremes(iw_step *step, iw_type type, void *lo, void *hi);
/* After that agreement: *ranged = the spec, with the range of the whole array in *lo and *hi if it was
 * automatic. */
iw_status iw_range_spec(iw_step *step, iw_type type, const iw_histogram_spec *spec,
                        iw_histogram_spec *ranged,
                        iw_scalar_bits *lo, iw_scalar_bits *hi);

#endif
