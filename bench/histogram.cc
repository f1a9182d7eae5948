// SPDX-License-Identifier: Apache-2.0
//
// Histograms on the CPU, with a plan that is made once, beside a plain loop, and that loop with OpenMP's
// array reduction. All decide bins by their edges. numpy_peer.py adds NumPy's times.
#include "cpu.h"

enum {
  MAX_BINS = 1 << 20,
  MAX_OPENMP_BINS = 65536 // OpenMP keeps private copies of the array on the threads' stacks
};
static uint64_t counts[MAX_BINS];

// ---- The peers ----------------------------------------------------------------------------------------

// A peer's binning rule. even_bins guesses a bin and corrects the guess by comparisons with the edges.
struct even_bins {
  const float *edges;
  size_t bins;
  float lo, hi, scale;
  explicit even_bins(size_t bins) : edges(bench_edges(bins).data()), bins(bins), lo(BENCH_LO), hi(BENCH_HI)
  {
    scale = (float)((double)bins / ((double)hi - lo));
  }
  template <class C> void count(float x, C *into) const
  {
    if (!(x >= lo && x < hi)) return;
    size_t k = std::min((size_t)((x - lo) * scale), bins - 1);
    while (x < edges[k]) k--;
    while (x >= edges[k + 1]) k++;
    into[k]++;
  }
};
struct byte_bins {
  int shift;
  explicit byte_bins(size_t bins) : shift(bins == 256 ? 0 : 4) {}
  template <class C> void count(uint8_t x, C *into) const { into[x >> shift]++; }
};
struct letters {
  explicit letters(size_t) {}
  template <class C> void count(uint8_t x, C *into) const
  {
    if (x >= 'a' && x <= 'z') into[(x - 'a') / 4]++;
  }
};

template <class B, class T>
__attribute__((noinline)) static void plain_histogram(const B &rule, size_t bins, const T *x, size_t n)
{
  std::fill(counts, counts + bins, 0);
  for (size_t i = 0; i < n; i++) rule.count(x[i], counts);
}

template <class B, class T>
static void omp_histogram(const B &rule, size_t bins, int threads, const T *x, size_t n)
{
  uint64_t *sums = counts; // not const, because OpenMP reduces variables only
  std::fill(sums, sums + bins, 0);
#pragma omp parallel for reduction(+ : sums[:bins]) num_threads(threads)
  for (size_t i = 0; i < n; i++) rule.count(x[i], sums);
}

// ---- The cases ----------------------------------------------------------------------------------------

static uint64_t digest(size_t bins) { return digest_of(counts, bins, 0); }

// Overwrites the result of the benchmark before.
static void spoil(size_t bins) { std::fill(counts, counts + bins, ~(uint64_t)0); }

template <class T> static const T *samples_of(const bench_bins &bins, size_t n)
{
  return samples<T>(bins.spread, n, bins.spread == BENCH_EDGES ? bins.bins : 0);
}

template <class T> static void add_ours(const bench_bins &bins, const std::string &what,
                                        const std::string &isa, int threads, size_t n)
{
  const checked c = { what, bins.type, "isowarp-" + isa, { OPENMP, threads }, n, n * sizeof(T) };
  add_checked(c, [=]() -> std::function<void()> {
    const T *const x = samples_of<T>(bins, n);
    iw_context *const context = open_context(isa, threads);
    const iw_histogram_plan *const plan = bench_plan(context, c.name(), bench_spec(bins), x, n);
    spoil(bins.bins);
    return [=] { MUST(bench_histogram(context, plan, x, n, counts)); };
  }, [=] { return digest(bins.bins); });
}

// run(rule, x) counts the samples x by a peer's rule.
template <class B, class T, class F>
static void add_peer(const bench_bins &bins, const std::string &what, const std::string &who, team team,
                     size_t n, F run)
{
  add_checked({ what, bins.type, who, team, n, n * sizeof(T) }, [=]() -> std::function<void()> {
    const T *const x = samples_of<T>(bins, n);
    const B rule(bins.bins);
    spoil(bins.bins);
    return [=] { run(rule, x); };
  }, [=] { return digest(bins.bins); });
}

template <class B, class T> static void add_plain(const bench_bins &bins, const std::string &what, size_t n)
{
  add_peer<B, T>(bins, what, "plain", { SERIAL, 1 }, n,
                 [=](const B &rule, const T *x) { plain_histogram(rule, bins.bins, x, n); });
}

template <class B, class T> static void add_openmp(const bench_bins &bins, int threads, size_t n)
{
  add_peer<B, T>(bins, bins.what(), "openmp", { OPENMP, threads }, n,
                 [=](const B &rule, const T *x) { omp_histogram(rule, bins.bins, threads, x, n); });
}

template <class B, class T>
static void add_case(const bench_settings &settings, const bench_bins &bins, size_t n)
{
  // Peers take most of the time, so few cases have them.
  const bool peers = bins.spread == BENCH_UNIFORM || bins.bins == 256 || settings.all_cases;
  if (peers) add_plain<B, T>(bins, bins.what(), n);
  for (int threads : thread_counts(settings, bins.bins == 256 && bins.spread == BENCH_UNIFORM)) {
    for (const std::string &isa : settings.isas)
      if (isa != "generic" || n <= (size_t)1 << 20)
        add_ours<T>(bins, bins.what(), isa, threads, n);
    if (peers && bins.bins <= MAX_OPENMP_BINS) add_openmp<B, T>(bins, threads, n);
  }
}

void add_histograms(const bench_settings &settings)
{
  for (int lg : settings.sizes)
    for (const bench_bins &bins : bench_histograms(bench_extent_of(settings, lg))) {
      const size_t n = (size_t)1 << lg;
      if (bins.type == "f32") add_case<even_bins, float>(settings, bins, n);
      else if (bins.bins == 7) add_case<letters, uint8_t>(settings, bins, n);
      else add_case<byte_bins, uint8_t>(settings, bins, n);
    }
  const std::string &best = settings.isas.back();
  const int threads = settings.threads.back();
  // A call with a plan beside the loop, for small n.
  for (size_t n : bench_small_sizes()) {
    const bench_bins bins = { "f32", 256, BENCH_UNIFORM };
    add_plain<even_bins, float>(bins, "small_histogram", n);
    add_ours<float>(bins, "small_histogram", best, threads, n);
  }
}
