/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of histograms.h in C++: specs, plans, histograms, tables, and ranges that grow. The rules of
 * isowarp.hpp hold, which includes this header.
 */
#ifndef ISOWARP_HISTOGRAMS_HPP
#define ISOWARP_HISTOGRAMS_HPP

#include <isowarp/context.hpp>
#include <isowarp/histograms.h>

namespace isowarp {
inline namespace ISOWARP_VARIANT_ {

/* ---- Histograms -------------------------------------------------------------------------------------- */

template <class T> class histogram_plan;

/* counter_width follows from the type of counts, but a plan has to have it. */
template <class T> struct histogram_spec {
  iw_histogram_kind kind = IW_HISTOGRAM_EVEN;
  size_t bins = 0;
  std::optional<T> lo = {}, hi = {};
  const T *edges = nullptr;
  const uint16_t *map = nullptr;
  iw_policy policy = IW_POLICY_DROP;
  unsigned flags = 0;
  size_t counter_width = 0;
  const histogram_plan<T> *plan = nullptr;
  size_t outputs() const { return plan ? plan->outputs() : bins + (policy == IW_POLICY_COUNT ? 2 : 0); }
  size_t bins_of() const { return plan ? plan->bins() : bins; }
  /* The struct of C, which points to members of this one. width: of counters; 0: the member. */
  iw_histogram_spec c(size_t width = 0) const
  {
    if (plan)
      return iw_spec_of_plan(plan->get());
    return { sizeof(iw_histogram_spec), type_of<T>(), kind, bins, address(lo), address(hi), edges, map, policy,
      flags, width ? width : counter_width, nullptr };
  }
};

template <class T> class histogram_plan {
 public:
  static result<histogram_plan> make(const context &c, const histogram_spec<T> &spec, span<const T> sample = {})
  {
    const iw_histogram_spec s = spec.c();
    return call_for<histogram_plan>({}, [&](histogram_plan *to) {
      iw_histogram_plan *made = nullptr;
      const iw_status status = iw_histogram_plan_make(c.get(), &s, sample.data(), sample.size(), &made);
      *to = histogram_plan(made, spec);
      return status;
    }, histogram_plan(nullptr, spec));
  }
#ifndef ISOWARP_NO_EXCEPTIONS
  histogram_plan(const context &c, const histogram_spec<T> &spec, span<const T> sample = {}) : histogram_plan(make(c, spec, sample)) {}
#endif
  /* As a spec, which refers to this object. */
  operator histogram_spec<T>() const
  {
    histogram_spec<T> s;
    s.counter_width = counter_width_;
    s.plan = this;
    return s;
  }
  const iw_histogram_plan *get() const { return handle_.get(); }
  size_t outputs() const { return outputs_; }
  size_t bins() const { return bins_; }
  result<iw_histogram_plan_info> info(const context &c, size_t n) const
  {
    return call_for<iw_histogram_plan_info>({}, [&](auto *i) { i->size = sizeof *i; return iw_histogram_plan_get_info(c.get(), get(), n, i); });
  }

 private:
  struct freer { void operator()(iw_histogram_plan *p) const { iw_histogram_plan_free(p); } };
  histogram_plan(iw_histogram_plan *p, const histogram_spec<T> &spec)
      : handle_(p), bins_(spec.bins), outputs_(spec.outputs()), counter_width_(spec.counter_width) {}
  std::unique_ptr<iw_histogram_plan, freer> handle_;
  size_t bins_, outputs_, counter_width_;
};

struct histogram_report : iw_histogram_report {
  histogram_report() : iw_histogram_report{ sizeof(iw_histogram_report), 0, 0, 0 } {}
};
template <class T> struct histogram_ranges { span<const T> lo, hi; };

namespace detail {
template <class C> constexpr size_t counter_size()
{
  static_assert(is_counter<C>, "counters are uint32_t or uint64_t");
  return sizeof(C);
}
/* A plan's counters are fixed. */
inline check planned_counter(size_t width, bool is_planned, size_t planned)
{
  return { "a counter", width, !is_planned ? width : planned ? planned : 8, true };
}
template <class C, class T> check counter_width(const histogram_spec<T> &spec)
{
  return planned_counter(counter_size<C>(), spec.plan, spec.counter_width);
}
struct c_weights {
  template <class In> explicit c_weights(const In &weights, iw_exact_sum *exact = nullptr)
      : options{ sizeof options, weights.type, weights.at, exact, nullptr } {}
  iw_histogram_options options;
};
}

template <class In, class Out, class C = data_t<Out>>
result<void> histogram(const context &c, const histogram_spec<value_t<In>> &spec, const In &samples, Out &&counts,
    iw_histogram_report *report = nullptr)
{
  const input x(samples);
  const span<C> to(counts);
  const iw_histogram_spec s = spec.c(counter_size<C>());
  iw_histogram_options o = {};
  o.size = sizeof o;
  o.report = report;
  return call({ counter_width<C>(spec), room("counts", to, spec.outputs()) },
      iw_histogram, c.get(), &s, x.at, x.n, to.data(), &o);
}
template <class T> result<void> histogram_edges(const histogram_spec<T> &spec, span<type_or<void, T>> edges)
{
  const iw_histogram_spec s = spec.c();
  return call({ room("edges", edges, spec.bins + 1) }, iw_histogram_edges, &s, edges.data());
}
template <class T> struct range { T lo, hi; };
template <class In, class T = value_t<In>> result<range<T>> histogram_range(const context &c, const In &samples)
{
  const input x(samples);
  return call_for<range<T>>({}, [&](auto *to) { return iw_histogram_range(c.get(), x.type, x.at, 1, x.n, &to->lo, &to->hi); });
}
template <class In, class Weights>
result<void> histogram_weighted(const context &c, const histogram_spec<value_t<In>> &spec, const In &samples, const Weights &weights,
    span<sum_t<value_t<Weights>>> sums)
{
  const input x(samples);
  const input w(weights);
  const c_weights o(w);
  const iw_histogram_spec s = spec.c();
  return call({ equal("weights", span(weights), x.n), room("sums", sums, spec.outputs()) },
      iw_histogram, c.get(), &s, x.at, x.n, sums.data(), &o.options);
}
template <class In, class Out, class C = data_t<Out>>
result<void> histogram_rows(const context &c, const histogram_spec<value_t<In>> &spec, const In &samples, size_t rows, size_t columns,
    Out &&counts, const histogram_ranges<value_t<In>> &ranges = {})
{
  const input x(samples);
  const span<C> to(counts);
  const iw_histogram_spec s = spec.c(counter_size<C>());
  const iw_histogram_ranges r = { sizeof r, ranges.lo.data(), ranges.hi.data() };
  return call({ counter_width<C>(spec), equal("samples", span(samples), rows * columns),
          room("counts", to, rows * spec.outputs()), room("lo", ranges.lo, rows),
          room("hi", ranges.hi, rows) },
      iw_histogram_rows, c.get(), &s, x.at, rows, columns, to.data(), r.lo || r.hi ? &r : nullptr);
}
template <class In>
result<void> histogram_row_ranges(const context &c, const In &samples, size_t rows, size_t columns, span<value_t<In>> lo,
    span<value_t<In>> hi)
{
  const input x(samples);
  return call({ equal("samples", span(samples), rows * columns), room("lo", lo, rows),
          room("hi", hi, rows) },
      iw_histogram_range, c.get(), x.type, x.at, rows, columns, lo.data(), hi.data());
}
/* specs, counts: one for each channel; a nullptr in specs: the channel is not counted. */
template <class In, class C = uint64_t>
result<void> histogram_channels(const context &c, span<const histogram_spec<value_t<In>> *const> specs, const In &samples,
    span<const span<C>> counts)
{
  constexpr size_t most = 23;
  const input x(samples);
  const size_t channels = specs.size(), used = channels < most ? channels : most;
  iw_histogram_spec s[most];
  const iw_histogram_spec *pointers[most] = {};
  void *to[most] = {};
  check short_counts = room("counts", span<C>(), 0);
  for (size_t k = 0; k < used && k < counts.size(); k++)
    if (specs[k]) {
      s[k] = specs[k]->c(counter_size<C>());
      pointers[k] = &s[k];
      to[k] = counts[k].data();
      if (counts[k].size() < specs[k]->outputs())
        short_counts = room("counts", counts[k], specs[k]->outputs());
    }
  return call({ equal("counts", counts, channels), short_counts,
          { "samples", channels ? x.n % channels : 0, 0, true } },
      iw_histogram_channels, c.get(), pointers, unsigned(channels), x.at, channels ? x.n / channels : 0, to);
}
/* indices: integers of 1, 2 or 4 bytes without a sign. */
template <class In, class Out, class I = data_t<Out>>
result<void> digitize(const context &c, const histogram_spec<value_t<In>> &spec, const In &samples, Out &&indices)
{
  static_assert(is_integer<I> && std::is_unsigned_v<I> && sizeof(I) <= 4, "bin indices have 1, 2 or 4 bytes and no sign");
  const input x(samples);
  const span<I> to(indices);
  const iw_histogram_spec s = spec.c();
  return call({ room("indices", to, x.n) },
      iw_digitize, c.get(), &s, x.at, x.n, iw_indices{ to.data(), unsigned(sizeof(I)) });
}

/* An axis, which refers to its spec and samples. */
class histogram_axis {
 public:
  histogram_axis() = default;
  template <class In>
  histogram_axis(const histogram_spec<value_t<In>> &bins, const In &x)
      : spec(bins.c()), samples(std::data(x)), n(std::size(x)), outputs(bins.outputs()), counter_width(bins.counter_width) {}
  iw_histogram_spec spec = {};
  const void *samples = nullptr;
  size_t n = 0, outputs = 0, counter_width = 0;
};
using histogram_axes = list<histogram_axis, IW_MAX_HISTOGRAM_AXES>;

namespace detail {
/* The axes of C, whose counters have these bytes. */
struct c_axes {
  c_axes(const histogram_axes &from, size_t width) : dimensions(unsigned(from.size()))
  {
    unsigned k = 0;
    for (const histogram_axis &a : from) {
      spec[k] = a.spec;
      if (!a.spec.plan)
        spec[k].counter_width = width;
      else
        counter_width = planned_counter(width, true, a.counter_width);
      if (k == 0)
        n = a.n;
      else if (a.n != n)
        length = { "samples of an axis", a.n, n, true };
      outputs *= a.outputs;
      at[k] = { sizeof *at, &spec[k], a.samples };
      k++;
    }
  }
  c_axes(const c_axes &) = delete;
  iw_histogram_spec spec[IW_MAX_HISTOGRAM_AXES];
  iw_histogram_axis at[IW_MAX_HISTOGRAM_AXES];
  unsigned dimensions;
  size_t n = 0, outputs = 1;
  check length = {}, counter_width = {};
};
}

template <class Out, class C = data_t<Out>>
result<void> histogram_nd(const context &c, const histogram_axes &axes, Out &&counts)
{
  const span<C> to(counts);
  const c_axes a(axes, counter_size<C>());
  return call({ a.length, a.counter_width, room("counts", to, a.outputs) },
      iw_histogram_nd, c.get(), a.at, a.dimensions, a.n, to.data(), nullptr);
}
template <class Weights>
result<void> histogram_nd_weighted(const context &c, const histogram_axes &axes, const Weights &weights,
    span<sum_t<value_t<Weights>>> sums)
{
  const input w(weights);
  const c_weights o(w);
  const c_axes a(axes, 8);
  return call({ a.length, a.counter_width, equal("weights", span(weights), a.n),
          room("sums", sums, a.outputs) },
      iw_histogram_nd, c.get(), a.at, a.dimensions, a.n, sums.data(), &o.options);
}
struct table_axis {
  size_t bins = 0;
  int outliers = 0;
  size_t factor = 0;
};
template <class In>
result<void> histogram_project(const context &c, const list<table_axis, IW_MAX_HISTOGRAM_AXES> &axes, const In &in, span<value_t<In>> out,
    unsigned flags = 0)
{
  const input x(in);
  iw_table_axis a[IW_MAX_HISTOGRAM_AXES] = {};
  size_t k = 0, cells = 1, outputs = 1;
  for (const table_axis &axis : axes) {
    a[k++] = { sizeof *a, axis.bins, axis.outliers, axis.factor };
    cells *= axis.bins + (axis.outliers ? 2 : 0);
    outputs *= axis.factor ? axis.bins / axis.factor + (axis.outliers ? 2 : 0) : 1;
  }
  return call({ equal("in", span(in), cells), room("out", out, outputs) },
      iw_histogram_project, c.get(), x.type, a, unsigned(axes.size()), x.at, out.data(), flags);
}
/* edges: bins + 1. */
template <class Out, class T = data_t<Out>>
result<void> histogram_power_edges(value_t<Out> lo, value_t<Out> hi, double power, Out &&edges)
{
  const span<T> to(edges);
  return call({ room("edges", to, 2) },
      iw_histogram_power_edges, type_of<T>(), &lo, &hi, to.size() - 1, power, to.data());
}

template <class T> class growing_histogram {
 public:
  static result<growing_histogram> make(T origin, T width, size_t bins, iw_growth growth)
  {
    return call_for<growing_histogram, adopt<iw_growing_histogram>>({}, [&](auto *to) {
      return iw_growing_histogram_make(type_of<T>(), &origin, &width, bins, growth, &to->handle);
    });
  }
#ifndef ISOWARP_NO_EXCEPTIONS
  growing_histogram(T origin, T width, size_t bins, iw_growth growth) : growing_histogram(make(origin, width, bins, growth)) {}
#endif
  explicit growing_histogram(adopt<iw_growing_histogram> own) : handle_(own.handle) {}
  iw_growing_histogram *get() const { return handle_.get(); }
  result<void> add(const context &c, span<const T> samples)
  {
    return call({}, iw_growing_histogram_add, c.get(), get(), samples.data(), samples.size());
  }
  result<void> merge(const context &c, const growing_histogram &other)
  {
    return call({}, iw_growing_histogram_merge, c.get(), get(), other.get());
  }
  result<iw_growing_histogram_info> info() const
  {
    return call_for<iw_growing_histogram_info>({}, [&](auto *i) { i->size = sizeof *i; return iw_growing_histogram_get_info(get(), i); });
  }
  result<void> read(span<T> edges, span<uint64_t> counts) const
  {
    iw_growing_histogram_info now = {};
    now.size = sizeof now;
    iw_growing_histogram_get_info(get(), &now);
    return call({ room("edges", edges, now.bins ? now.bins + 1 : 0), room("counts", counts, now.bins) },
        iw_growing_histogram_read, get(), edges.data(), counts.data());
  }

 private:
  struct freer { void operator()(iw_growing_histogram *h) const { iw_growing_histogram_free(h); } };
  std::unique_ptr<iw_growing_histogram, freer> handle_;
};

}
}

#endif
