// SPDX-License-Identifier: Apache-2.0
//
// Partition, select and multisplit on the CPU, beside plain loops and the algorithms of the standard library.
#include <execution>
#include "cpu.h"

static char *rest;          // the second output: rejected elements, or the values of pairs
static size_t rest_bytes;
static size_t selected;     // number of elements in front
static size_t offsets[257];

static void make_rest()
{
  if (!rest) rest = cpu_memory(rest_bytes);
}

// Changes one byte of each page, so that the digest of an earlier benchmark's result is not accepted.
static void spoil(char *p, size_t bytes)
{
  for (size_t i = 0; i < bytes; i += 4096) p[i] = (char)~p[i];
}

static const uint8_t *flags(int percent, bench_spread spread, size_t n)
{
  static std::map<std::string, std::pair<uint8_t *, size_t>> cache;
  const std::string length = spread == BENCH_SORTED ? std::to_string(n) : "";
  auto &array = cache[std::to_string(percent) + bench_spread_name(spread) + length];
  if (array.second < n) {
    settle(OPENMP);
    std::free(array.first);
    array = { (uint8_t *)cpu_memory(n), n };
#pragma omp parallel for
    for (size_t i = 0; i < n; i++) array.first[i] = bench_draw(spread, i, n) < bench_pivot(percent);
  }
  return array.first;
}

// The arrays of a case: y receives the selected elements, z the others if there are two outputs.
template <class T> struct arrays {
  const T *x;
  T *y, *z;
  const uint8_t *flag;
  T pivot;
};

template <class T> static arrays<T> arrays_of(const bench_part &part, size_t n)
{
  make_rest();
  const bool by_flags = part.family == "select_flags";
  spoil(cpu_out, n * sizeof(T));
  spoil(rest, n * sizeof(T));
  const uint8_t *const flag = by_flags ? flags(part.percent, part.spread, n) : nullptr;
  return { samples<T>(part.spread, n), (T *)cpu_out, (T *)rest, flag,
           bench_value<T>(bench_pivot(part.percent), 0) };
}

// The digest of the selected elements, then the others, wherever they were written.
template <class T> static uint64_t digest(const bench_part &part, size_t n)
{
  const uint64_t front = digest_of((const T *)cpu_out, selected, 0);
  if (part.family == "partition")
    return front + digest_of((const T *)cpu_out + selected, n - selected, selected);
  if (part.family == "partition_two") return front + digest_of((const T *)rest, n - selected, selected);
  return front + selected;
}

// run(a) does the case with its arrays.
template <class T, class F> static void add_part(const bench_part &part, const std::string &what,
                                                 const std::string &who, team team, size_t n, F run)
{
  const bool select = !part.family.compare(0, 6, "select"), by_flags = part.family == "select_flags";
  const size_t bytes = n * sizeof(T) + (select ? n * part.percent / 100 : n) * sizeof(T) + by_flags * n;
  add_checked({ what, part.type, who, team, n, bytes }, [=]() -> std::function<void()> {
    const arrays<T> a = arrays_of<T>(part, n);
    return [=] { run(a); };
  }, [=] { return digest<T>(part, n); });
}

template <class T> static void add_ours(const bench_part &part, const std::string &what,
                                        const std::string &isa, int threads, size_t n)
{
  const bool select = !part.family.compare(0, 6, "select"), two = part.family == "partition_two";
  // Opened outside the timed call, because finding the context takes as long as a small call.
  iw_context *const c = open_context(isa, threads);
  add_part<T>(part, what, "isowarp-" + isa, { OPENMP, threads }, n, [=](const arrays<T> &a) {
    iw_test test = {};
    test.size = sizeof test;
    test.type = bench_type<T>::type;
    iw_move_options options = {};
    options.size = sizeof options;
    options.rest = two ? a.z : nullptr;
    test.compare = IW_LESS;
    if (a.flag) test.flags = a.flag;
    else test.constant = &a.pivot;
    if (select) MUST(iw_select_if(c, &test, a.x, n, a.y, &selected, NULL));
    else MUST(iw_partition(c, &test, a.x, n, a.y, &selected, &options));
  });
}

template <class T>
__attribute__((noinline)) static size_t plain_two(const T *x, size_t n, T pivot, T *front, T *rest)
{
  size_t k = 0;
  for (size_t i = 0; i < n; i++)
    if (x[i] < pivot) front[k++] = x[i];
    else *rest++ = x[i];
  return k;
}

template <class T> __attribute__((noinline)) static size_t plain_select(const T *x, size_t n, T pivot, T *out)
{
  size_t k = 0;
  for (size_t i = 0; i < n; i++)
    if (x[i] < pivot) out[k++] = x[i];
  return k;
}

template <class T> __attribute__((noinline)) static size_t plain_one(const T *x, size_t n, T pivot, T *out)
{
  const size_t k = plain_select(x, n, pivot, out);
  for (size_t i = 0, at = k; i < n; i++)
    if (!(x[i] < pivot)) out[at++] = x[i];
  return k;
}

// The standard library's algorithm: serial, or parallel with the policy std::execution::par.
template <class T, class... P>
static void add_std(const bench_part &part, const std::string &who, team team, size_t n, P... policy)
{
  const std::string family = part.family;
  add_part<T>(part, part.what(), who, team, n, [=](const arrays<T> &a) {
    const auto less = [pivot = a.pivot](const T &v) { return v < pivot; };
    if (family == "partition") { // works in place, so the input is copied first
      std::copy(policy..., a.x, a.x + n, a.y);
      selected = std::stable_partition(policy..., a.y, a.y + n, less) - a.y;
    } else if (family == "partition_two") {
      selected = std::partition_copy(policy..., a.x, a.x + n, a.y, a.z, less).first - a.y;
    } else if (family == "select") {
      selected = std::copy_if(policy..., a.x, a.x + n, a.y, less) - a.y;
    } else { // the predicate finds an element's flag by the element's address
      const auto flagged = [x = a.x, flag = a.flag](const T &v) { return flag[&v - x] != 0; };
      selected = std::copy_if(policy..., a.x, a.x + n, a.y, flagged) - a.y;
    }
  });
}

template <class T>
static void add_case(const bench_settings &settings, const bench_part &part, size_t n, bool peers)
{
  if (peers && sizeof(T) == 4 && part.spread == BENCH_UNIFORM) add_std<T>(part, "std", { SERIAL, 1 }, n);
  for (int threads : thread_counts(settings, false)) {
    if (sizeof(T) == 8 && threads != settings.threads.back()) continue;
    for (const std::string &isa : settings.isas)
      if (isa != "generic" || n <= (size_t)1 << 20) add_ours<T>(part, part.what(), isa, threads, n);
    if (peers) add_std<T>(part, "std-par", { TBB, threads }, n, std::execution::par);
  }
}

// ---- Multisplit ---------------------------------------------------------------------------------------

// Counts, then scatters. PAIRS: the values v move with the elements x.
template <bool PAIRS>
__attribute__((noinline)) static void plain_split(const bench_split &split, const uint32_t *x,
                                                  const uint32_t *v, size_t n, uint32_t *out,
                                                  uint32_t *values)
{
  const unsigned shift = 32 - split.bits();
  size_t at[257] = {};
  for (size_t i = 0; i < n; i++) at[(x[i] >> shift) + 1]++;
  for (size_t k = 0; k < split.buckets; k++) at[k + 1] += at[k];
  for (size_t i = 0; i < n; i++) {
    const size_t to = at[x[i] >> shift]++;
    out[to] = x[i];
    if (PAIRS) values[to] = v[i];
  }
}

// run(x) splits the elements x; the values of pairs are in cpu_in and go to rest.
template <class F>
static void add_split(const bench_split &split, const std::string &who, team team, size_t n, F run)
{
  add_checked(
      { split.what(), "u32", who, team, n, split.bytes(n) },
      [=]() -> std::function<void()> {
        const uint32_t *const x = samples<uint32_t>(split.spread, n);
        make_rest();
        spoil(cpu_out, 4 * n);
        spoil(rest, 4 * n);
        return [=] { run(x); };
      },
      [=] {
        return digest_of((const uint32_t *)cpu_out, n, 0)
               + (split.pairs() ? digest_of((const uint32_t *)rest, n, n) : 0);
      });
}

static void add_plain_split(const bench_split &split, size_t n)
{
  add_split(split, "plain", { SERIAL, 1 }, n, [=](const uint32_t *x) {
    const auto plain = split.pairs() ? plain_split<true> : plain_split<false>;
    plain(split, x, (const uint32_t *)cpu_in, n, (uint32_t *)cpu_out, (uint32_t *)rest);
  });
}

static void add_our_split(const bench_split &split, const std::string &isa, int threads, size_t n)
{
  iw_context *const c = open_context(isa, threads);
  iw_buckets buckets = {};
  buckets.size = sizeof buckets;
  buckets.type = IW_U32;
  static std::list<iw_histogram_spec> specs; // iw_buckets.bins points to them
  if (split.bins()) {
    specs.push_back(iw_spec_of_plan(bench_plan(c, split.what(), bench_spec(split), nullptr, 0)));
    buckets.bins = &specs.back();
  }
  else buckets.bits = split.bits(), buckets.bit = 32 - buckets.bits;
  add_split(split, "isowarp-" + isa, { OPENMP, threads }, n, [=](const uint32_t *x) {
    const iw_payload moved[] = { { sizeof *moved, x, cpu_out, NULL, 4 },
                                 { sizeof *moved, cpu_in, rest, NULL, 4 } };
    iw_move_options options = {};
    options.size = sizeof options;
    options.payloads = moved;
    options.payload_count = 2;
    if (split.pairs())
      MUST(iw_multisplit(c, &buckets, x, n, NULL, offsets, &options));
    else
      MUST(iw_multisplit(c, &buckets, x, n, cpu_out, offsets, NULL));
  });
}

static void add_splits(const bench_settings &settings, const bench_split &split, size_t n)
{
  if (split.buckets == 256) add_plain_split(split, n);
  for (int threads : thread_counts(settings, false))
    for (const std::string &isa : settings.isas)
      if (isa != "generic" || n <= (size_t)1 << 20) add_our_split(split, isa, threads, n);
}

void add_partitions(const bench_settings &settings)
{
  rest_bytes = std::max((size_t)8 << settings.sizes.back(), (size_t)1 << 20);
  for (int lg : settings.sizes) {
    const size_t n = (size_t)1 << lg;
    const bench_extent extent = bench_extent_of(settings, lg);
    for (const bench_part &part : bench_partitions(extent)) {
      const bool peers = part.percent == 50 && part.spread != BENCH_SORTED;
      if (part.type == "f32") add_case<float>(settings, part, n, peers);
      else add_case<uint64_t>(settings, part, n, peers && part.spread == BENCH_UNIFORM);
    }
    for (const bench_split &split : bench_splits(extent)) add_splits(settings, split, n);
  }
  // A call beside the loop, for small n.
  const std::string &best = settings.isas.back();
  const int threads = settings.threads.back();
  for (size_t n : bench_small_sizes()) {
    const bench_part two = { "partition_two", "f32", 50, BENCH_UNIFORM };
    const bench_part select = { "select", "f32", 50, BENCH_UNIFORM };
    add_part<float>(two, "small_partition_two", "plain", { SERIAL, 1 }, n,
                    [=](const arrays<float> &a) { selected = plain_two(a.x, n, a.pivot, a.y, a.z); });
    add_part<float>(select, "small_select", "plain", { SERIAL, 1 }, n,
                    [=](const arrays<float> &a) { selected = plain_select(a.x, n, a.pivot, a.y); });
    const bench_part one = { "partition", "f32", 50, BENCH_UNIFORM };
    const bench_split split = { "small_multisplit", 256, BENCH_UNIFORM };
    add_part<float>(one, "small_partition", "plain", { SERIAL, 1 }, n,
                    [=](const arrays<float> &a) { selected = plain_one(a.x, n, a.pivot, a.y); });
    add_plain_split(split, n);
    add_ours<float>(one, "small_partition", best, threads, n);
    add_ours<float>(two, "small_partition_two", best, threads, n);
    add_ours<float>(select, "small_select", best, threads, n);
    add_our_split(split, best, threads, n);
  }
}
