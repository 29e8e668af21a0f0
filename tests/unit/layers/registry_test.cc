// Layers by name: the same as typed calls, and every wrong option is named.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include <cantik/error.h>
#include <cantik/layer_registry.h>
#include <cantik/layers.h>
#include <cantik/recurrence.h>

namespace cantik {
namespace {

std::string error_of(const std::function<void()>& f, ErrorKind kind) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(static_cast<int>(e.kind()), static_cast<int>(kind)) << e.what();
    std::string text = e.what();
    return text.substr(0, text.find('\n'));
  }
  return "no error";
}

// The operator and the shape of the function of an input, and its parameters in their order.
std::string seen(const Function& layer, const Variable& x) {
  Function f = layer(x);
  std::string text = f.root().op_name() + Variable(f).shape().text();
  for (const Variable& p : f.parameters()) text += " " + p.name() + p.shape().text();
  return text;
}

TEST(LayerRegistry, MakesWhatTypedCallsMake) {
  const Variable x = input({3}), image = input({2, 8, 8}), steps = input({3}, {.axes = Axes::sequence()});
  using layers::PerAxis;
  EXPECT_EQ(seen(make_layer("dense", {{"shape", 5}, {"activation", "relu"}, {"bias", false}}), x),
            seen(layers::dense(5, {.activation = "relu", .bias = false}), x));
  EXPECT_EQ(
      seen(make_layer("convolution2d",
                      {{"filter_shape", Shape{3, 3}}, {"num_filters", 4}, {"pad", true}, {"strides", 2}}),
           image),
      seen(layers::convolution2d({3, 3}, 4, {.pad = true, .strides = 2}), image));
  EXPECT_EQ(seen(make_layer("recurrence", {{"step_function", layers::Step(layers::gru(4))}}), steps),
            seen(layers::recurrence(layers::gru(4)), steps));
}

TEST(LayerRegistry, LeftOutOptionsHaveTheirDescribedDefaults) {
  const Variable x = input({3, 4, 4});
  for (const char* name :
       {"dropout", "batch_normalization", "layer_normalization", "stabilizer", "activation"}) {
    OptionValues required, all;
    if (std::string(name) == "dropout") required = all = {{"dropout_rate", 0.5}};
    for (const OptionDescription& o : describe_layer(name).options)
      if (all.empty() || o.name != all[0].first) all.emplace_back(o.name, o.value);
    EXPECT_EQ(seen(make_layer(name, required), x), seen(make_layer(name, all), x)) << name;
  }
}

TEST(LayerRegistry, DescribesEveryLayer) {
  const std::vector<std::string> names = layer_names();
  EXPECT_GE(names.size(), 33u);
  for (const std::string& name : names) {
    const LayerDescription& d = describe_layer(name);
    EXPECT_FALSE(d.doc.empty()) << name;
    EXPECT_FALSE(d.family.empty()) << name;
    if (!d.python.empty()) {
      EXPECT_FALSE(d.example.empty()) << name;
      EXPECT_FALSE(d.returns.empty()) << name;
    }
    for (const OptionDescription& o : d.options) EXPECT_FALSE(o.doc.empty()) << name << " " << o.name;
  }
}

TEST(LayerRegistry, NamesWhatIsWrong) {
  auto refused = [](const std::string& name, const OptionValues& options, ErrorKind kind) {
    return error_of([&] { make_layer(name, options); }, kind);
  };
  EXPECT_EQ(refused("dence", {}, ErrorKind::key), "there is no layer dence");
  EXPECT_EQ(refused("dense", {}, ErrorKind::type), "Dense needs the option shape, which has no default");
  EXPECT_EQ(refused("dense", {{"shape", 3}, {"units", 3}}, ErrorKind::type), "dense has no option units");
  EXPECT_EQ(refused("dense", {{"shape", 3}, {"bias", true}, {"bias", true}}, ErrorKind::type),
            "the option bias is given twice");
  EXPECT_EQ(refused("dense", {{"shape", "three"}}, ErrorKind::type),
            "the option shape must be a number or a shape");
  EXPECT_EQ(refused("dense", {{"shape", 3}, {"bias", 1}}, ErrorKind::type),
            "the option bias must be true or false");
  EXPECT_EQ(refused("dense", {{"shape", 3}, {"input_rank", -1}}, ErrorKind::value),
            "Dense: input_rank must be at least 0 and at most 64, and is -1");
  EXPECT_EQ(refused("past_value_window", {{"window_size", 0}, {"axis", -2}}, ErrorKind::value),
            "PastValueWindow: window_size must be at least 1 and at most 65536, and is 0");
  EXPECT_EQ(refused("convolution", {{"filter_shape", 3}, {"pad", "same"}}, ErrorKind::type),
            "the option pad must be true or false, or a list of them");
}

TEST(LayerRegistry, TheIdentityIsNoActivation) {
  const Function identity =
      trace({"x"}, [](const std::vector<Variable>& in) { return function_of({in[0]}); });
  EXPECT_FALSE(layers::Activation(identity));
  EXPECT_TRUE(layers::Activation(layers::dense(3)));
  EXPECT_TRUE(layers::Activation("relu"));
}

}  // namespace
}  // namespace cantik
