/* SPDX-License-Identifier: Apache-2.0
 *
 * What every call in C++ needs: errors, element types, views and contexts. The rules of isowarp.hpp hold,
 * which includes this header.
 */
#ifndef ISOWARP_CONTEXT_HPP
#define ISOWARP_CONTEXT_HPP

#if !defined __cplusplus || __cplusplus < 201703L
#error "<isowarp/isowarp.hpp> is for C++17: in C include <isowarp/typed.h>"
#endif

#include <isowarp/context.h>

#include <array>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#if !defined ISOWARP_NO_EXCEPTIONS && !defined __cpp_exceptions
#define ISOWARP_NO_EXCEPTIONS
#endif

/* Both variants may be in one program: their functions have different names. */
#ifdef ISOWARP_NO_EXCEPTIONS
#define ISOWARP_VARIANT_ returning
#else
#define ISOWARP_VARIANT_ throwing
#endif

namespace isowarp {
inline namespace ISOWARP_VARIANT_ {

/* ---- Errors ------------------------------------------------------------------------------------------ */

class error : public std::exception {
 public:
  error(iw_status status, std::string message) : status_(status), message_(std::move(message)) {}
  iw_status status() const noexcept { return status_; }
  const std::string &message() const noexcept { return message_; }
  const char *what() const noexcept override { return message_.c_str(); }

 private:
  iw_status status_;
  std::string message_;
};

/* A value or an error, as std::expected of C++23. Only one that has a value has * and ->, and only another
 * one has error(). */
template <class T> class [[nodiscard]] expected {
  using value_type = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

 public:
  template <class V = T, class = std::enable_if_t<std::is_void_v<V>>> expected() {}
  expected(value_type value) : either_(std::move(value)) {}
  expected(isowarp::error e) : either_(std::move(e)) {}
  bool has_value() const { return either_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  value_type &operator*() & { return *std::get_if<0>(&either_); }
  value_type &&operator*() && { return std::move(**this); }
  const value_type &operator*() const & { return *std::get_if<0>(&either_); }
  value_type *operator->() { return &**this; }
  const value_type *operator->() const { return &**this; }
  const isowarp::error &error() const { return *std::get_if<1>(&either_); }

 private:
  std::variant<value_type, isowarp::error> either_;
};
#ifdef ISOWARP_NO_EXCEPTIONS
template <class T> using result = expected<T>;
#else
template <class T> using result = T;
#endif

namespace detail {
/* What a call requires beside the C call's own checks: has == needs, or has >= needs. */
struct check {
  const char *what; /* of which this is the size */
  size_t has, needs;
  bool exact;
};
using checks = std::initializer_list<check>;

template <class F> std::optional<error> failure(checks all, F call)
{
  for (const check &c : all)
    if (c.exact ? c.has != c.needs : c.has < c.needs)
      return error(IW_ERROR_INVALID, std::string("the size of ") + c.what + " is " + std::to_string(c.has) + ", but must be "
                                         + (c.exact ? "" : "at least ") + std::to_string(c.needs));
  if (const iw_status status = call())
    return error(status, iw_message());
  return std::nullopt;
}
/* What a call returns that failed, or made an R from `value`. */
template <class R, class V> result<R> finish(std::optional<error> e, [[maybe_unused]] V value)
{
#ifdef ISOWARP_NO_EXCEPTIONS
  if (e)
    return *std::move(e);
#else
  if (e)
    throw *std::move(e);
#endif
  if constexpr (std::is_void_v<R>)
    return result<R>();
  else
    return R(std::move(value));
}
/* All calls of the library go through these: without a result; */
template <class F, class... A> result<void> call(checks all, F f, A... arguments)
{
  return finish<void>(failure(all, [&] { return f(arguments...); }), 0);
}
/* with one, which f writes to a V *; */
template <class R, class V = R, class F> result<R> call_for(checks all, F f, V value = {})
{
  std::optional<error> e = failure(all, [&] { return f(&value); });
  return finish<R>(std::move(e), std::move(value));
}
/* with one that is returned, or written to the view `to`, of which there are 0 or 1. */
template <class V, class F, class... To> auto call_to(checks all, F f, To &&...to)
{
  if constexpr (sizeof...(To) != 0)
    return call(all, f, std::data(to)...);
  else
    return call_for<V>(all, f);
}
}

/* ---- Types ------------------------------------------------------------------------------------------- */

/* Floats of 2 bytes, for compilers without such types. */
struct f16 { uint16_t bits; };
struct bf16 { uint16_t bits; };

namespace detail {
template <class T, class... U> constexpr bool is_one_of = (std::is_same_v<T, U> || ...);
template <class T> constexpr bool is_integer = std::is_integral_v<T> && !is_one_of<T, bool, char, wchar_t, char16_t, char32_t>;
template <class T> constexpr iw_type standard_type()
{
  constexpr iw_type types[][4] = { { IW_U8, IW_U16, IW_U32, IW_U64 }, { IW_I8, IW_I16, IW_I32, IW_I64 } };
  if constexpr (is_integer<T>)
    return types[std::is_signed_v<T>][sizeof(T) == 8 ? 3 : sizeof(T) / 2];
  return std::is_same_v<T, bool> ? IW_BOOL : std::is_same_v<T, float> ? IW_F32 : std::is_same_v<T, double> ? IW_F64 : iw_type(0);
}
/* The iw_type of T; 0 for none. */
template <class T> constexpr iw_type known = standard_type<T>();
template <> inline constexpr iw_type known<f16> = IW_F16;
template <> inline constexpr iw_type known<bf16> = IW_BF16;
#if defined __FLT16_MANT_DIG__ && !defined __CUDACC__
__extension__ typedef _Float16 compilers_f16; /* not in ISO C++ */
template <> inline constexpr iw_type known<compilers_f16> = IW_F16;
#endif
#if defined __BFLT16_MANT_DIG__ && !defined __CUDACC__
__extension__ typedef __bf16 compilers_bf16;
template <> inline constexpr iw_type known<compilers_bf16> = IW_BF16;
#endif
#ifdef __CUDA_FP16_TYPES_EXIST__
template <> inline constexpr iw_type known< ::__half> = IW_F16;
#endif
#ifdef __CUDA_BF16_TYPES_EXIST__
template <> inline constexpr iw_type known< ::__nv_bfloat16> = IW_BF16;
#endif
template <class T> constexpr iw_type type_of()
{
  static_assert(known<T> != 0, "not an element type of isowarp");
  return known<T>;
}
/* The type of outputs of T that a scan of S has: out_type of iw_scan_options. */
template <class S, class T> constexpr iw_type out_type()
{
  constexpr iw_type s = type_of<S>(), t = type_of<T>();
  static_assert(s == t || ((s == IW_U8 || s == IW_U16 || s == IW_BOOL) && (t == IW_U32 || t == IW_U64))
          || ((s == IW_I8 || s == IW_I16) && (t == IW_I32 || t == IW_I64)) || (s == IW_I32 && t == IW_I64)
          || (s == IW_U32 && t == IW_U64) || ((s == IW_F16 || s == IW_BF16) && t == IW_F32) || (s == IW_F32 && t == IW_F64),
      "a scan or reduction of in cannot have outputs of this type");
  return t;
}
template <class T> constexpr bool is_index = is_integer<T> && std::is_unsigned_v<T> && sizeof(T) >= 4;
template <class T> constexpr bool is_counter = is_one_of<T, uint32_t, uint64_t>;
/* The sums of weights of W. */
template <class W> using sum_t = std::conditional_t<!is_integer<W>, W, std::conditional_t<std::is_signed_v<W>, int64_t, uint64_t>>;
template <class R, class T> using type_or = std::conditional_t<std::is_void_v<R>, T, R>;
template <class R> using data_t = std::remove_pointer_t<decltype(std::data(std::declval<R &>()))>;
template <class R> using value_t = std::remove_cv_t<data_t<R>>;
/* The type of a result for In: R if it is not void, or that of the view To, or In's. */
template <class R, class In, class... To> struct result_of { using type = type_or<R, value_t<In>>; };
template <class R, class In, class To> struct result_of<R, In, To> { using type = data_t<To>; };
template <class R, class In, class... To> using result_t = typename result_of<R, In, To...>::type;
}
using namespace detail; /* value_t<R>: the element type of anything that is a view */

/* ---- Views ------------------------------------------------------------------------------------------- */

template <class T> class span {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  constexpr span() = default;
  constexpr span(std::nullptr_t) {}
  constexpr span(T *data, size_t size) : data_(data), size_(size) {}
  template <class R, class = std::enable_if_t<std::is_convertible_v<data_t<R> (*)[], T (*)[]>>>
  constexpr span(R &&range) : data_(std::data(range)), size_(std::size(range)) {}
  constexpr T *data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T *begin() const { return data_; }
  constexpr T *end() const { return data_ + size_; }
  constexpr T &operator[](size_t i) const { return data_[i]; }
  constexpr span subspan(size_t begin, size_t n) const { return span(data_ + begin, n); }

 private:
  T *data_ = nullptr;
  size_t size_ = 0;
};
template <class R> span(R &&) -> span<data_t<R>>;

/* A view of indices: integers of 4 or 8 bytes without a sign. */
class indices {
 public:
  indices() = default;
  template <class R, class = std::enable_if_t<is_index<data_t<R>>>>
  indices(R &&range) : c_{ std::data(range), unsigned(sizeof *std::data(range)) }, size_(std::size(range)) {}
  iw_indices c() const { return c_; }
  void *data() const { return c_.at; }
  size_t size() const { return size_; }

 private:
  iw_indices c_ = { nullptr, 4 };
  size_t size_ = 0;
};

/* Up to N structs of a braced list or a view, which are copied. */
template <class T, size_t N> class list {
 public:
  list() = default;
  list(std::initializer_list<T> from) : list(span<const T>(from)) {}
  list(span<const T> from) : size_(from.size()) { for (size_t i = 0; i < size_ && i < N; i++) at_[i] = from[i]; }
  size_t size() const { return size_; } /* above N the call fails */
  const T *begin() const { return at_.data(); }
  const T *end() const { return at_.data() + (size_ < N ? size_ : N); }

 private:
  std::array<T, N> at_ = {};
  size_t size_ = 0;
};

namespace detail {
/* An input: its address, length and type. */
template <class T> struct input {
  template <class R> explicit input(const R &range) : at(std::data(range)), n(std::size(range)) {}
  operator iw_elements() const { return { at, n }; }
  static constexpr iw_type type = type_of<T>();
  const T *at;
  size_t n;
};
template <class R> input(const R &) -> input<value_t<R>>;

/* An array of at least n, and one of n. Without an address it is not wanted, or the C call refuses it. */
template <class A> check room(const char *what, const A &a, size_t n) { return { what, a.data() ? a.size() : n, n, false }; }
template <class A> check equal(const char *what, const A &a, size_t n) { return { what, a.data() ? a.size() : n, n, true }; }
template <class T> const T *address(const std::optional<T> &value) { return value ? &*value : nullptr; }
}

/* ---- Contexts ---------------------------------------------------------------------------------------- */

/* A handle that a C call made and that becomes an object's. */
template <class H> struct adopt { H *handle = nullptr; };

struct context_options {
  iw_backend backend = IW_BACKEND_AUTO;
  const char *isa = nullptr;
  unsigned threads = 0;
  iw_blocks blocks = IW_BLOCKS_AUTO;
  int device = 0;
  unsigned openmp = 0;
};

class context {
 public:
  static result<context> open(const context_options &o = {})
  {
    const iw_context_options c = { sizeof c, o.backend, o.isa, o.threads, o.blocks, o.device, o.openmp };
    return call_for<context, adopt<iw_context>>({}, [&](auto *to) { return iw_context_open(&to->handle, &c); });
  }
#ifndef ISOWARP_NO_EXCEPTIONS
  explicit context(const context_options &o = {}) : context(open(o)) {}
#endif
  explicit context(adopt<iw_context> own) : handle_(own.handle, closer{ true }) {}
  context(iw_context *borrowed) : handle_(borrowed, closer{ false }) {}
  iw_context *get() const { return handle_.get(); }
  result<iw_context_info> info() const
  {
    return call_for<iw_context_info>({}, [&](auto *i) { i->size = sizeof *i; return iw_context_get_info(get(), i); });
  }
  result<void> reserve(size_t bytes) const { return call({}, iw_context_reserve, get(), bytes); }
  result<void> set_stream(void *stream) const { return call({}, iw_context_set_stream, get(), stream); }
  result<void> synchronize() const { return call({}, iw_context_synchronize, get()); }
  result<size_t> measure_offload_threshold() const
  {
    return call_for<size_t>({}, [&](size_t *bytes) { return iw_context_measure_offload_threshold(get(), bytes); });
  }

 private:
  struct closer {
    bool owned;
    void operator()(iw_context *c) const { if (owned) iw_context_close(c); }
  };
  std::unique_ptr<iw_context, closer> handle_;
};

}
}

#endif
