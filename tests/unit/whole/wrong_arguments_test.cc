// Public functions with wrong arguments: null handles, negative sizes, empty lists, objects that were moved
// from. Each call gives an Error of its kind. No call ends the process.
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <cantik/callbacks.h>
#include <cantik/decode.h>
#include <cantik/dictionary.h>
#include <cantik/error.h>
#include <cantik/io.h>
#include <cantik/layers.h>
#include <cantik/learners.h>
#include <cantik/losses.h>
#include <cantik/native.h>
#include <cantik/observe.h>
#include <cantik/ops.h>
#include <cantik/progress.h>
#include <cantik/recurrence.h>
#include <cantik/session.h>
#include <cantik/train.h>
#include <cantik/trainer.h>

#include "temporary_path.h"
#include "wrong_arguments.h"

using namespace cantik;
using wrong::expect_errors;

namespace {

constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
const std::vector<ErrorKind> kMemory = {ErrorKind::memory};
const std::vector<ErrorKind> kRuntime = {ErrorKind::runtime, ErrorKind::value, ErrorKind::shape};

Variable x() { return input({4}, {.needs_gradient = true, .name = "x"}); }
Tensor ones(Shape shape) { return Tensor::full(DType::float32, std::move(shape), 1); }
Function model(const Variable& v) { return layers::dense(3)(v); }

TEST(WrongArguments, variables_that_are_empty) {
  const Variable none;
  Variable moved_from = x();
  Variable taken = std::move(moved_from);
  expect_errors({
      {"kind", [=] { none.kind(); }},
      {"is_input", [=] { none.is_input(); }},
      {"type", [=] { none.type(); }},
      {"shape", [=] { none.shape(); }},
      {"dtype", [=] { none.dtype(); }},
      {"axes", [=] { none.axes(); }},
      {"is_sparse", [=] { none.is_sparse(); }},
      {"needs_gradient", [=] { none.needs_gradient(); }},
      {"name", [=] { none.name(); }},
      {"uid", [=] { none.uid(); }},
      {"owner", [=] { none.owner(); }},
      {"made_at", [=] { none.made_at(); }},
      {"value", [=] { none.value(); }},
      {"set_value", [=] { none.set_value(ones({4})); }},
      {"version", [=] { none.version(); }},
      {"add_to_version", [=] { none.add_to_version(); }},
      {"owner of an input", [] { x().owner(); }, kRuntime},
      {"value of an input", [] { x().value(); }},
      {"set_value of an input", [] { x().set_value(ones({4})); }},
      {"add_to_version of an input", [] { x().add_to_version(); }},
      {"set_value of an empty tensor", [] { parameter({4}, 0.0).set_value(Tensor()); }},
      {"set_value of another shape", [] { parameter({4}, 0.0).set_value(ones({5})); }},
      {"relu", [=] { relu(none); }},
      {"x + none", [=] { plus(x(), none); }},
      {"moved from", [=] { relu(moved_from); }},
      {"combine", [=] { combine({none}); }},
      {"function_of", [=] { function_of({none}); }},
      {"function_of nothing", [] { function_of({}); }},
      {"as_block", [=] { as_block(relu(placeholder("p")), {{none, x()}}, "Block"); }},
      {"call of a dense layer", [=] { layers::dense(3)(none); }},
      {"sequential", [=] { layers::sequential({layers::dense(3)})(none); }},
      {"nce_loss", [=] { nce_loss(none, none, none, none, {1}); }},
      {"hierarchical_softmax", [=] { hierarchical_softmax(none, none, 4); }},
  });
  EXPECT_EQ(none.text(), "Variable()");
  EXPECT_FALSE(none);
  EXPECT_EQ(std::hash<Variable>()(none), std::hash<Variable>()(Variable()));
}

TEST(WrongArguments, functions_that_are_empty) {
  const Function none;
  expect_errors({
      {"root", [=] { none.root().op_name(); }},
      {"block_root", [=] { none.block_root(); }},
      {"block_composite", [=] { none.block_composite(); }},
      {"block_arguments", [=] { none.block_arguments(); }},
      {"name", [=] { none.name(); }},
      {"set_name", [=] { none.set_name("n"); }},
      {"uid", [=] { none.uid(); }},
      {"op_name", [=] { none.op_name(); }},
      {"attributes", [=] { none.attributes(); }},
      {"set_attribute", [=] { none.set_attribute("rate", 1.0); }},
      {"custom_attributes", [=] { none.custom_attributes(); }},
      {"set_custom_attributes", [=] { none.set_custom_attributes({}); }},
      {"inputs", [=] { none.inputs(); }},
      {"outputs", [=] { none.outputs(); }},
      {"output", [=] { none.output(); }},
      {"arguments", [=] { none.arguments(); }},
      {"signature_arguments", [=] { none.signature_arguments(); }},
      {"parameters", [=] { none.parameters(); }},
      {"constants", [=] { none.constants(); }},
      {"placeholders", [=] { none.placeholders(); }},
      {"parameter", [=] { none.parameter("W"); }},
      {"text", [=] { none.text(); }},
      {"signature", [=] { none.signature(); }},
      {"call", [=] { none(x()); }},
      {"clone", [=] { none.clone(CloneMethod::share); }},
      {"replace_placeholders", [=] { none.replace_placeholders({}); }},
      {"as_composite", [=] { none.as_composite(); }},
      {"find_by_name", [=] { none.find_by_name("n"); }},
      {"find_all_with_name", [=] { none.find_all_with_name("n"); }},
      {"eval", [=] { none.eval(); }},
      {"eval of outputs", [=] { none.eval({}, std::vector<Variable>{x()}); }},
      {"grad", [=] { none.grad({}, {x()}); }},
      {"forward", [=] { none.forward({}, {}, {}); }},
      {"backward", [=] { none.backward(nullptr, {}, {}); }},
      {"save", [=] { none.save("never"); }},
      {"to_bytes", [=] { none.to_bytes(); }},
      {"restore", [=] { none.restore("never"); }},
      {"a variable of it", [=] { Variable v(none); }},
      {"f >> none", [=] { model(x()) >> none; }},
      {"none >> f", [=] { none >> model(x()); }},
      {"as_block", [=] { as_block(none, {}, "Block"); }},
      {"an activation", [=] { layers::dense(3, {.activation = none})(x()); }},
      {"a step", [=] { layers::recurrence(none); }},
      {"a session", [=] { Session session(none); }},
  });
  EXPECT_FALSE(none);
  EXPECT_FALSE(none.is_composite());
  EXPECT_FALSE(none.is_primitive());
  EXPECT_FALSE(none.is_block());
}

TEST(WrongArguments, functions) {
  const Variable v = x();
  const Function f = model(v);
  const Value data = Value::batch(ones({2, 4}));
  auto state = [=] { return f.forward({{v, data}}, f.outputs(), f.outputs()).state; };
  expect_errors({
      {"an unknown operator", [=] { call("no_such_operator", {v}); }, {ErrorKind::key}},
      {"an unknown attribute", [=] { call("relu", {v}, {{"alpha", 1.0}}); }},
      {"a text for a number", [=] { call("leaky_relu", {v}, {{"alpha", "a"}}); }},
      {"a number for a list", [=] { call("transpose", {v}, {{"perm", 0.5}}); }},
      {"a real number for a whole one", [=] { call("top_k", {v}, {{"k", 1.5}}); }},
      {"a list for a number", [=] { call("leaky_relu", {v}, {{"alpha", std::vector<double>{1}}}); }},
      {"no operands", [] { call("relu", {}); }},
      {"too many operands", [=] { call("relu", {v, v}); }},
      {"too few arguments", [=] { f(std::vector<Variable>{}); }},
      {"too many arguments", [=] { f(v, v); }},
      {"feeds of nothing", [=] { f.eval(); }},
      {"an empty value", [=] { f.eval({{v, Value()}}); }},
      {"an empty variable as a key", [=] { f.eval({{Variable(), data}}); }},
      {"data of another shape", [=] { f.eval({{v, Value::batch(ones({2, 5}))}}); }},
      {"two values for one input", [=] { f.eval({{v, data}, {v, data}}); }},
      {"sequences for an input without a sequence axis",
       [=] { f.eval({{v, Value::sequences({ones({2, 4}), ones({1, 4})})}}); }},
      {"a negative number of threads", [=] { f.eval({{v, data}}, {.threads = -1}); }},
      {"a parameter that there is none of", [=] { f.parameter("V"); }, {ErrorKind::key}},
      {"a parameter of a function without any", [=] { relu(v).parameter("W"); }, {ErrorKind::key}},
      {"a parameter that there are two of",
       [=] { layers::sequential({layers::dense(3), layers::dense(2)})(v).parameter("W"); },
       {ErrorKind::key}},
      {"an axis given twice", [] { input({2}, {.axes = Axes({Axis::batch(), Axis::batch()})}); }},
      {"an empty function for each value", [=] { with_each_value(f, AfterValue()); }},
      {"outputs of nothing", [=] { f.eval({{v, data}}, std::vector<Variable>{Variable()}); }},
      {"an output of another function",
       [=] { f.eval({{v, data}}, std::vector<Variable>{model(x()).output()}); }, kRuntime},
      {"a thread limit below 1", [] { set_thread_limit(-1); }},
      {"gradients of nothing", [=] { f.grad({{v, data}}, {}); }},
      {"gradients by an empty variable", [=] { f.grad({{v, data}}, {Variable()}); }},
      {"backward of no state", [=] { f.backward(nullptr, {{f.output(), data}}, {v}); }},
      {"backward by nothing", [=] { f.backward(state(), {{f.output(), Value::batch(ones({2, 3}))}}, {}); }},
      {"backward of a root of another shape",
       [=] { f.backward(state(), {{f.output(), Value::batch(ones({2, 7}))}}, {v}); }},
      {"a file that is not there", [] { Function::load("/nowhere/model"); }, kRuntime},
      {"no bytes", [] { Function::from_bytes(""); }, kRuntime},
      {"a folder that is not there", [=] { f.restore("/nowhere/model"); }, kRuntime},
      {"replaced by an empty variable",
       [] {
         Variable p = placeholder("p");
         relu(p).replace_placeholders({{p, Variable()}});
       }},
      {"a clone with an empty variable", [=] { f.clone(CloneMethod::share, {{v, Variable()}}); }},
      {"a body that gives nothing",
       [] { trace({"x"}, [](const std::vector<Variable>&) { return Function(); }); }},
      {"no body", [] { trace({"x"}, Body()); }},
      {"a block whose body gives nothing",
       [] { trace_block({"x"}, [](const std::vector<Variable>&) { return Function(); }, "Block"); }},
      {"a library that is not there", [] { load_operators("/nowhere/library.so"); }, kRuntime},
      {"a native function without a name", [=] { native_function("", {v}); }},
      {"an input of negative size", [] { input({-5}); }},
      {"a parameter of negative size", [] { parameter({2, -7}, 0.0); }},
      {"a parameter of free size", [] { parameter({kFree}, 0.0); }},
      {"a constant of an empty tensor", [] { constant(Tensor()); }},
      {"more memory than there is", [] { parameter({kHuge / 16}, 0.0).value(); }, kMemory},
      {"more elements than can be counted", [] { parameter({kHuge, kHuge}, 0.0).value(); }, kMemory},
  });
}

TEST(WrongArguments, tensors_and_values) {
  const Tensor none, t = ones({2, 3});
  const std::vector<int64_t> lengths{1, -1}, short_lengths{1}, no_lengths;
  expect_errors({
      {"a negative size", [] { Tensor(DType::float32, {-1}); }},
      {"no element type", [] { Tensor(DType::unknown, {2}); }},
      {"more memory than there is", [] { Tensor(DType::float32, {kHuge / 16}); }, kMemory},
      {"too few numbers", [] { Tensor::of<float>({2, 3}, {1, 2}); }},
      {"too many numbers", [] { Tensor::of<float>({1}, {1, 2}); }},
      {"at behind the end", [=] { t.at(6); }},
      {"at before the beginning", [=] { t.at(-1); }},
      {"at of an empty tensor", [=] { none.at(0); }},
      {"data of another type", [=] { t.data<double>(); }},
      {"data of an empty tensor", [=] { none.data<float>(); }},
      {"rows behind the end", [=] { t.rows(1, 3); }},
      {"rows before the beginning", [=] { t.rows(-1, 1); }},
      {"rows of a number", [] { Tensor::scalar(1).rows(0, 1); }},
      {"reshape", [=] { t.reshape({4}); }},
      {"reshape to a negative size", [=] { t.reshape({-6, -1}); }},
      {"reshape of an empty tensor", [=] { none.reshape({2}); }},
      {"slice_view behind the end", [=] { t.slice_view({1, 0}, {2, 3}); }},
      {"slice_view of another rank", [=] { t.slice_view({0}, {1}); }},
      {"cast of an empty tensor", [=] { none.cast(DType::float64); }},
      {"cast to nothing", [=] { t.cast(DType::unknown); }},
      {"copy of another shape", [=] { t.clone().copy_from(ones({3, 3})); }},
      {"copy of an empty tensor", [=] { t.clone().copy_from(none); }},
      {"copy into read-only memory", [=] { t.read_only().copy_from(ones({2, 3})); }, kRuntime},
      {"fill of read-only memory", [=] { t.read_only().fill(1); }, kRuntime},
      {"fill of an empty tensor", [=] { none.fill(1); }},
      {"join_rows of nothing", [] { Tensor::join_rows({}); }},
      {"join_rows of other shapes", [=] { Tensor::join_rows(std::vector<Tensor>{t, ones({2, 4})}); }},
      {"join_rows of an empty tensor", [=] { Tensor::join_rows(std::vector<Tensor>{t, none}); }},
      {"at of a tensor that was moved from",
       [=] {
         Tensor from = t.clone();
         const Tensor to = std::move(from);
         from.at(0);
       }},
      {"csr without indices", [] { Tensor::csr(DType::float32, {2, 3}, nullptr, nullptr, nullptr); }},
      {"csr_matrix of a negative count",
       [] { Tensor::csr_matrix(DType::float32, {2, 3}, -1, nullptr, nullptr); }},
      {"csr_matrix outside of the matrix",
       [] {
         int32_t at = 6;
         Tensor::csr_matrix(DType::float32, {2, 3}, 1, &at, nullptr);
       }},
      {"row_sparse without rows", [] { Tensor::row_sparse(DType::float32, {2, 3}, 1, nullptr, nullptr); }},
      {"one_hot behind the end",
       [] {
         std::vector<int32_t> at{3, 0};
         Tensor::one_hot(DType::float32, {2, 3}, at);
       }},
      {"memory of nobody", [] { Tensor::borrow(DType::float32, {2}, nullptr, nullptr).clone(); }},
      {"a batch of an empty tensor", [=] { Value::batch(none); }},
      {"a batch of a number", [] { Value::batch(Tensor::scalar(1)); }},
      {"a batch of too few numbers", [] { Value::batch<float>({2, 3}, std::vector<float>{1}); }},
      {"a layout of a negative batch", [] { Layout::batch(-1); }},
      {"a layout of negative lengths", [=] { Layout::of_lengths(lengths); }},
      {"a layout of parts of which some have no sequence",
       [=] {
         std::vector<int32_t> more{0, 1};
         Layout::of_parts(short_lengths, more);
       }},
      {"a layout of parts that go on with no sequence",
       [=] { Layout::of_parts(short_lengths, std::vector<int32_t>{-2}); }},
      {"the length of a sequence behind the end", [=] { Layout::of_lengths(short_lengths)->length(1); }},
      {"the length of a sequence before the beginning",
       [=] { Layout::of_lengths(short_lengths)->length(-1); }},
      {"sequences longer than their rows", [=] { Value::sequences(t, std::vector<int64_t>{3}); }},
      {"sequences of an empty tensor", [=] { Value::sequences(none, no_lengths); }},
      {"sequences of no tensors", [] { Value::sequences(std::vector<Tensor>{}); }},
      {"sequences of other shapes", [=] { Value::sequences(std::vector<Tensor>{t, ones({2, 4})}); }},
      {"steps that are not whole", [] { Value::sequences<float>({2}, {{1, 2, 3}}); }},
      {"one_hot of too large an index",
       [] {
         std::vector<int32_t> at{5};
         Value::one_hot(at, {3});
       }},
      {"one_hot of no classes",
       [] {
         std::vector<int32_t> at{0};
         Value::one_hot(at, {});
       }},
      {"one_hot of a negative number of classes",
       [] {
         std::vector<int32_t> at{0};
         Value::one_hot(at, {-3});
       }},
      {"a sequence behind the end", [=] { Value::batch(t).sequence(2); }},
      {"a sequence of an empty value", [] { Value().sequence(0); }},
      {"sequences of a value without a batch", [=] { Value(t, nullptr).as_sequences(); }},
      {"the mask of an empty value", [] { Value().mask(); }},
      {"padding of an empty value", [] { Value().padded(); }},
      {"a dictionary's missing entry", [] { Dictionary().at("a"); }, {ErrorKind::key}},
      {"an entry of another kind", [] { DictionaryValue("a").as<double>(); }},
      {"a dictionary of no bytes", [] { Dictionary::from_bytes("\x01"); }, kRuntime},
      {"a dictionary's file that is not there", [] { Dictionary::load("/nowhere/file"); }, kRuntime},
  });
}

TEST(WrongArguments, layers) {
  using namespace layers;
  expect_errors({
      {"dense of a negative size", [] { dense(-1); }},
      {"dense of a negative input_rank", [] { dense(3, {.input_rank = -1}); }},
      {"dense of both ranks", [] { dense(3, {.input_rank = 1, .map_rank = 1}); }},
      {"dense of an unknown activation",
       [] { dense(3, {.activation = "no_such_function"}); },
       {ErrorKind::key}},
      {"embedding of a negative size", [] { embedding(-1); }},
      {"embedding of an empty table", [] { embedding({}, {.weights = Tensor()}); }},
      {"no groups", [] { convolution2d({3, 3}, 4, {.groups = 0}); }},
      {"negative groups", [] { convolution2d({3, 3}, 4, {.groups = -1}); }},
      {"no dilation", [] { convolution2d({3, 3}, 4, {.dilation = 0}); }},
      {"negative dilation", [] { convolution2d({3, 3}, 4, {.dilation = -1}); }},
      {"no strides", [] { convolution2d({3, 3}, 4, {.strides = 0}); }},
      {"too many strides", [] { convolution2d({3, 3}, 4, {.strides = {1, 1, 1}}); }},
      {"an empty list of strides", [] { convolution2d({3, 3}, 4, {.strides = std::vector<int64_t>{}}); }},
      {"negative filters", [] { convolution2d({3, 3}, -4); }},
      {"a negative kernel", [] { convolution2d({-3, 3}, 4); }},
      {"an empty kernel", [] { convolution2d({}, 4); }},
      {"a kernel of another rank", [] { convolution2d({3, 3, 3}, 4); }},
      {"a reduction rank of 2",
       [] { convolution2d({3, 3}, 4, {.reduction_rank = 2}); },
       {ErrorKind::unsupported}},
      {"a transposed convolution of negative filters", [] { convolution_transpose({3, 3}, -4); }},
      {"a transposed convolution without dilation",
       [] { convolution_transpose({3, 3}, 4, {.dilation = 0}); }},
      {"a negative window", [] { max_pooling({-2, 2}); }},
      {"an empty window", [] { max_pooling({}); }},
      {"pooling without strides", [] { average_pooling({2, 2}, {.strides = 0}); }},
      {"unpooling of a negative window", [] { max_unpooling({0, 2}); }},
      {"a window larger than the image", [] { max_pooling({3, 3})(input({1, 2, 2})); }},
      {"dropout above 1", [] { dropout(1.5); }},
      {"dropout below 0", [] { dropout(-0.5); }},
      {"dropout of no number", [] { dropout(std::numeric_limits<double>::quiet_NaN()); }},
      {"an unknown function", [] { activation("no_such_function")(x()); }, {ErrorKind::key}},
      {"an LSTM of no states", [] { lstm(0); }},
      {"an LSTM of negative states", [] { lstm(-1); }},
      {"a GRU of negative states", [] { gru(3, {.cell_shape = -1}); }},
      {"an RNN of negative states", [] { rnn_step(-3); }},
      {"no initial states", [] { recurrence(lstm(3), {.initial_state = {}}); }},
      {"too many initial states", [] { recurrence(gru(3), {.initial_state = {0, 0, 0}}); }},
      {"a recurrence over a batch", [] { recurrence(gru(3))(x()); }, kRuntime},
      {"a window of no steps", [] { past_value_window(0, -2); }},
      {"a window of too many steps", [] { past_value_window(kHuge, -2); }},
      {"a negative length", [] { unfold_from([](Variable h) { return h; }, {.length_increase = -1}); }},
      {"attention of a negative size", [] { attention_model(-1); }},
      {"a stack of no layers",
       [] {
         optimized_rnnstack(input({3}, {.axes = Axes::sequence()}), parameter({kInferred, 2}, 0.0),
                            {.hidden_size = 2, .num_layers = 0});
       }},
      {"a stack of too many layers",
       [] {
         optimized_rnnstack(input({3}, {.axes = Axes::sequence()}), parameter({kInferred, 2}, 0.0),
                            {.hidden_size = 2, .num_layers = kHuge});
       }},
  });
}

TEST(WrongArguments, trainings) {
  const Variable v = x(), y = input({3});
  const Function f = model(v);
  const Variable loss = squared_error(f, y);
  const std::vector<Variable> w = f.parameters();
  const Feeds feeds{{v, Value::batch(ones({2, 4}))}, {y, Value::batch(ones({2, 3}))}};
  auto trainer = [=] { return std::make_shared<Trainer>(f, loss, std::vector<LearnerPtr>{sgd(w, 0.1)}); };
  auto source = [=] { return std::make_shared<ArraySource>(feeds); };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_errors({
      {"a learner of nothing", [] { sgd({}, 0.1); }},
      {"a learner of an empty variable", [] { sgd({Variable()}, 0.1); }},
      {"a learner of an input", [=] { sgd({v}, 0.1); }},
      {"a learner of a parameter twice", [=] { sgd({w[0], w[0]}, 0.1); }},
      {"an empty schedule", [] { TrainingParameterSchedule(std::vector<double>{}); }, kRuntime},
      {"a negative epoch", [] { TrainingParameterSchedule(std::vector<double>{0.1}, -5); }},
      {"a negative minibatch", [] { TrainingParameterSchedule(0.1, -5); }},
      {"a negative count",
       [] { TrainingParameterSchedule(std::vector<TrainingParameterSchedule::Counted>{{-1, 0.1}}); }},
      {"a state that is none",
       [] { TrainingParameterSchedule{Dictionary()}; },
       {ErrorKind::value, ErrorKind::key, ErrorKind::runtime}},
      {"a learner's negative minibatch", [=] { sgd(w, 0.1)->set_minibatch_size(-1); }},
      {"a step without gradients",
       [=] {
         std::vector<ParameterGradient> none;
         sgd(w, 0.1)->step(none, {.samples = 1});
       },
       kRuntime},
      {"a step of empty gradients",
       [=] {
         std::vector<ParameterGradient> g{{w[0], Tensor()}, {w[1], Tensor()}};
         sgd(w, 0.1)->step(g, {.samples = 1});
       }},
      {"a step of gradients of another shape",
       [=] {
         std::vector<ParameterGradient> g{{w[0], ones({7})}, {w[1], ones({7})}};
         sgd(w, 0.1)->step(g, {.samples = 1});
       }},
      {"a step of a negative number of samples",
       [=] {
         std::vector<ParameterGradient> g;
         for (const Variable& p : w) g.push_back({p, ones(p.shape())});
         sgd(w, 0.1)->step(g, {.samples = -1});
       }},
      {"a learner's state that is none",
       [=] { sgd(w, 0.1)->restore({}); },
       {ErrorKind::value, ErrorKind::key, ErrorKind::runtime}},
      {"universal without code", [=] { universal(UpdateGraph(), w); }},
      {"universal that gives nothing",
       [=] {
         universal([](const std::vector<Variable>&, const std::vector<Variable>&) { return Function(); }, w);
       }},
      {"a null learner", [=] { Trainer(f, loss, {LearnerPtr()}); }},
      {"no learners", [=] { Trainer(f, loss, std::vector<LearnerPtr>{}); }},
      {"no loss", [=] { Trainer(f, Variable(), {sgd(w, 0.1)}); }},
      {"a rate of no number", [=] { sgd(w, nan); }},
      {"a list of rates of no number", [=] { sgd(w, std::vector<double>{0.1, nan}); }},
      {"a momentum of no number", [=] { momentum_sgd(w, 0.1, {.momentum = nan}); }},
      {"a schedule that an empty function changes",
       [] { TrainingParameterSchedule(0.1).transform(nullptr); }},
      {"a printer into an empty function", [] { ProgressPrinter({}, TextSink()); }},
      {"a bar into an empty function", [] { ProgressBar({}, TextSink()); }},
      {"an empty function for each epoch", [] { EpochCallback(EpochCallback::Call()); }},
      {"an empty function for each summary", [] { TrainingSummaryProgressCallback(1, nullptr); }},
      {"a learner's null writer", [=] { sgd(w, 0.1)->add_progress_writers({nullptr}); }},
      {"a training's null writer", [=] { train(loss, feeds, {sgd(w, 0.1)}, {.writers = {nullptr}}); }},
      {"a training whose learners have seen it all",
       [=] {
         const std::vector<LearnerPtr> used{sgd(w, 0.1)};
         train(loss, feeds, used);
         train(loss, feeds, used);
       }},
      {"a null writer", [=] { Trainer(f, loss, {sgd(w, 0.1)}, {ProgressWriterPtr()}); }},
      {"a learner of another model", [=] { Trainer(f, loss, {sgd(model(x()).parameters(), 0.1)}); }},
      {"a minibatch of an empty value", [=] { trainer()->train_minibatch({{v, Value()}, {y, Value()}}); }},
      {"a minibatch of half of the inputs", [=] { trainer()->train_minibatch({feeds[0]}); }},
      {"a minibatch with an output of nothing", [=] { trainer()->train_minibatch(feeds, {Variable()}); }},
      {"a test without a metric", [=] { trainer()->test_minibatch(feeds); }},
      {"the loss of no minibatch", [=] { trainer()->previous_minibatch_loss_average(); }, kRuntime},
      {"a checkpoint that is not there", [=] { trainer()->restore_from_checkpoint("/nowhere/file"); },
       kRuntime},
      {"a checkpoint's state that is none",
       [=] { trainer()->restore({}); },
       {ErrorKind::value, ErrorKind::key, ErrorKind::runtime}},
      {"an evaluator without a metric", [] { Evaluator evaluator{Variable()}; }},
      {"a source of nothing", [] { ArraySource source(Feeds{}); }},
      {"a source of an empty value", [=] { ArraySource source(Feeds{{v, Value()}}); }},
      {"a source of different lengths",
       [=] { ArraySource source(Feeds{feeds[0], {y, Value::batch(ones({3, 3}))}}); }},
      {"a source of a negative size", [=] { ArraySource source(feeds, -1); }},
      {"a feed source of nothing", [] { feed_source(nullptr, {}); }},
      {"a session without a trainer", [=] { TrainingSession(nullptr, source(), {.max_samples = 2}); }},
      {"a session without a source", [=] { TrainingSession(trainer(), nullptr, {.max_samples = 2}); }},
      {"a session of minibatches of no samples",
       [=] { TrainingSession(trainer(), source(), {.minibatch_size = 0.0, .max_samples = 2}).train(); }},
      {"no epochs", [=] { train(loss, feeds, {sgd(w, 0.1)}, {.max_epochs = 0}); }},
      {"negative epochs", [=] { train(loss, feeds, {sgd(w, 0.1)}, {.max_epochs = -1}); }},
      {"an epoch of no samples", [=] { train(loss, feeds, {sgd(w, 0.1)}, {.epoch_size = 0}); }},
      {"a training on nothing", [=] { train(loss, Feeds{}, {sgd(w, 0.1)}); }},
      {"a training without a loss", [=] { train(Variable(), feeds, {sgd(w, 0.1)}); }},
      {"a training without learners", [=] { train(loss, feeds, {}); }},
      {"a test of minibatches of no samples", [=] { test(loss, feeds, {.minibatch_size = 0}); }},
      {"a test of nothing", [=] { test(Variable(), feeds); }},
      {"an initializer of no number", [=] { parameter({2}, uniform(nan)).value(); }, kRuntime},
      {"a negative deviation", [] { parameter({2}, normal(-1)).value(); }, kRuntime},
      {"an initial table of another shape", [] { parameter({2}, Initializer(ones({3}))).value(); }, kRuntime},
  });
}

TEST(WrongArguments, data_sessions_and_decoding) {
  const std::string path = temporary_path("wrong_arguments.ctf");
  if (std::FILE* file = std::fopen(path.c_str(), "w")) {
    std::fputs("|x 1 2\n|x 3 4\n", file);
    std::fclose(file);
  }
  auto reader = [=] {
    return minibatch_source({ctf(path, {{.name = "x", .field = "x", .dim = 2}})}, {.randomize = false});
  };
  const Variable s = input({3}, {.axes = Axes::sequence()});
  const Function recurrent = layers::recurrence(layers::gru(2))(s);
  const Function step =
      layers::Step([](Variable h, Variable symbol) { return std::pair(h, symbol); }).function();
  expect_errors({
      {"no deserializers", [] { minibatch_source({}); }},
      {"a null deserializer", [] { minibatch_source({DeserializerPtr()}); }},
      {"a file that is not there",
       [] { minibatch_source({ctf("/nowhere/file", {{.name = "x", .field = "x", .dim = 2}})}); }, kRuntime},
      {"a file without streams", [=] { ctf(path, {}); }, kRuntime},
      {"a stream of a negative size", [=] { ctf(path, {{.name = "x", .field = "x", .dim = -2}}); }, kRuntime},
      {"chunks of no bytes", [=] { ctf(path, {{.name = "x", .field = "x", .dim = 2}}, {.chunk_bytes = 0}); }},
      {"a negative number of errors",
       [=] { ctf(path, {{.name = "x", .field = "x", .dim = 2}}, {.max_errors = -1}); }},
      {"a window of no chunks",
       [=] {
         minibatch_source({ctf(path, {{.name = "x", .field = "x", .dim = 2}})}, {.window_chunks = -1});
       }},
      {"a negative truncation",
       [=] {
         minibatch_source({ctf(path, {{.name = "x", .field = "x", .dim = 2}})}, {.truncation_length = -1});
       }},
      {"negative samples",
       [=] { minibatch_source({ctf(path, {{.name = "x", .field = "x", .dim = 2}})}, {.max_samples = -1}); }},
      {"a minibatch of no samples", [=] { reader()->next({.samples = 0}); }},
      {"a minibatch of no sequences", [=] { reader()->next({.sequences = 0}); }},
      {"no workers", [=] { reader()->next({.samples = 1, .partitions = 0}); }},
      {"a worker that is none", [=] { reader()->next({.samples = 1, .partitions = 2, .partition = 2}); }},
      {"a stream that is none", [=] { reader()->next({.samples = 1})["y"]; }, {ErrorKind::key}},
      {"a stream of an empty minibatch", [] { Minibatch()["x"]; }, {ErrorKind::key}},
      {"an input that is empty", [=] { reader()->next({.samples = 1}).feeds({{Variable(), "x"}}); }},
      {"a source's state that is none", [=] { reader()->restore({}); }},
      {"a session of no streams", [=] { Session(recurrent, 0); }},
      {"a session of negative streams", [=] { Session(recurrent, -1); }},
      {"a session with an output of nothing", [=] { Session(recurrent, 1, {Variable()}); }},
      {"a step of an empty tensor", [=] { Session(recurrent).step(Tensor()); }},
      {"a step of another shape", [=] { Session(recurrent).step(ones({1, 7})); }},
      {"a step of a stream that is none", [=] { Session(recurrent).step(ones({1, 3}), {1}); }},
      {"a run of nothing", [=] { Session(recurrent).run({}); }},
      {"a reset of a stream that is none", [=] { Session(recurrent).reset(3); }},
      {"a selection of a stream that is none", [=] { Session(recurrent).select({3}); }},
      {"a selection of nothing", [=] { Session(recurrent).select({}); }},
      {"a session that was moved from",
       [=] {
         Session a(recurrent), b(std::move(a));
         a.step(ones({1, 3}));
       }},
      {"a search without states", [=] { beam_search(step, {}, {.vocabulary = 3}); }},
      {"a search of an empty value", [=] { beam_search(step, {Value()}, {.vocabulary = 3}); }},
      {"a search among no symbols",
       [=] { beam_search(step, {Value::batch(ones({1, 3}))}, {.vocabulary = 0}); }},
      {"a search that follows nothing",
       [=] { beam_search(step, {Value::batch(ones({1, 3}))}, {.vocabulary = 3, .beam = 0}); }},
      {"a search for more than it follows",
       [=] { beam_search(step, {Value::batch(ones({1, 3}))}, {.vocabulary = 3, .beam = 1, .best = 2}); }},
      {"a search for results of negative length",
       [=] { greedy_search(step, {Value::batch(ones({1, 3}))}, {.vocabulary = 3, .max_length = -1}); }},
      {"a start that is no symbol",
       [=] { greedy_search(step, {Value::batch(ones({1, 3}))}, {.vocabulary = 3, .start = 3}); }},
  });
  std::remove(path.c_str());
}

}  // namespace
