/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of isowarp.h in C++17: views with a length, element types from the arguments, handles that
 * close themselves, and errors as exceptions or as results. Opt-in, above the public API; C has
 * <isowarp/typed.h>.
 *
 *   #include <isowarp/isowarp.hpp>
 *   #include <cstdio>
 *   #include <vector>
 *   int main()
 *   {
 *     isowarp::context context;
 *     std::vector<float> in = { 3, 1, 2 }, out(3);
 *     std::vector<uint64_t> counts(2);
 *     isowarp::inclusive_scan(context, IW_SUM, in, out);            // 3 4 6
 *     float largest = isowarp::reduce(context, IW_MAX, in);         // 3
 *     isowarp::histogram(context, { IW_HISTOGRAM_EVEN, 2, 0, 4 }, in, counts);
 *     isowarp::sort_options options;
 *     options.descending = true;
 *     isowarp::sort(context, in, out, options);                     // 3 2 1
 *     size_t count = isowarp::select_if(context, { IW_LESS, 2.5f }, in, out);
 *     std::printf("%g, %zu\n", largest, count);
 *   }
 *
 * isowarp::NAME has the parameters of iw_NAME in the same order and its contract, but for these rules:
 *   - An array is a view, and anything that has data() and size() is one: std::vector, std::array, a C
 *     array, std::span, or isowarp::span(pointer, n). A call takes the element type and lengths from its
 *     input; other arrays that do not fit do not compile, and one that is too short is IW_ERROR_INVALID.
 *     `{}` is an array that is not wanted. A view may be of device memory.
 *   - Views, segments, payloads and tests refer to arrays, which live until the call returns.
 *   - One value that a C call writes is returned. If it may be in device memory, a view of it may be given,
 *     which is the last argument, or that of the C call: nothing is returned then.
 *   - Structs of options have the members of the C ones, but typed, and without size, type and counts. They
 *   have default values. run_keys stands beside the keys, in isowarp::segments.
 *   - A context is an isowarp::context, or an iw_context *, which stays the caller's.
 *   - A call that returns result<T> throws isowarp::error and returns T. If exceptions are off, or
 *     ISOWARP_NO_EXCEPTIONS is defined, it returns isowarp::expected<T> instead, and objects are made by
 *     open() and make() only.
 *
 * Element types are the integers of <cstdint>, bool, float, double and, as bits, isowarp::f16 and
 * isowarp::bf16; also _Float16 and __bf16 where the compiler has them, and __half and __nv_bfloat16 if
 * CUDA's header of them is included before this one.
 */
#ifndef ISOWARP_HPP
#define ISOWARP_HPP

#include <isowarp.h>
#include <isowarp/context.hpp>
#include <isowarp/moves.hpp>

namespace isowarp {
inline namespace ISOWARP_VARIANT_ {

/* ---- Scan and reduce --------------------------------------------------------------------------------- */

/* Segments; by default the whole array is one. */
class segments {
 public:
  segments() = default;
  static segments rows(size_t columns) { return { IW_SEGMENTS_ROWS, columns, {}, 0, {}, {}, 0, 0 }; }
  static segments columns(size_t columns) { return { IW_SEGMENTS_COLUMNS, columns, {}, 0, {}, {}, 0, 0 }; }
  static segments flags(span<const uint8_t> f) { return { IW_SEGMENTS_FLAGS, 0, f.data(), 0, {}, {}, 0, f.size() }; }
  /* run_keys: the member of iw_scan_options, whose type is that of keys. */
  template <class K> static segments keys(const K &keys, span<value_t<K>> run_keys = {})
  {
    segments s = { IW_SEGMENTS_KEYS, 0, {}, type_of<value_t<K>>(), std::data(keys), {}, 0, std::size(keys) };
    s.run_keys_ = run_keys.data();
    return s;
  }
  template <class O> static segments offsets(const O &offsets)
  {
    static_assert(is_index<value_t<O>>, "offsets are integers of 4 or 8 bytes without a sign");
    const size_t count = std::size(offsets) ? std::size(offsets) - 1 : 0;
    return { IW_SEGMENTS_OFFSETS, 0, {}, type_of<value_t<O>>(), {}, std::data(offsets), count, 0 };
  }
  const iw_segments *c() const { return c_.size ? &c_ : nullptr; }
  void *run_keys() const { return run_keys_; }
  check fit(size_t n) const
  {
    return { "flags or keys", c_.flags || c_.keys ? length_ : n, n, true };
  }
  /* The results of n elements; 0 if only the call can tell. */
  size_t results(size_t n) const
  {
    return !c_.size ? 1 : c_.kind == IW_SEGMENTS_OFFSETS ? c_.count : c_.kind == IW_SEGMENTS_COLUMNS ? c_.columns
        : c_.columns ? n / c_.columns : 0;
  }

 private:
  segments(iw_segments_kind kind, size_t columns, const uint8_t *flags, int type, const void *keys, const void *offsets,
      size_t count, size_t length)
      : c_{ sizeof c_, kind, flags, keys, iw_type(keys ? type : 0), columns, offsets, iw_type(offsets ? type : 0), count },
        length_(length) {}
  iw_segments c_ = {};
  size_t length_ = 0;
  void *run_keys_ = nullptr;
};

template <class T> struct scan_options { /* T: of outputs */
  const T *init = nullptr;
  isowarp::segments segments = {};
  size_t *run_count = nullptr;
};

namespace detail {
template <class S, class T> iw_scan_options c_options(const scan_options<T> &o)
{
  return { sizeof(iw_scan_options), o.init, out_type<S, T>(), o.segments.c(), o.segments.run_keys(), o.run_count };
}
template <class In, class T, class F>
result<void> scan(F f, const context &context, iw_op op, const In &in, span<T> out, const scan_options<T> &options)
{
  const input x(in);
  const iw_scan_options o = c_options<value_t<In>>(options);
  return call({ room("out", out, x.n), options.segments.fit(x.n) }, f, context.get(), op, x.type, x.at, x.n, out.data(), &o);
}
template <class In, class T, class F>
result<void> find(F f, const context &context, const In &in, span<size_t> indices, span<T> values, const scan_options<T> &options)
{
  const input x(in);
  iw_scan_options o = c_options<T>(options);
  o.out_type = iw_type(0);
  const size_t n = options.segments.results(x.n);
  return call({ room("indices", indices, n), room("values", values, n), options.segments.fit(x.n) },
      f, context.get(), x.type, x.at, x.n, indices.data(), values.data(), &o);
}
}

/* The type of outputs and results is that of in, or a wider one (out_type of iw_scan_options). */
template <class In, class Out>
result<void> inclusive_scan(const context &c, iw_op op, const In &in, Out &&out, const scan_options<value_t<Out>> &options = {})
{
  return scan(iw_inclusive_scan, c, op, in, span(out), options);
}
template <class In, class Out>
result<void> exclusive_scan(const context &c, iw_op op, const In &in, Out &&out, const scan_options<value_t<Out>> &options = {})
{
  return scan(iw_exclusive_scan, c, op, in, span(out), options);
}
/* To results: a view of one, or of one for each segment. */
template <class In, class Out, class T = data_t<Out>>
result<void> reduce(const context &c, iw_op op, const In &in, Out &&results, const scan_options<value_t<Out>> &options = {})
{
  const input x(in);
  const span<T> to(results);
  const iw_scan_options o = c_options<value_t<In>>(options);
  return call({ room("results", to, options.segments.results(x.n)), options.segments.fit(x.n) },
      iw_reduce, c.get(), op, x.type, x.at, x.n, to.data(), &o);
}
/* The reduction of the whole array, of in's type or of one that is named: reduce<double>(c, IW_SUM,
 * floats). */
template <class R = void, class In, class T = type_or<R, value_t<In>>>
result<T> reduce(const context &c, iw_op op, const In &in, const scan_options<type_or<R, value_t<In>>> &options = {})
{
  const input x(in);
  const iw_scan_options o = c_options<value_t<In>>(options);
  return call_for<T>({ { "results", 1, options.segments.results(x.n), false } },
      [&](T *to) { return iw_reduce(c.get(), op, x.type, x.at, x.n, to, &o); });
}
template <class In>
result<void> argmin(const context &c, const In &in, span<size_t> indices, span<value_t<In>> values = {},
    const scan_options<value_t<In>> &options = {})
{
  return find(iw_argmin, c, in, indices, values, options);
}
template <class In>
result<void> argmax(const context &c, const In &in, span<size_t> indices, span<value_t<In>> values = {},
    const scan_options<value_t<In>> &options = {})
{
  return find(iw_argmax, c, in, indices, values, options);
}
/* An element of the whole array, and where it is. */
template <class T> struct found {
  T value;
  size_t index;
};
template <class In, class T = value_t<In>> result<found<T>> argmin(const context &c, const In &in)
{
  const input x(in);
  return call_for<found<T>>({}, [&](auto *to) { return iw_argmin(c.get(), x.type, x.at, x.n, &to->index, &to->value, nullptr); });
}
template <class In, class T = value_t<In>> result<found<T>> argmax(const context &c, const In &in)
{
  const input x(in);
  return call_for<found<T>>({}, [&](auto *to) { return iw_argmax(c.get(), x.type, x.at, x.n, &to->index, &to->value, nullptr); });
}
template <class In> result<void> keys_by_value(const context &c, const In &in, span<value_t<In>> out)
{
  const input x(in);
  return call({ room("out", out, x.n) }, iw_keys_by_value, c.get(), x.type, x.at, x.n, out.data());
}

/* ---- Sorts, sorted arrays, largest and smallest elements --------------------------------------------- */

struct sort_options {
  int descending = 0;
  unsigned begin_bit = 0, end_bit = 0;
  const iw_sort_key *key = nullptr;
  isowarp::segments segments = {};
  isowarp::payloads payloads = {};
};

namespace detail {
struct c_sort_options : c_payloads {
  c_sort_options(const sort_options &from, size_t n, size_t outputs)
      : c_payloads(from.payloads, n, outputs),
        options{ sizeof options, from.descending, from.begin_bit, from.end_bit, from.key, from.segments.c(), c(), count } {}
  iw_sort_options options;
};
template <class In>
result<void> search(iw_bound bound, const context &c, const In &sorted, span<const value_t<In>> values, const indices &indices, const sort_options &options)
{
  const c_sort_options o(options, 0, 0);
  const input x(sorted);
  return call({ room("indices", indices, values.size()) },
      iw_bounds, c.get(), bound, x.type, x, iw_elements{ values.data(), values.size() }, indices.c(), &o.options);
}
}

template <class In> result<void> sort(const context &c, const In &in, span<value_t<In>> out, const sort_options &options = {})
{
  const input x(in);
  const c_sort_options o(options, x.n, x.n);
  return call({ room("out", out, x.n), o.fit, o.room }, iw_sort, c.get(), x.type, x.at, x.n, out.data(), &o.options);
}
template <class In> result<void> argsort(const context &c, const In &in, const indices &indices, const sort_options &options = {})
{
  const input x(in);
  const c_sort_options o(options, x.n, x.n);
  return call({ room("indices", indices, x.n), o.fit, o.room },
      iw_argsort, c.get(), x.type, x.at, x.n, indices.c(), &o.options);
}
template <class In>
result<void> lower_bound(const context &c, const In &sorted, span<const value_t<In>> values, const indices &indices,
    const sort_options &options = {})
{
  return search(IW_LOWER_BOUND, c, sorted, values, indices, options);
}
template <class In>
result<void> upper_bound(const context &c, const In &sorted, span<const value_t<In>> values, const indices &indices,
    const sort_options &options = {})
{
  return search(IW_UPPER_BOUND, c, sorted, values, indices, options);
}
template <class In> result<size_t> is_sorted_until(const context &c, const In &in, const sort_options &options = {})
{
  const input x(in);
  const c_sort_options o(options, x.n, 0);
  return call_for<size_t>({}, [&](size_t *until) { return iw_is_sorted_until(c.get(), x.type, x.at, x.n, until, &o.options); });
}
template <class In>
result<void> merge(const context &c, const In &a, span<const value_t<In>> b, span<value_t<In>> out, const indices &indices = {},
    const sort_options &options = {})
{
  const input x(a);
  const c_sort_options o(options, 0, 0);
  return call({ room("out", out, x.n + b.size()), room("indices", indices, x.n + b.size()) },
      iw_merge, c.get(), x.type, x, iw_elements{ b.data(), b.size() }, out.data(), indices.c(), &o.options);
}
/* values: k, or k for each row. */
template <class In>
result<void> top_k(const context &c, const In &in, size_t k, span<value_t<In>> values, const sort_options &options = {})
{
  const input x(in);
  const size_t outputs = k * options.segments.results(x.n);
  const c_sort_options o(options, x.n, outputs);
  return call({ room("values", values, outputs), o.fit, o.room },
      iw_top_k, c.get(), x.type, x.at, x.n, k, values.data(), &o.options);
}
template <class In, class T = value_t<In>> result<found<T>> nth_element(const context &c, const In &in, size_t nth)
{
  const input x(in);
  return call_for<found<T>>({}, [&](auto *to) { return iw_nth_element(c.get(), x.type, x.at, x.n, nth, &to->value, &to->index); });
}
template <class In, class T = value_t<In>> result<found<T>> median(const context &c, const In &in)
{
  const size_t n = input(in).n;
  return nth_element(c, in, n ? (n - 1) / 2 : 0);
}

/* ---- Exact sums -------------------------------------------------------------------------------------- */

/* The sum's type is that of in, or one that is named: sum_exact<double>(c, floats). */
template <class R = void, class In, class... To> auto sum_exact(const context &c, const In &in, To &&...result)
{
  using T = result_t<R, In, To...>;
  const input x(in);
  return call_to<T>({}, [&](T *to) { return iw_sum_exact(c.get(), x.type, x.at, x.n, type_of<T>(), to); }, result...);
}
template <class R = void, class In, class... To>
auto dot_exact(const context &c, const In &a, span<const value_t<In>> b, To &&...result)
{
  using T = result_t<R, In, To...>;
  const input x(a);
  return call_to<T>({ equal("b", b, x.n) },
      [&](T *to) { return iw_dot_exact(c.get(), x.type, x.at, b.data(), x.n, type_of<T>(), to); }, result...);
}

/* An unrounded sum, at first of no numbers. */
struct exact_sum : iw_exact_sum {
  exact_sum() : iw_exact_sum IW_EXACT_SUM_EMPTY {}
  template <class In> result<void> add(const context &c, const In &in)
  {
    const input x(in);
    return call({}, iw_exact_sum_add, c.get(), x.type, x.at, x.n, this);
  }
  template <class In> result<void> add_products(const context &c, const In &a, span<const value_t<In>> b)
  {
    const input x(a);
    return call({ equal("b", b, x.n) }, iw_exact_sum_add_products, c.get(), x.type, x.at, b.data(), x.n, this);
  }
  result<void> merge(const iw_exact_sum &other) { return call({}, iw_exact_sum_merge, this, &other); }
  template <class T> result<T> round() const
  {
    return call_for<T>({}, [&](T *to) { return iw_exact_sum_round(this, type_of<T>(), to); });
  }
};
template <class In, class Weights>
result<void> histogram_weighted_exact(const context &c, const histogram_spec<value_t<In>> &spec, const In &samples, const Weights &weights,
    span<exact_sum> sums)
{
  const input x(samples);
  const input w(weights);
  const c_weights o(w, sums.data());
  const iw_histogram_spec s = spec.c();
  return call({ equal("weights", span(weights), x.n), room("sums", sums, spec.outputs()) },
      iw_histogram, c.get(), &s, x.at, x.n, nullptr, &o.options);
}

}
}

#endif
