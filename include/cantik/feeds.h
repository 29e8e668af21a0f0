// FeedMatcher: which of the values that a caller gave belongs to which input.
//
// Evaluation, training, sessions and the Python package match values with it: one rule, and one text for each
// mistake.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <cantik/api.h>
#include <cantik/function.h>

namespace cantik {

// The inputs of one run, and which of them have come. Inputs are given by variable, by name, or by themselves
// where there is only one.
class CANTIK_API FeedMatcher {
 public:
  // `inputs`: the arguments of the function that the run reads. Both have to outlive the matcher.
  FeedMatcher(const Function& function, std::span<const Variable> inputs)
      : function_(function), inputs_(inputs), given_(inputs.size()) {}

  // The place of the input that a value came for; without: the run does not read it.
  std::optional<size_t> place(const Variable& input);
  // The argument of the function with this name or uid. A ValueError lists the names that are there.
  Variable named(std::string_view name) const;
  // The only input, else the only argument of the function; a ValueError where there are none or several.
  Variable only() const;
  // The inputs that values came for and that the run does not read.
  const std::vector<Variable>& unread() const { return unread_; }
  // A ValueError where one of unread() is no argument of the function at all.
  void refuse_strangers() const;
  // A ValueError that names the inputs for which no value came, if there are any.
  void check_complete() const;

 private:
  [[noreturn]] void fail(size_t count, const std::vector<Variable>& absent) const;

  const Function& function_;
  std::span<const Variable> inputs_;
  std::vector<char> given_;
  std::vector<Variable> unread_;
};

// Whether the value suits the input: element type, shape, layout and storage. An error names what differs.
CANTIK_API void check_feed(const Variable& input, const Value& value);

}  // namespace cantik
