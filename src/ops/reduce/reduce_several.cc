// A reduction over several axes, static ones first and then the batch: CNTK's block "MultiAxisReduce".
#include <string>
#include <vector>

#include "ops/axis_of.h"
#include "ops/reduce/axes.h"
using namespace cantik;

namespace {
struct Several {
  std::vector<int64_t> axis;
  std::string reduction = "Sum";
  static constexpr auto fields() {
    return list(field("axis", &Several::axis, "the axes to reduce").role(CANTIK_AXES),
                field("reduction", &Several::reduction, "what is done"));
  }
};
}  // namespace

CANTIK_OP(reduce_several) {
  op.attributes<Several>("reduce_several(x, axis=[], reduction='Sum', name='')")
      .doc("A reduction over static axes, then over the batch.")
      .traits(CANTIK_HIDDEN)
      .composite([](Builder& b, const Several& a) {
        Term y = b.x();
        std::vector<int64_t> statics;
        bool batch = false, sequence = false;
        for (int64_t code : a.axis) {
          if (code == axis_code::kBatch)
            batch = true;
          else if (code == axis_code::kSequence)
            sequence = true;
          else
            statics.push_back(axis_from_end(code, b.x()));
        }
        if (!statics.empty())
          y = b.call("reduce_elements", {y},
                     {{"axes", statics}, {"reduction", a.reduction.c_str()}, {"name", "_static_axes_subop"}});
        if (sequence) {  // as in CNTK, where this is all there is
          if (a.reduction != "Min" || batch)
            throw value_failure("reduce_sum and its like cannot reduce the sequence axis" +
                                    std::string(batch ? " together with the batch axis" : ""),
                                "use sequence.reduce_sum or sequence.reduce_max");
          y = b.call("least_of_steps", {y}, {{"name", "_sequence_axes_subop"}});
        }
        std::vector<int64_t> samples{axis_code::kBatch};
        if (batch)
          y = b.call("reduce_elements", {y},
                     {{"axes", samples}, {"reduction", a.reduction.c_str()}, {"name", "_batch_axes_subop"}});
        b.result(y);
      })
      .cntk_block("MultiAxisReduce")
      .sample({{2, 3, 4}}, {.axis = {0, 2}});
}
