// Rules of shapes and element types: what is known of one side fills in the other.
#pragma once

#include <string>
#include <vector>

#include <cantik/mxnet/blob.h>
#include <cantik/mxnet/node.h>

namespace mxnet {
namespace op {

using nnvm::NodeAttrs;

// `to` becomes what both say together; false where they do not fit.
inline bool shape_assign(TShape* to, const TShape& from) {
  if (from.ndim() == 0) return true;
  if (to->ndim() == 0) {
    *to = from;
    return true;
  }
  if (to->ndim() != from.ndim()) return false;
  for (uint32_t i = 0; i < to->ndim(); ++i) {
    if ((*to)[i] == 0)
      (*to)[i] = from[i];
    else if (from[i] != 0 && from[i] != (*to)[i])
      return false;
  }
  return true;
}
inline bool type_assign(int* to, int from) {
  if (*to == -1) *to = from;
  return from == -1 || *to == from;
}
inline bool type_is_none(int flag) { return flag == -1; }

// n_in, n_out: how many operands and results there are; -1: any number.
template <int n_in, int n_out>
bool ElemwiseShape(const NodeAttrs&, std::vector<TShape>* in, std::vector<TShape>* out) {
  TShape all;
  auto both = [&](std::vector<TShape>& list, int count, const char* what) {
    if (count >= 0) CHECK_EQ(list.size(), static_cast<size_t>(count)) << "shapes of the " << what << "s";
    for (size_t i = 0; i < list.size(); ++i)
      if (!shape_assign(&all, list[i]))
        throw cantik::shape_failure(std::string("Incompatible attr in node at ") + std::to_string(i) +
                                    "-th " + what + ": expected " + all.text() + ", got " + list[i].text());
  };
  both(*in, n_in, "input"), both(*out, n_out, "output");
  for (TShape& s : *in) s = all;
  for (TShape& s : *out) s = all;
  return shape_is_known(all);
}

template <int n_in, int n_out>
bool ElemwiseType(const NodeAttrs&, std::vector<int>* in, std::vector<int>* out) {
  int all = -1;
  auto both = [&](std::vector<int>& list, int count, const char* what) {
    if (count >= 0) CHECK_EQ(list.size(), static_cast<size_t>(count)) << "types of the " << what << "s";
    for (size_t i = 0; i < list.size(); ++i)
      if (!type_assign(&all, list[i]))
        throw cantik::Failure(CANTIK_TYPE,
                              std::string("Incompatible attr in node at ") + std::to_string(i) + "-th " +
                                  what + ": expected " + type_string(all) + ", got " + type_string(list[i]),
                              "cast one of them");
  };
  both(*in, n_in, "input"), both(*out, n_out, "output");
  for (int& t : *in) t = all;
  for (int& t : *out) t = all;
  return all != -1;
}

namespace detail {
[[noreturn]] inline void inconsistent_shape(const TShape& given, const TShape& wanted) {
  throw cantik::shape_failure("Shape inconsistent, Provided = " + given.text() +
                              ", inferred shape=" + wanted.text());
}
[[noreturn]] inline void inconsistent_type(int given, int wanted) {
  throw cantik::Failure(
      CANTIK_TYPE,
      "Type inconsistent, Provided = " + type_string(given) + ", inferred type = " + type_string(wanted),
      "cast the operand");
}
}  // namespace detail

}  // namespace op
}  // namespace mxnet

// Entry `index` of a list of shapes, or types, is given one, or has to agree with it.
#define SHAPE_ASSIGN_CHECK(shapes, index, shape)                                        \
  do {                                                                                  \
    if (!::mxnet::op::shape_assign(&(shapes)[index], ::mxnet::TShape(shape)))           \
      ::mxnet::op::detail::inconsistent_shape((shapes)[index], ::mxnet::TShape(shape)); \
  } while (0)
#define TYPE_ASSIGN_CHECK(types, index, type)                       \
  do {                                                              \
    if (!::mxnet::op::type_assign(&(types)[index], type))           \
      ::mxnet::op::detail::inconsistent_type((types)[index], type); \
  } while (0)
#define UNIFORM_TYPE_CHECK(type, expected, argument)                             \
  CHECK_EQ(type, expected) << "This layer requires uniform type. Expected '"     \
                           << ::mxnet::type_string(expected) << "' v.s. given '" \
                           << ::mxnet::type_string(type) << "' at '" << (argument) << "'"
