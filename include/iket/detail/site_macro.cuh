// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What the public macros expand to, in the device pass of an enabled build and elsewhere. These macros stay defined,
/// since the public ones are expanded where they are used.
#pragma once

#include <iket/config.hpp>
#include <iket/scoped_range.cuh>
#include <iket/site.hpp>

/// The file name that sites carry.
#define IKET_DETAIL_FILE ::iket::detail::path_tail(__FILE__, IKET_FILE_COMPONENTS)

// A number of its own for each range. NVRTC does not count: two ranges on one line clash there.
#if defined(__CUDACC_RTC__)
#define IKET_DETAIL_UNIQUE __LINE__
#else
#define IKET_DETAIL_UNIQUE __COUNTER__
#endif

#if IKET_ENABLED && defined(__CUDA_ARCH__)

#define IKET_DETAIL_CONCAT_(a, b) a##b
#define IKET_DETAIL_CONCAT(a, b) IKET_DETAIL_CONCAT_(a, b)
#define IKET_DETAIL_FIRST_(first, ...) first
#define IKET_DETAIL_FIRST(...) IKET_DETAIL_FIRST_(__VA_ARGS__, )

// A static in a lambda is one object per place in the source and, in a template, per instantiation. The empty literal
// in front refuses every name that is no literal.
//
// The lambda is generic in the size of the file's name, so that this is part of the statics' own names: two units that
// include one header by different paths would else define objects of one name and two sizes, which nvlink refuses.
// NVRTC takes no generic lambda without a flag.
#if defined(__CUDACC_RTC__)
#define IKET_DETAIL_FILE_BYTES
#define IKET_DETAIL_FILE_BYTES_VALUE
#define IKET_DETAIL_FILE_BYTES_OF ::iket::detail::text_bytes(IKET_DETAIL_FILE)
#else
#define IKET_DETAIL_FILE_BYTES auto iket_file_bytes
#define IKET_DETAIL_FILE_BYTES_VALUE \
  ::iket::detail::number<::iket::detail::text_bytes(IKET_DETAIL_FILE)> {}
#define IKET_DETAIL_FILE_BYTES_OF decltype(iket_file_bytes)::value
#endif
#define IKET_DETAIL_SITE(kind, name)                                                                    \
  ::iket::detail::site_bits([](IKET_DETAIL_FILE_BYTES) -> const ::iket::detail::site_reference* {       \
    static __device__ const ::iket::detail::site<sizeof("" name), IKET_DETAIL_FILE_BYTES_OF> iket_site{ \
        ::iket::site_kind::kind, "" name, IKET_DETAIL_FILE, __LINE__};                                  \
    static __constant__ const ::iket::detail::site_reference iket_reference{&iket_site, 0};             \
    return &iket_reference;                                                                             \
  }(IKET_DETAIL_FILE_BYTES_VALUE))

// The site of an event whose record carries none: for the reports of IKET_CHECKED alone.
#if IKET_DETAIL_CHECKED
#define IKET_DETAIL_SITE_IF_CHECKED(name) IKET_DETAIL_SITE(mark, name)
#else
#define IKET_DETAIL_SITE_IF_CHECKED(name) 0
#endif

#define IKET_DETAIL_SITE_OF(kind, ...) IKET_DETAIL_SITE(kind, IKET_DETAIL_FIRST(__VA_ARGS__))

#define IKET_DETAIL_SCOPE(rec, condition, kind, ...)                              \
  const ::iket::scoped_range IKET_DETAIL_CONCAT(iket_range_, IKET_DETAIL_UNIQUE)( \
      rec, condition, IKET_DETAIL_SITE_OF(kind, __VA_ARGS__), __VA_ARGS__)
#define IKET_DETAIL_EVENT(rec, condition, function, kind, ...) \
  ::iket::function(rec, condition, IKET_DETAIL_SITE_OF(kind, __VA_ARGS__), __VA_ARGS__)
#define IKET_DETAIL_START(rec, condition, kind, ...) \
  ::iket::start(rec, condition, IKET_DETAIL_SITE_OF(kind, __VA_ARGS__), __VA_ARGS__)
#define IKET_DETAIL_COUNTER(rec, condition, ...) \
  ::iket::count(rec, condition, IKET_DETAIL_SITE_OF(counter, __VA_ARGS__), __VA_ARGS__)
#define IKET_DETAIL_END(rec, condition, token) (rec).end_if(condition, token)
#define IKET_DETAIL_ROLE(rec, condition, name) (rec).set_role_if(condition, IKET_DETAIL_SITE(role, name))
#define IKET_DETAIL_POP(rec, condition) (rec).pop_if(condition, IKET_DETAIL_SITE_IF_CHECKED("IKET_POP"))
#define IKET_DETAIL_SYNC(rec, condition) (rec).sync_if(condition, IKET_DETAIL_SITE_IF_CHECKED("IKET_SYNC"))

#else

#define IKET_DETAIL_NOTHING(function, ...)    \
  do {                                        \
    if (false) ::iket::function(__VA_ARGS__); \
  } while (false)

// One statement, as the enabled form is. Counts __COUNTER__ as that does: a program's own uses must come to the same
// numbers on both sides.
#define IKET_DETAIL_SCOPE(rec, condition, kind, ...)           \
  do {                                                         \
    static_assert(IKET_DETAIL_UNIQUE >= 0, "");                \
    if (false) ::iket::ignore(rec, condition, "" __VA_ARGS__); \
  } while (false)
#define IKET_DETAIL_EVENT(rec, condition, function, kind, ...) \
  IKET_DETAIL_NOTHING(ignore, rec, condition, "" __VA_ARGS__)
#define IKET_DETAIL_START(rec, condition, kind, ...) \
  (false ? ::iket::ignore(rec, condition, "" __VA_ARGS__) : ::iket::token{})
#define IKET_DETAIL_COUNTER(rec, condition, ...) IKET_DETAIL_NOTHING(ignore_count, rec, condition, "" __VA_ARGS__)
#define IKET_DETAIL_END(rec, condition, token) IKET_DETAIL_NOTHING(ignore_end, rec, condition, token)
#define IKET_DETAIL_ROLE(rec, condition, name) IKET_DETAIL_NOTHING(ignore, rec, condition, "" name)
#define IKET_DETAIL_POP(rec, condition) IKET_DETAIL_NOTHING(ignore, rec, condition, "")
#define IKET_DETAIL_SYNC(rec, condition) IKET_DETAIL_NOTHING(ignore, rec, condition, "")

#endif
