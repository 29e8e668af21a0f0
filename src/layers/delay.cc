// The value some steps before or behind, and the last steps of a sequence as an axis.
#include <string>
#include <vector>

#include "base/text.h"
#include "layers/block.h"
#include "layers/recurrence.h"

namespace cantik::layers {

Function delay(int64_t T, const InitialState& initial_state, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return block("Delay", name, [&](const Variable& x) -> Variable {
    if (T == 0) return x;
    return call(T > 0 ? "past_value" : "future_value", {x, initial_state}, {{"time_step", T > 0 ? T : -T}});
  });
}

Function past_value_window(int64_t window_size, int64_t axis, bool go_backwards, const std::string& name,
                           SourceLocation where) {
  OriginScope scope(where);
  constexpr int64_t kMost = 1 << 16;  // a node for each step
  if (window_size > kMost)
    throw value_error(cat("PastValueWindow: window_size must be at most ", kMost, ", and is ", window_size))
        .made_at(Origin::current().text());
  if (window_size < 1)
    throw value_error(cat("PastValueWindow: window_size must be at least 1, and is ", window_size))
        .made_at(Origin::current().text());
  const char* end = go_backwards ? "sequence_first" : "sequence_last";
  return trace_block(
      {"x"},
      [&](const std::vector<Variable>& in) {
        Variable there = call("sequence_broadcast_as", {constant(Shape(), 1.0), in[0]});
        std::vector<Variable> values, valid;
        auto back = [&](const Variable& x, int64_t t) {
          return Variable(call(end, {delay(go_backwards ? -t : t, 0, {}, where)(x)}));
        };
        for (int64_t t = 0; t < window_size; ++t) values.push_back(back(in[0], t));
        for (int64_t t = 0; t < window_size; ++t) valid.push_back(back(there, t));
        return combine({call("splice", values, {{"axis", axis}}, "value"),
                        call("splice", valid, {{"axis", axis}}, "valid")});
      },
      "PastValueWindow", name);
}

}  // namespace cantik::layers
