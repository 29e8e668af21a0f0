// An operator with an attribute of each kind.
#include <cantik/op.h>
using namespace cantik;

namespace {
struct Stamped {
  Real height = 1;
  int64_t copies = 1;
  bool inked = true;
  std::string ink = "blue";
  std::vector<int64_t> steps = {1};
  std::vector<double> weights = {1.0};
  static constexpr auto fields() {
    return list(field("height", &Stamped::height, "what x is multiplied by"),
                field("copies", &Stamped::copies, "how many"),
                field("inked", &Stamped::inked, "whether there is ink"),
                field("ink", &Stamped::ink, "its color"), field("steps", &Stamped::steps, "whole numbers"),
                field("weights", &Stamped::weights, "numbers"));
  }
};
}  // namespace

CANTIK_OP(stamped) {
  op.attributes<Stamped>(
        "stamped(x, height=1.0, copies=1, inked=True, ink='blue', steps=(1,), weights=(1.0,), name='')")
      .doc("x times height.")
      .expression([](Real x, const Stamped& a) { return a.height * x; })
      .sample({{2, 3}}, {.height = 1.5});
}

CANTIK_LIBRARY(stamped)
