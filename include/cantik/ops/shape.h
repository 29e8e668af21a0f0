// Shapes: slices, splices, transpositions, gathering, padding. Written by tools/generate from src/ops/shape/:
// change those files.
#pragma once

#include <string>
#include <vector>

#include <cantik/api.h>
#include <cantik/function.h>
#include <cantik/initializer.h>
#include <cantik/ops/argument.h>
#include <cantik/source_location.h>

namespace cantik {

// The part of node_input, [channels, height, width], that lies over node_referent and has its height and
// width. The offsets follow from the convolutions, poolings, transposed convolutions and crops between each
// of them and what both come from. A RuntimeError says where they come from nothing in common, lie at
// different scales, or node_referent begins before node_input.
CANTIK_API Function crop_automatic(const Variable& node_input, const Variable& node_referent,
                                   const std::string& name = {},
                                   SourceLocation where = SourceLocation::current());

// As crop_automatic, where node_input and node_referent need come from nothing in common: ancestor_input,
// which node_input comes from, lies pixel over pixel over ancestor_referent, which node_referent comes from:
// an image, say, and its labels.
CANTIK_API Function crop_automatic_with_ancestors(const Variable& node_input, const Variable& node_referent,
                                                  const Variable& ancestor_input,
                                                  const Variable& ancestor_referent,
                                                  const std::string& name = {},
                                                  SourceLocation where = SourceLocation::current());

// The part of node_input, [channels, height, width], that begins at (offset_y, offset_x) and has the height
// and width of node_referent.
// offset_x: where the part begins along the last axis
// offset_y: where it begins along the last but one
CANTIK_API Function crop_manual(const Variable& node_input, const Variable& node_referent, int64_t offset_x,
                                int64_t offset_y, const std::string& name = {},
                                SourceLocation where = SourceLocation::current());

// [b * b * c, height, width] becomes [c, b * height, b * width]: the channels with equal remainder c make a
// block of b x b pixels.
// block_size: height and width of a block
CANTIK_API Function depth_to_space(const Variable& operand, int64_t block_size, const std::string& name = {},
                                   SourceLocation where = SourceLocation::current());

// The same numbers with one more axis of size 1, behind the axis given: [2, 3] becomes [2, 1, 3] with axis 0,
// [2, 3, 1] with axis -1.
// axis: the axis before the new one; a new leading axis is possible too
CANTIK_API Function expand_dims(const Variable& x, AxisArgument axis, const std::string& name = {},
                                SourceLocation where = SourceLocation::current());

// The unit matrix in the shape of x, which has two axes: two static ones, or the batch and one static axis.
// sparse_output: sparse rows
CANTIK_API Function eye_like(const Variable& x, bool sparse_output = true, const std::string& name = {},
                             SourceLocation where = SourceLocation::current());

// A matrix of the same numbers: its rows are the axes before `axis`, its columns the others. [2, 3, 4]
// becomes [2, 12] with axis 1.
// axis: the first axis of the columns; -1: the end, as is the batch axis. Without one, all axes are columns
CANTIK_API Function flatten(const Variable& x, AxisArgument axis = AxisArgument::none(),
                            const std::string& name = {}, SourceLocation where = SourceLocation::current());

// Rows of reference by number: [5, 4] and indices [2] give [2, 4]. With an axis other than the first, that
// axis and the first change places before and behind. Indices are whole numbers, in the element type of the
// reference; one outside of the table is an error.
//
// y[i...] = reference[indices[i...]]: rows of a table, by number.
// axis: the axis of the reference that is looked up; without one, the first
CANTIK_API Function gather(const Variable& reference, const Variable& indices,
                           AxisArgument axis = AxisArgument::none(), const std::string& name = {},
                           SourceLocation where = SourceLocation::current());

// Options of one_hot().
struct OneHotOptions {
  // length of the vectors
  int64_t num_classes = 1;
  // sparse rows
  bool sparse_output = false;
  // the axis of the result that the classes are
  AxisArgument axis = -1;
  // of the function
  std::string name = {};
};

// Each number of x becomes a vector of num_classes numbers: 1 at its place, else 0; zeros where it is no
// class. The vectors lie along `axis` of the result.
CANTIK_API Function one_hot(const Variable& x, const OneHotOptions& options = {},
                            SourceLocation where = SourceLocation::current());

// Options of pad().
struct PadOptions {
  // for each axis how much comes before and how much behind it
  std::vector<int64_t> pattern = {};
  // 0: a number, 1: mirrored without the edge, 2: mirrored with it
  int64_t mode = 0;
  // the number
  double constant_value = 0;
  // of the function
  std::string name = {};
};

// x with a border: pattern is a pair (before, behind) for each static axis. The border is constant_value
// (mode 0), x mirrored without its edge (1) or with it (2).
CANTIK_API Function pad(const Variable& x, const PadOptions& options = {},
                        SourceLocation where = SourceLocation::current());

// Options of reshape().
struct ReshapeOptions {
  // what takes the place of the axes; one dimension may be -1 or free, to be inferred
  Shape shape = {};
  // the first axis that is replaced; without one, the first of all
  AxisArgument begin_axis = AxisArgument::none();
  // the first one behind them that stays
  AxisArgument end_axis = AxisArgument::none();
  // of the function
  std::string name = {};
};

// The same numbers, in the same order, under another shape: shape takes the place of the axes from begin_axis
// to before end_axis. One dimension may be -1 or free, to be inferred.
CANTIK_API Function reshape(const Variable& x, const ReshapeOptions& options = {},
                            SourceLocation where = SourceLocation::current());

// Options of slice().
struct SliceOptions {
  // a static axis, or several
  std::vector<AxisArgument> axis = {};
  // the first position; negative: from the end
  std::vector<int64_t> begin_index = {};
  // the first one that is not taken; 0 or negative: from the end
  std::vector<int64_t> end_index = {};
  // every how many positions; negative: backwards
  std::vector<int64_t> strides = {};
  // of the function
  std::string name = {};
};

// The positions begin_index to before end_index along an axis, or along several. Negative indices count from
// the end; the end 0 is the end of the axis. A negative stride goes backwards from the last position of the
// range.
//
// y = x[begin:end:stride] along one or several static axes.
CANTIK_API Function slice(const Variable& x, const SliceOptions& options = {},
                          SourceLocation where = SourceLocation::current());

// [c, b * height, b * width] becomes [b * b * c, height, width]: the pixels of a block of b x b become
// channels.
// block_size: height and width of a block
CANTIK_API Function space_to_depth(const Variable& operand, int64_t block_size, const std::string& name = {},
                                   SourceLocation where = SourceLocation::current());

// The operands one behind the other along `axis`, by default the last; [2, 3] and [2, 4] become [2, 7]. Their
// other axes broadcast. A single operand stays as it is.
//
// y = the operands one behind the other along an axis.
// axis: the static axis along which they follow; a new leading one is possible
CANTIK_API Function splice(const std::vector<Variable>& inputs, AxisArgument axis = -1,
                           const std::string& name = {}, SourceLocation where = SourceLocation::current());

// The same numbers without axes of size 1: those given, or all of them.
// axes: the axes to drop; without them, all of size 1
CANTIK_API Function squeeze(const Variable& x, const std::vector<AxisArgument>& axes = {},
                            const std::string& name = {}, SourceLocation where = SourceLocation::current());

// Two axes change places. One of them, counted from the last axis, may stand in front of the first: [3]
// becomes [3, 1] with -1 and -2.
// axis1: one of the two
// axis2: the other
CANTIK_API Function swapaxes(const Variable& x, AxisArgument axis1 = 0, AxisArgument axis2 = 1,
                             const std::string& name = {}, SourceLocation where = SourceLocation::current());

// The first static axis becomes the batch: [4, 2] becomes four samples [2].
CANTIK_API Function to_batch(const Variable& x, const std::string& name = {},
                             SourceLocation where = SourceLocation::current());

// Two results: the k largest numbers along an axis, in falling order, and their places; of equal numbers the
// first ones. Of an axis in front of the first there is one number: [3] becomes [1, 3] with the axis -2.
// k: how many
// axis: along which static axis
CANTIK_API Function top_k(const Variable& x, int64_t k, AxisArgument axis = -1, const std::string& name = {},
                          SourceLocation where = SourceLocation::current());

// The axes in another order: axis i of the result is axis perm[i] of x.
//
// y[i_perm] = x[i]: the axes in another order.
// perm: for each axis of the result, the axis of x
CANTIK_API Function transpose(const Variable& x, const std::vector<int64_t>& perm,
                              const std::string& name = {}, SourceLocation where = SourceLocation::current());

// The samples become a first static axis, of a size that is known in each run: [#][2, 3] becomes [*, 2, 3].
CANTIK_API Function unpack_batch(const Variable& x, const std::string& name = {},
                                 SourceLocation where = SourceLocation::current());

}  // namespace cantik
