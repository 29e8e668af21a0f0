// A softmax in two steps, over classes of labels and over the labels of a class: p(label) = p(class) p(label
// | class).
#include <cmath>
#include <string>

#include <cantik/error.h>
#include <cantik/initializer.h>
#include <cantik/losses.h>

namespace cantik {

HierarchicalSoftmax hierarchical_softmax(const Variable& x, const Variable& label, int64_t labels,
                                         const HierarchicalSoftmaxOptions& options, SourceLocation where) {
  OriginScope scope(where);
  int64_t classes = options.classes.value_or(0);
  if (labels < 1 || classes < 0 || classes > labels)
    throw value_error("hierarchical_softmax: " + std::to_string(labels) + " labels cannot be divided into " +
                      std::to_string(classes) + " classes")
        .remedy("give positive numbers that leave no class empty");
  if (!x.shape().is_known() || x.shape().rank() != 1)
    throw value_error("hierarchical_softmax: the input must be a vector, and has the shape " +
                      x.shape().text())
        .line("input", x.text());
  if (classes == 0) classes = static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(labels))));
  const int64_t members = (labels + classes - 1) / classes, width = x.shape()[0];
  const DType dtype = x.dtype() == DType::unknown ? DType::float32 : x.dtype();
  auto weights = [&](Shape shape, const char* name) {
    return parameter(std::move(shape), glorot_normal(), dtype, name);
  };
  Variable w1 = weights({width, classes}, "hsoftmax_w1"), b1 = weights({classes}, "hsoftmax_b1");
  Variable w2 = weights({classes, width, members}, "hsoftmax_w2s"),
           b2 = weights({classes, members}, "hsoftmax_b2s");

  auto number = [&](double v) { return constant(Shape(), v, dtype); };
  auto floor = [](const Variable& v) { return Variable(call("floor", {v})); };
  auto one_hot = [](const Variable& v, int64_t n) {
    return Variable(call("one_hot", {v}, {{"num_classes", n}}));
  };
  auto linear = [](const Variable& v, const Variable& w, const Variable& b) {
    return Variable(call("plus", {b, call("times", {v, w})}));
  };
  auto picked = [](const Variable& hot, const Variable& p) {
    return Variable(call("times_transpose", {hot, p}));
  };

  // The half keeps a label that is a whole number away from the step of the quotient.
  Variable of_class = floor(
      call("element_divide", {call("plus", {label, number(0.5)}), number(static_cast<double>(members))}));
  Variable in_class = floor(
      call("plus",
           {call("minus", {label, call("element_times", {of_class, number(static_cast<double>(members))})}),
            number(0.5)}));
  Variable p_class = call("softmax", {linear(x, w1, b1)});
  Variable hot = one_hot(of_class, classes);
  Variable w =
      call("reshape", {call("times", {hot, w2}, {{"output_rank", 2}})}, {{"shape", Shape{width, kInferred}}});
  Variable b = call("reshape", {call("times", {hot, b2})}, {{"shape", Shape{kInferred}}});
  Variable p_member = call("softmax", {linear(x, w, b)});
  HierarchicalSoftmax result{
      call("element_times", {picked(one_hot(in_class, members), p_member), picked(hot, p_class)}),
      p_class,
      {}};
  for (int64_t c = 0; c < classes; ++c) {
    Variable chosen = one_hot(number(static_cast<double>(c)), classes);
    Variable p =
        call("softmax",
             {linear(x, call("times", {chosen, w2}, {{"output_rank", 2}}), call("times", {chosen, b2}))});
    result.in_class.push_back(call("element_times", {p, picked(chosen, p_class)}));
  }
  return result;
}

}  // namespace cantik
