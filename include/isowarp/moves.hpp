/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of moves.h in C++: partition, select, unique, run lengths and multisplit, with payloads. The
 * rules of isowarp.hpp hold, which includes this header.
 */
#ifndef ISOWARP_MOVES_HPP
#define ISOWARP_MOVES_HPP

#include <isowarp/histograms.hpp>
#include <isowarp/moves.h>

namespace isowarp {
inline namespace ISOWARP_VARIANT_ {

/* ---- Partition, select, unique, run lengths, multisplit ---------------------------------------------- */

/* An array of values of 1 2 4 8 or 16 bytes that moves along. */
class payload {
 public:
  payload() = default;
  template <class V> payload(const V &values, span<value_t<V>> out, span<value_t<V>> rest = {})
      : c_{ sizeof c_, std::data(values), out.data(), rest.data(), sizeof(value_t<V>) }, n_(std::size(values)), room_(out.size()) {}
  /* The elements' indices. */
  static payload indices(const isowarp::indices &out, const isowarp::indices &rest = {})
  {
    payload p;
    p.c_ = { sizeof p.c_, nullptr, out.c().at, rest.c().at, out.c().width };
    p.room_ = out.size();
    return p;
  }
  const iw_payload &c() const { return c_; }
  check fit(size_t n) const { return { "values", c_.in ? n_ : n, n, true }; }
  check room(size_t n) const { return { "out", c_.out ? room_ : n, n, false }; }

 private:
  iw_payload c_ = {};
  size_t n_ = 0, room_ = 0;
};
using payloads = list<payload, IW_MAX_PAYLOADS>;

template <class T> struct move_options {
  isowarp::payloads payloads = {};
  span<T> rest = {};
};
/* Exactly one of constant, flags, predicate and bins: { IW_LESS, 0.5f }. */
template <class T> struct test {
  iw_compare compare = IW_LESS;
  std::optional<T> constant = {};
  span<const uint8_t> flags = {};
  const iw_predicate *predicate = nullptr;
  const histogram_spec<T> *bins = nullptr;
  size_t bin = 0;
};
/* Exactly one of bins, pivot, bits and rule. */
template <class T> struct buckets {
  const histogram_spec<T> *bins = nullptr;
  std::optional<T> pivot = {};
  unsigned bit = 0, bits = 0;
  const iw_bucket_rule *rule = nullptr;
  size_t count = 0;
};

namespace detail {
/* Payloads of C, and what n elements require of them. */
struct c_payloads {
  c_payloads(const payloads &from, size_t n, size_t outputs) : count(from.size())
  {
    size_t k = 0;
    for (const payload &p : from) {
      const check all[2] = { p.fit(n), p.room(outputs) };
      fit = all[0].has == all[0].needs ? fit : all[0];
      room = all[1].has >= all[1].needs ? room : all[1];
      at[k++] = p.c();
    }
  }
  const iw_payload *c() const { return count ? at : nullptr; }
  iw_payload at[IW_MAX_PAYLOADS] = {};
  size_t count;
  check fit = {}, room = {};
};
template <class In, class F, class... To>
auto move_by_test(F f, const context &c, const test<value_t<In>> &test, const In &in, span<value_t<In>> out, size_t outputs,
    const move_options<value_t<In>> &options, To &&...count)
{
  const input x(in);
  const c_payloads p(options.payloads, x.n, outputs);
  const iw_histogram_spec bins = test.bins ? test.bins->c() : iw_histogram_spec();
  const iw_test t = { sizeof t, x.type, test.compare, address(test.constant), test.flags.data(), test.predicate, test.bins ? &bins : nullptr,
    test.bin };
  const iw_move_options o = { sizeof o, p.c(), p.count, options.rest.data() };
  return call_to<size_t>({ equal("flags", test.flags, x.n), room("out", out, outputs), room("rest", options.rest, outputs), p.fit, p.room },
      [&](size_t *to) { return f(c.get(), &t, x.at, x.n, out.data(), to, &o); }, count...);
}
}

/* *count is returned, or written to the view of one that is the last argument. */
template <class In, class... To>
auto partition(const context &c, const test<value_t<In>> &test, const In &in, span<value_t<In>> out,
    const move_options<value_t<In>> &options = {}, To &&...count)
{
  return move_by_test(iw_partition, c, test, in, out, std::size(in), options, count...);
}
template <class In, class... To>
auto select_if(const context &c, const test<value_t<In>> &test, const In &in, span<value_t<In>> out,
    const move_options<value_t<In>> &options = {}, To &&...count)
{
  return move_by_test(iw_select_if, c, test, in, out, 0, options, count...);
}
template <class In, class... To>
auto unique(const context &c, const In &in, span<value_t<In>> out, const move_options<value_t<In>> &options = {}, To &&...count)
{
  const input x(in);
  const c_payloads p(options.payloads, x.n, 0);
  const iw_move_options o = { sizeof o, p.c(), p.count, options.rest.data() };
  return call_to<size_t>({ p.fit }, [&](size_t *to) { return iw_unique(c.get(), x.type, x.at, x.n, out.data(), to, &o); }, count...);
}
template <class In, class... To>
auto run_lengths(const context &c, const In &in, span<value_t<In>> values, const indices &lengths, To &&...count)
{
  const input x(in);
  return call_to<size_t>({}, [&](size_t *to) { return iw_run_lengths(c.get(), x.type, x.at, x.n, values.data(), lengths.c(), to); }, count...);
}
/* out: as many as the sum of lengths. */
template <class In, class Lengths>
result<void> run_lengths_decode(const context &c, const In &values, const Lengths &lengths, span<value_t<In>> out)
{
  static_assert(is_index<value_t<Lengths>>, "lengths are integers of 4 or 8 bytes without a sign");
  const input x(values);
  return call({ equal("lengths", span(lengths), x.n) },
      iw_run_lengths_decode, c.get(), x.type, x, std::data(lengths), unsigned(sizeof(value_t<Lengths>)), out.data(), out.size());
}
/* offsets: one more than there are buckets. */
template <class In>
result<void> multisplit(const context &c, const buckets<value_t<In>> &buckets, const In &in, span<value_t<In>> out, span<size_t> offsets,
    const move_options<value_t<In>> &options = {})
{
  const input x(in);
  const c_payloads p(options.payloads, x.n, x.n);
  const iw_histogram_spec bins = buckets.bins ? buckets.bins->c() : iw_histogram_spec();
  const iw_buckets b = { sizeof b, x.type, buckets.bins ? &bins : nullptr, address(buckets.pivot), buckets.bit, buckets.bits,
    buckets.rule, buckets.count };
  const size_t count = buckets.bins ? buckets.bins->bins_of() : buckets.pivot ? 3 : buckets.rule ? buckets.count : size_t(1) << (buckets.bits & 31);
  const iw_move_options o = { sizeof o, p.c(), p.count, options.rest.data() };
  return call({ room("out", out, x.n), room("offsets", offsets, count + 1), p.fit, p.room },
      iw_multisplit, c.get(), &b, x.at, x.n, out.data(), offsets.data(), &o);
}
}
}

#endif
