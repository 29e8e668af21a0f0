// Sums, means, maxima along axes. Written by tools/generate from src/ops/reduce/: change those files.
#pragma once

#include <string>
#include <vector>

#include <cantik/api.h>
#include <cantik/function.h>
#include <cantik/initializer.h>
#include <cantik/ops/argument.h>
#include <cantik/source_location.h>

namespace cantik {

// The place of the largest number along an axis, the first of several, as a number of the element type. The
// axis stays, with the size 1.
// axis: a static axis; without one, the place in the flattened row
CANTIK_API Function argmax(const Variable& x, AxisArgument axis = Axis::all_static(),
                           const std::string& name = {}, SourceLocation where = SourceLocation::current());

// The place of the smallest number along an axis, the first of several, as a number of the element type. The
// axis stays, with the size 1.
// axis: a static axis; without one, the place in the flattened row
CANTIK_API Function argmin(const Variable& x, AxisArgument axis = Axis::all_static(),
                           const std::string& name = {}, SourceLocation where = SourceLocation::current());

// Sums of the numbers up to each place along an axis, that place included; with reverse, from each place on.
// axis: the static axis to sum along
// reverse: from the end to the beginning
CANTIK_API Function cumsum(const Variable& x, AxisArgument axis = -1, bool reverse = false,
                           const std::string& name = {}, SourceLocation where = SourceLocation::current());

// The sum of |x| over some axes.
// axis: the axes to reduce: static ones, the batch, or all; without one, all static axes
// keepdims: a reduced static axis stays, with the size 1
CANTIK_API Function reduce_l1(const Variable& x, const std::vector<AxisArgument>& axis = {Axis::all_static()},
                              bool keepdims = true, const std::string& name = {},
                              SourceLocation where = SourceLocation::current());

// sqrt(sum of x^2) over some axes.
// axis: the axes to reduce: static ones, the batch, or all; without one, all static axes
// keepdims: a reduced static axis stays, with the size 1
CANTIK_API Function reduce_l2(const Variable& x, const std::vector<AxisArgument>& axis = {Axis::all_static()},
                              bool keepdims = true, const std::string& name = {},
                              SourceLocation where = SourceLocation::current());

// Log(sum of e^x) over some axes: static ones, the batch, or all. Without an axis, over all static ones.
//
// y = log(sum of e^x) over some axes.
// axis: the axes to reduce: static ones, the batch, or all; without one, all static axes
// keepdims: a reduced static axis stays, with the size 1
CANTIK_API Function reduce_log_sum_exp(const Variable& x,
                                       const std::vector<AxisArgument>& axis = {Axis::all_static()},
                                       bool keepdims = true, const std::string& name = {},
                                       SourceLocation where = SourceLocation::current());

// The largest number over some axes: static ones, the batch, or all. Without an axis, over all static ones.
//
// y = max of x over some axes.
// axis: the axes to reduce: static ones, the batch, or all; without one, all static axes
// keepdims: a reduced static axis stays, with the size 1
CANTIK_API Function reduce_max(const Variable& x,
                               const std::vector<AxisArgument>& axis = {Axis::all_static()},
                               bool keepdims = true, const std::string& name = {},
                               SourceLocation where = SourceLocation::current());

// The mean over some axes: static ones, the batch, or all. Without an axis, over all static ones.
//
// y = mean of x over some axes.
// axis: the axes to reduce: static ones, the batch, or all; without one, all static axes
// keepdims: a reduced static axis stays, with the size 1
CANTIK_API Function reduce_mean(const Variable& x,
                                const std::vector<AxisArgument>& axis = {Axis::all_static()},
                                bool keepdims = true, const std::string& name = {},
                                SourceLocation where = SourceLocation::current());

// The smallest number over some axes: static ones, the batch, or all. Without an axis, over all static ones.
//
// y = min of x over some axes.
// axis: the axes to reduce: static ones, the batch, or all; without one, all static axes
// keepdims: a reduced static axis stays, with the size 1
CANTIK_API Function reduce_min(const Variable& x,
                               const std::vector<AxisArgument>& axis = {Axis::all_static()},
                               bool keepdims = true, const std::string& name = {},
                               SourceLocation where = SourceLocation::current());

// The product over some axes: static ones, the batch, or all. Without an axis, over all static ones.
//
// y = product of x over some axes.
// axis: the axes to reduce: static ones, the batch, or all; without one, all static axes
// keepdims: a reduced static axis stays, with the size 1
CANTIK_API Function reduce_prod(const Variable& x,
                                const std::vector<AxisArgument>& axis = {Axis::all_static()},
                                bool keepdims = true, const std::string& name = {},
                                SourceLocation where = SourceLocation::current());

// The sum over some axes: static ones, the batch, or all. Without an axis, over all static ones.
//
// y = sum of x over some axes.
// axis: the axes to reduce: static ones, the batch, or all; without one, all static axes
// keepdims: a reduced static axis stays, with the size 1
CANTIK_API Function reduce_sum(const Variable& x,
                               const std::vector<AxisArgument>& axis = {Axis::all_static()},
                               bool keepdims = true, const std::string& name = {},
                               SourceLocation where = SourceLocation::current());

// The sum of x^2 over some axes.
// axis: the axes to reduce: static ones, the batch, or all; without one, all static axes
// keepdims: a reduced static axis stays, with the size 1
CANTIK_API Function reduce_sum_square(const Variable& x,
                                      const std::vector<AxisArgument>& axis = {Axis::all_static()},
                                      bool keepdims = true, const std::string& name = {},
                                      SourceLocation where = SourceLocation::current());

}  // namespace cantik
