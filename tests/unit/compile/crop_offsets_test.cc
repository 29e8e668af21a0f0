// Crops whose offsets follow from the layers between their operands.
#include <gtest/gtest.h>

#include <cantik/cantik.h>

using namespace cantik;

namespace {

Variable taps(int64_t k) { return parameter({1, 1, k, k}, 1.0); }

Function convolved(const Variable& x, int64_t k, int64_t stride = 1, bool pad = false,
                   bool transpose = false) {
  return call("convolution", {taps(k), x},
              {{"strides", Shape{stride, stride}},
               {"auto_padding", std::vector<int64_t>{0, pad, pad}},
               {"transpose", transpose}});
}

// An image that says in each pixel where that lies, over the layers that made x: those decide the offsets.
Function numbered(const Variable& x) {
  const Shape s = x.shape();
  Tensor t(DType::float32, s);
  for (int64_t i = 0; i < t.elements(); ++i) t.data<float>()[i] = static_cast<float>(i);
  return call("plus", {call("element_times", {x, constant({}, 0.0)}), constant(t)});
}

// (row, column) of the first pixel of a crop.
std::pair<int64_t, int64_t> begin(const Function& crop, const Variable& cropped, const Variable& x) {
  const int64_t first = static_cast<int64_t>(
      crop.eval({{x, Value::batch(Tensor::zeros(DType::float32, Shape{1} + x.shape()))}}).data.at(0));
  return {first / cropped.shape().back(), first % cropped.shape().back()};
}

std::string crop_message(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::runtime);
    return e.what();
  }
  return "nothing was wrong";
}

// What CNTK 2.7 gives for these networks over an image of 24 x 24 (tests/interop/crops.py asks it).
TEST(Crop, offsets_of_chains) {
  Variable x = input({1, 24, 24}, {.name = "x"});
  auto pool = [](const Variable& v, int64_t k, int64_t stride) {
    return call("pooling", {v},
                {{"pooling_type", int64_t{0}},
                 {"pooling_window_shape", Shape{k, k}},
                 {"strides", Shape{stride, stride}}});
  };
  using At = std::pair<int64_t, int64_t>;
  auto check = [&](const Function& of, const Function& like, At expected) {
    Function image = numbered(of);
    EXPECT_EQ(begin(crop_automatic(image, like), image, x), expected)
        << Variable(of).shape().text() << " over " << Variable(like).shape().text();
  };
  Function plain = call("negate", {x});
  const int64_t centre[] = {0, 0, 1, 1, 2};
  for (int64_t k = 1; k <= 5; ++k) {
    check(plain, convolved(x, k), {centre[k - 1], centre[k - 1]});
    check(plain, convolved(x, k, 1, true), {0, 0});
  }
  check(plain, convolved(convolved(x, 2), 2), {0, 0});
  check(plain, convolved(convolved(x, 4), 4), {2, 2});
  struct Case {
    int64_t k, stride, open, first_padded, both_padded;
  };
  for (const Case& c :
       {Case{3, 2, 2, 3, 2}, {2, 2, 2, 2, 2}, {4, 2, 2, 3, 2}, {5, 3, 2, 3, 1}, {3, 3, 2, 2, 1}}) {
    check(convolved(convolved(x, c.k, c.stride), c.k, c.stride, false, true), convolved(x, 5),
          {c.open, c.open});
    check(convolved(convolved(x, c.k, c.stride, true), c.k, c.stride, false, true), convolved(x, 5),
          {c.first_padded, c.first_padded});
    check(convolved(convolved(x, c.k, c.stride, true), c.k, c.stride, true, true), convolved(x, 5),
          {c.both_padded, c.both_padded});
  }
  check(convolved(pool(x, 2, 2), 4, 2, false, true), plain, {1, 1});
  check(convolved(pool(x, 2, 2), 3, 2, false, true), plain, {1, 1});
  // thirds are rounded down, once
  check(convolved(convolved(x, 5, 3, false, true), 2, 3), convolved(x, 5), {2, 2});
  check(plain, crop_manual(convolved(x, 3), convolved(x, 5), 1, 2), {3, 2});
  check(plain, crop_automatic(convolved(x, 3), convolved(x, 5)), {2, 2});
}

TEST(Crop, ancestors_lie_over_one_another) {
  Variable x = input({1, 24, 24}), y = input({1, 24, 24});
  Function image = numbered(convolved(x, 3)), like = convolved(y, 5);
  Function crop = crop_automatic_with_ancestors(image, like, x, y);
  Value zeros = Value::batch(Tensor::zeros(DType::float32, {1, 1, 24, 24}));
  EXPECT_EQ(crop.eval({{x, zeros}, {y, zeros}}).data.at(0), 22 + 1);
  EXPECT_EQ(crop.inputs().size(), 4u + 2u);  // with both maps, the numbered image and its factor
}

TEST(Crop, gradient_goes_to_what_was_cut_out) {
  Variable x = input({1, 4, 4}, {.needs_gradient = true});
  Function crop = crop_automatic(call("negate", {x}), convolved(x, 3));
  Value g = crop.grad({{x, Value::batch(Tensor::zeros(DType::float32, {1, 1, 4, 4}))}}, {x})[0];
  for (int64_t i = 0; i < 16; ++i) EXPECT_EQ(g.data.at(i), i / 4 % 3 != 0 && i % 4 % 3 != 0 ? -1 : 0) << i;
}

TEST(Crop, wrong_use_is_named) {
  Variable x = input({1, 24, 24}, {.name = "x"}), y = input({1, 24, 24}, {.name = "y"});
  Value zeros = Value::batch(Tensor::zeros(DType::float32, {1, 1, 24, 24}));
  auto run = [&](const Function& f) {
    return crop_message([&] {
      Feeds feeds;
      for (const Variable& v : f.arguments()) feeds.emplace_back(v, zeros);
      f.eval(feeds);
    });
  };
  Function a = call("negate", {x}), b = call("negate", {y});
  std::string text = run(crop_automatic(a, b));
  EXPECT_NE(text.find("crop_automatic cannot align its operands: they are not computed from a common value"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("crop_automatic_with_ancestors"), std::string::npos) << text;
  text = run(crop_automatic(a, convolved(x, 2, 2)));
  EXPECT_NE(text.find("different scales: a pixel of node_referent is 2 pixels of node_input"),
            std::string::npos)
      << text;
  text = run(crop_automatic(convolved(x, 3), x));
  EXPECT_NE(text.find("node_referent begins 1 columns before node_input"), std::string::npos) << text;
  text = run(crop_automatic(a, call("reshape", {x}, {{"shape", Shape{1, 24, 24}}})));
  EXPECT_NE(text.find("it does not know how the pixels of reshape lie over those of its operand"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("crop_offsets_test.cc"), std::string::npos) << text;
  text = crop_message([&] { crop_automatic(input({3}), input({3})); });
  EXPECT_NE(text.find("node_input must have a height and a width as its last axes, and has the shape [3]"),
            std::string::npos)
      << text;
  text = crop_message([&] { crop_automatic(x, input({4, 4})); });
  EXPECT_NE(text.find("different ranks, [1, 24, 24] and [4, 4]"), std::string::npos) << text;
}

}  // namespace
