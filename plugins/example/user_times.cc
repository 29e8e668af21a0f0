// y = x · left: the native user function that CNTK's programs ask for by module and factory. Its gradient
// goes to the left operand alone.
//
// It runs as operators of Cantik's, and stays one function in graphs and files.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(user_times) {
  op.signature("user_times(left, right, name='')")
      .doc("The product of right with the matrix left, as CNTK's example of a native user function has it.")
      .type([](Infer& in) {
        Shape left = in.shape(0), right = in.shape(1);
        if (!left.is_known() || !right.is_known()) return in.set(in.join(0, 1, Shape::unknown()));
        if (left.rank() != 2 || right.rank() != 1)
          throw shape_failure("a matrix and a vector are multiplied, not " + left.text() + " and " +
                              right.text());
        if (left[0] >= 0 && right[0] >= 0 && left[0] != right[0])
          throw shape_failure("the inner dimensions differ, " + std::to_string(left[0]) + " and " +
                              std::to_string(right[0]));
        in.set(in.join(0, 1, {left[1]}));
      })
      .lower([](Builder& b) { b.result(b.call("times", {b.call("stop_gradient", {b.x(1)}), b.x(0)})); })
      .cntk_native("NativeUserTimesOp", "Cntk.ExtensibilityExamples", "CreateUserTimesFunction")
      .sample({{3, 2}, {3}});
}
