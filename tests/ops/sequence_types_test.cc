// Operators on sequences in graphs: types, axes and their names, what blocks are made of, wrong use.
#include <gtest/gtest.h>

#include <cantik/error.h>
#include <cantik/function.h>

#include "graph/node.h"

using namespace cantik;

namespace {

Variable sequence_of(const Shape& shape, const char* name, const Axis& axis = Axis::sequence(),
                     bool sparse = false) {
  return input(shape, {.sparse = sparse, .axes = Axes({Axis::batch(), axis}), .name = name});
}
Variable number(double x) { return constant(Tensor::scalar(x, DType::float32)); }
std::string type_of(const Function& f) { return f.output().axes().text() + f.output().shape().text(); }

// What the block is made of, root first: "GatherPacked PackedIndex ...".
std::string inside(const Function& f) {
  std::string names;
  preorder(f.node()->block->root.handle(), [&](const std::shared_ptr<Node>& n) {
    names += (names.empty() ? "" : " ") + (n->block ? n->block->op_name : n->op->cntk_name());
    return false;
  });
  return names;
}

template <class F>
std::string refused(ErrorKind kind, F&& build) {
  try {
    build();
  } catch (const Error& e) {
    EXPECT_EQ(static_cast<int>(e.kind()), static_cast<int>(kind)) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "it was accepted";
  return {};
}
void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

struct SequenceTypes : ::testing::Test {
  Variable x = sequence_of({3}, "x"), c = sequence_of({1}, "c"), u = sequence_of({3}, "u", Axis("u")),
           b = input({3}, {.name = "b"});
};

TEST_F(SequenceTypes, delays_keep_the_type) {
  EXPECT_EQ(type_of(call("sequence_past_value", {x})), "[#, *][3]");
  EXPECT_EQ(type_of(call("sequence_future_value", {x, b}, {{"time_step", int64_t{2}}})), "[#, *][3]");
  EXPECT_EQ(type_of(call("sequence_past_value", {x, u}, {{"time_step", int64_t{2}}})), "[#, *][3]");
  EXPECT_EQ(call("sequence_delay", {x}, {{"time_step", int64_t{-2}}}).node()->op->cntk_name(), "FutureValue");
  EXPECT_EQ(call("sequence_delay", {x}, {{"time_step", int64_t{0}}}).outputs()[0].uid(), x.uid());
}

TEST_F(SequenceTypes, delays_refuse_what_has_no_steps) {
  expect_part(refused(ErrorKind::runtime, [&] { call("sequence_past_value", {b}); }),
              "without a sequence axis");
  expect_part(
      refused(ErrorKind::value, [&] { call("sequence_past_value", {x}, {{"time_step", int64_t{-1}}}); }),
      "negative");
  expect_part(refused(ErrorKind::shape, [&] { call("sequence_past_value", {x, input({4})}); }),
              "[4], which does not broadcast");
  expect_part(refused(ErrorKind::runtime, [&] { call("sequence_is_first", {b}); }),
              "without a sequence axis");
  expect_part(refused(ErrorKind::runtime, [&] { call("sequence_first", {b}); }), "without a sequence axis");
}

TEST_F(SequenceTypes, slices_name_their_axes_after_the_operand_s) {
  auto slice = [&](const Variable& v, int64_t begin, int64_t end) {
    return type_of(call("sequence_slice", {v}, {{"begin_index", begin}, {"end_index", end}}));
  };
  EXPECT_EQ(slice(x, 1, 3), "[#, defaultDynamicAxis_fixedSliceOf_2][3]");
  EXPECT_EQ(slice(x, -2, 0), "[#, defaultDynamicAxis_fixedSliceOf_2][3]");
  EXPECT_EQ(slice(x, 1, -1), "[#, defaultDynamicAxis_times_1_minus_2][3]");
  EXPECT_EQ(slice(x, 1, 0), "[#, defaultDynamicAxis_times_1_minus_1][3]");
  EXPECT_EQ(slice(u, 0, 2), "[#, u_fixedSliceOf_2][3]");
  EXPECT_EQ(slice(x, -3, 2), "[#, defaultDynamicAxis_fixedSliceOf_5][3]");
  EXPECT_EQ(slice(x, 2, 3), "[#][3]");
  EXPECT_EQ(slice(x, 0, 0), "[#, *][3]");
  EXPECT_EQ(type_of(call("sequence_last", {x})), "[#][3]");
  expect_part(refused(ErrorKind::value, [&] { slice(x, 2, 2); }), "the slice of steps is empty");
}

TEST_F(SequenceTypes, the_same_condition_gives_the_same_axis) {
  Function positive = call("greater", {c, number(0)});
  Function one = call("sequence_gather", {x, positive}), two = call("sequence_gather", {c, positive});
  EXPECT_EQ(one.output().axes(), two.output().axes());
  EXPECT_EQ(type_of(call("plus", {one, two})),
            "[#, whereNodeDynamicAxis_conditionVar_" + positive.output().uid() + "][3]");
  EXPECT_EQ(call("sequence_where", {positive}).output().axes(), one.output().axes());
  Function other = call("sequence_gather", {x, call("greater", {c, number(0)})});
  EXPECT_FALSE(one.output().axes() == other.output().axes());
  expect_part(refused(ErrorKind::shape, [&] { call("plus", {one, other}); }), "different dynamic axes");
  EXPECT_EQ(
      type_of(call("sequence_gather", {x, c}, {{"new_sequence_axis_typeinfo", std::vector<int64_t>{0, 3}}})),
      "[#, defaultDynamicAxis_fixedSliceOf_3][3]");
  EXPECT_EQ(
      type_of(call("sequence_gather", {x, c}, {{"new_sequence_axis_typeinfo", std::vector<int64_t>{0, 1}}})),
      "[#][3]");
}

TEST_F(SequenceTypes, a_placeholder_s_axis_is_found_when_it_is_bound) {
  Variable p = placeholder("p");
  Function f = call("sequence_gather", {x, p});
  EXPECT_EQ(type_of(f), "[???][3]");
  f = f.replace_placeholders({{p, c}});
  EXPECT_EQ(type_of(f), "[#, whereNodeDynamicAxis_conditionVar_" + c.uid() + "][3]");
  Variable q = placeholder("q");
  Function g = call("sequence_slice", {q}, {{"begin_index", int64_t{0}}, {"end_index", int64_t{2}}});
  EXPECT_EQ(type_of(g.replace_placeholders({{q, u}})), "[#, u_fixedSliceOf_2][3]");
  Variable r = placeholder("r", Type{DType::float32, Shape{3}, Axes::unknown(), Storage::dense});
  Function h = call("sequence_reduce_sum", {r});
  EXPECT_EQ(type_of(h.replace_placeholders({{r, u}})), "[#][3]");
}

TEST_F(SequenceTypes, blocks_are_made_of_cntk_s_primitives) {
  EXPECT_EQ(inside(call("sequence_first", {x})),
            "GatherPacked PackedIndex Where PastValue ReconcileDynamicAxis");
  EXPECT_EQ(inside(call("sequence_slice", {x}, {{"begin_index", int64_t{1}}, {"end_index", int64_t{-1}}})),
            "GatherPacked PackedIndex Where ElementTimes Minus PastValue ReconcileDynamicAxis Minus "
            "FutureValue ReconcileDynamicAxis");
  EXPECT_EQ(inside(call("sequence_is_last", {x})), "FutureValue ReconcileDynamicAxis");
  EXPECT_EQ(inside(call("sequence_gather", {x, c})), "GatherPacked PackedIndex Where");
  EXPECT_EQ(inside(call("sequence_scatter", {x, c})), "ScatterPacked PackedIndex Where");
  EXPECT_EQ(inside(call("sequence_broadcast_as", {b, x})), "ReconcileDynamicAxis");
  EXPECT_EQ(inside(call("sequence_reduce_max", {x})), "ReduceElements UnpackSequenceOp");
  EXPECT_EQ(inside(call("sequence_softmax", {x})),
            "ElementDivide Exp Minus Sequence::BroadcastAs Sequence::ReduceElements Sequence::BroadcastAs "
            "Sequence::ReduceElements");
}

TEST_F(SequenceTypes, steps_as_a_static_axis_and_back) {
  Function unpacked = call("sequence_unpack", {x}, {{"padding_value", 0.0}});
  ASSERT_EQ(unpacked.outputs().size(), 2u);
  EXPECT_EQ(unpacked.outputs()[0].shape(), (Shape{kFree, 3}));
  EXPECT_EQ(unpacked.outputs()[1].shape(), Shape{kFree});
  EXPECT_EQ(unpacked.outputs()[0].axes().text(), "[#]");
  Variable f = input({kFree, 3}, {.name = "f"}), n = input({}, {.name = "n"});
  EXPECT_EQ(type_of(call("to_sequence", {f})), "[#, toSequence_" + f.uid() + "][3]");
  EXPECT_EQ(type_of(call("to_sequence", {f, n}, {{"sequence_axis_name_prefix", std::string("a_")}})),
            "[#, a_" + f.uid() + "][3]");
  EXPECT_EQ(type_of(call("to_sequence_like", {f, u})), "[#, u][3]");
  expect_part(refused(ErrorKind::value, [&] { call("to_sequence", {x}); }), "has a sequence axis already");
  expect_part(refused(ErrorKind::value, [&] { call("to_sequence", {f, b}); }), "one number for each sample");
  expect_part(refused(ErrorKind::value, [&] { call("to_sequence", {n}); }),
              "needs an axis that becomes the axis of steps");
  expect_part(refused(ErrorKind::value, [&] { call("to_sequence_like", {f, b}); }),
              "without a sequence axis");
  expect_part(refused(ErrorKind::value, [&] { call("sequence_unpack", {b}, {{"padding_value", 0.0}}); }),
              "without a sequence axis");
}

TEST_F(SequenceTypes, two_sequence_axes_meet_only_where_an_operator_says_so) {
  expect_part(refused(ErrorKind::shape, [&] { call("plus", {x, u}); }), "sequence.broadcast_as");
  EXPECT_EQ(type_of(call("sequence_broadcast_as", {x, u})), "[#, u][3]");
  EXPECT_EQ(type_of(call("reconcile_dynamic_axes", {x, b})), "[#][3]");
  EXPECT_EQ(type_of(call("reconcile_dynamic_axes", {number(2), u})), "[#, u][]");
  EXPECT_EQ(type_of(call("times", {c, u}, {{"infer_input_rank_to_map", int64_t{-2}}})), "[#][1, 3]");
  expect_part(refused(ErrorKind::value,
                      [&] {
                        call("times", {x, parameter({3, 2}, Initializer(0.5))},
                             {{"infer_input_rank_to_map", int64_t{-2}}});
                      }),
              "has no sequence axis");
  expect_part(refused(ErrorKind::value, [&] { call("sequence_reduce_sum", {b}); }),
              "without a sequence axis");
  expect_part(refused(ErrorKind::value, [&] { call("sequence_where", {x}); }),
              "must be one number at each step, and has 3");
}

TEST_F(SequenceTypes, sparse_steps_stay_sparse_where_they_are_only_moved) {
  Variable s = sequence_of({5}, "s", Axis::sequence(), true);
  for (Function f :
       {call("sequence_gather", {s, c}), call("sequence_scatter", {s, c}), call("sequence_last", {s})}) {
    EXPECT_EQ(static_cast<int>(f.output().type().storage), static_cast<int>(Storage::csr)) << f.text();
  }
}

TEST_F(SequenceTypes, files_hold_axes_and_slices_come_back_as_such) {
  Function f =
      combine({call("sequence_gather", {x, c}),
               call("sequence_slice", {x}, {{"begin_index", int64_t{1}}, {"end_index", int64_t{-2}}}),
               call("sequence_last", {x}), call("sequence_reduce_max", {x}), call("sequence_is_first", {x}),
               call("sequence_past_value", {x}, {{"time_step", int64_t{3}}})});
  Function again = Function::from_bytes(f.to_bytes());
  ASSERT_EQ(again.outputs().size(), f.outputs().size());
  for (size_t i = 0; i < f.outputs().size(); ++i) {
    EXPECT_EQ(again.outputs()[i].axes().text(), f.outputs()[i].axes().text());
    EXPECT_EQ(again.outputs()[i].shape(), f.outputs()[i].shape());
    const Node &was = *f.outputs()[i].node(), &is = *again.outputs()[i].node();
    ASSERT_TRUE(is.op);
    EXPECT_EQ(is.op->name, was.op->name);
    EXPECT_EQ(is.attributes.size(), was.attributes.size());
    for (size_t k = 0; k < was.attributes.size(); ++k)
      EXPECT_EQ(is.attributes[k], was.attributes[k]) << was.op->name << ", " << was.op->fields[k].name;
  }
}

}  // namespace
