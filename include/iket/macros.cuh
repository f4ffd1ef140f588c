// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The macros that kernels use. They are macros because each use is a site of its own: an object with the name, the
/// file and the line, made where the macro stands.
///
/// All take the recorder first and a string literal as name, of any length. A payload is an int or unsigned of 32 or 64
/// bits, float, double or bool; it is kept with its type and shown on the timeline. Called by the lanes that made the
/// recorder, together. They work in `__global__`, `__device__`, `__host__ __device__` and lambda bodies, in templates
/// and under `if constexpr`; on the host side they are nothing. The functions beneath them are those of
/// scoped_range.cuh and `recorder`.
///
/// Each has a form that ends in `_IF`, with a condition behind the recorder: it records where the condition holds. The
/// condition is the same on all lanes of the warp and is evaluated once, also for a range's two ends. There is no
/// branch: an event that is off costs nearly as much as one that is on, and saves its place in the ring; one that a
/// constant turns off leaves a NOP and some integer instructions. For the same reason a payload is evaluated also where
/// the condition does not hold: it must not read what is not there then.
///
/// Cost of an event: seven instructions (sm_90), of them one predicated 8-byte store, and 8 bytes in the ring; a
/// payload adds four and 8 bytes per 32 bits. docs/cost.md has what that means in time.
///
/// Under NVRTC, two scoped ranges cannot stand on one line of a scope.
///
/// Under IKET_DISABLE the arguments are named, so that nothing warns, and nothing is evaluated.
#pragma once

#include <iket/config.hpp>
#include <iket/detail/site_macro.cuh>
#include <iket/recorder.cuh>
#include <iket/scoped_range.cuh>
#include <iket/token.hpp>

/// Names what the warp is for ("producer"). One role a warp, the last one set. Kept in the warp's header: no wrap of
/// the ring loses it.
///
///     IKET_ROLE(rec, "producer");
#define IKET_ROLE(rec, name) IKET_DETAIL_ROLE(rec, true, name)
#define IKET_ROLE_IF(rec, condition, name) IKET_DETAIL_ROLE(rec, condition, name)

/// A range of kind work, from here to the end of the enclosing scope: a slice on the warp's track.
///
///     { IKET_RANGE(rec, "load tile", tile); load(tile); }
///     { IKET_RANGE_IF(rec, tile < 8, "load tile", tile); load(tile); }
#define IKET_RANGE(rec, ...) IKET_DETAIL_SCOPE(rec, true, work, __VA_ARGS__)
#define IKET_RANGE_IF(rec, condition, ...) IKET_DETAIL_SCOPE(rec, condition, work, __VA_ARGS__)

/// A range of kind wait: time in which the warp waits for someone else. Statistics tell it from work.
///
///     { IKET_WAIT(rec, "wait for data", tile); wait_full(tile); }
#define IKET_WAIT(rec, ...) IKET_DETAIL_SCOPE(rec, true, wait, __VA_ARGS__)
#define IKET_WAIT_IF(rec, condition, ...) IKET_DETAIL_SCOPE(rec, condition, wait, __VA_ARGS__)

/// Begins a range of kind work that `IKET_POP` ends, for stages that are no C++ scope.
///
///     IKET_PUSH(rec, "compute", tile);  compute(tile);  IKET_POP(rec);
#define IKET_PUSH(rec, ...) IKET_DETAIL_EVENT(rec, true, push, work, __VA_ARGS__)
#define IKET_PUSH_IF(rec, condition, ...) IKET_DETAIL_EVENT(rec, condition, push, work, __VA_ARGS__)

/// Begins a range of kind wait that `IKET_POP` ends.
#define IKET_PUSH_WAIT(rec, ...) IKET_DETAIL_EVENT(rec, true, push, wait, __VA_ARGS__)
#define IKET_PUSH_WAIT_IF(rec, condition, ...) IKET_DETAIL_EVENT(rec, condition, push, wait, __VA_ARGS__)

/// Ends the innermost pushed range. A pop without a push is counted and reported. `IKET_POP_IF` takes the condition of
/// the push that it ends.
#define IKET_POP(rec) IKET_DETAIL_POP(rec, true)
#define IKET_POP_IF(rec, condition) IKET_DETAIL_POP(rec, condition)

/// Starts a range of kind work and gives the `iket::token` that `IKET_END` takes. Such ranges may overlap, cross
/// iterations and end in another branch; they nest in nothing. An end takes two records. `IKET_START_IF` gives the
/// sentinel where its condition does not hold.
///
///     iket::token copy = IKET_START(rec, "copy", tile);  ...  IKET_END(rec, copy);
#define IKET_START(rec, ...) IKET_DETAIL_START(rec, true, work, __VA_ARGS__)
#define IKET_START_IF(rec, condition, ...) IKET_DETAIL_START(rec, condition, work, __VA_ARGS__)

/// Starts a range of kind wait; else as `IKET_START`.
#define IKET_START_WAIT(rec, ...) IKET_DETAIL_START(rec, true, wait, __VA_ARGS__)
#define IKET_START_WAIT_IF(rec, condition, ...) IKET_DETAIL_START(rec, condition, wait, __VA_ARGS__)

/// Ends the range that the token stands for; for `iket::token{}`, records nothing.
#define IKET_END(rec, token) IKET_DETAIL_END(rec, true, token)
#define IKET_END_IF(rec, condition, token) IKET_DETAIL_END(rec, condition, token)

/// A point on the warp's track.
///
///     IKET_MARK(rec, "tile done", tile);
#define IKET_MARK(rec, ...) IKET_DETAIL_EVENT(rec, true, mark, mark, __VA_ARGS__)
#define IKET_MARK_IF(rec, condition, ...) IKET_DETAIL_EVENT(rec, condition, mark, mark, __VA_ARGS__)

/// A sample of a value, drawn as a counter track of the warp: name, then the value, of a payload's type.
///
///     IKET_COUNTER(rec, "queue length", length);
#define IKET_COUNTER(rec, ...) IKET_DETAIL_COUNTER(rec, true, __VA_ARGS__)
#define IKET_COUNTER_IF(rec, condition, ...) IKET_DETAIL_COUNTER(rec, condition, __VA_ARGS__)

/// Records both clocks, for kernels that run long on the same warps: between the pairs of opening and close, where the
/// SM clock may have wandered. Three records. Every 20 to 100 us in each warp, or more often in one warp of each CTA,
/// keeps the times of different SMs together (docs/time.md).
#define IKET_SYNC(rec) IKET_DETAIL_SYNC(rec, true)
#define IKET_SYNC_IF(rec, condition) IKET_DETAIL_SYNC(rec, condition)
