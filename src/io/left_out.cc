#include "io/left_out.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/text.h"

namespace cantik {

LeftOut::LeftOut(int64_t most) : most_(most) {
  if (most < 0) throw value_error(cat("max_errors must be at least 0, and is ", most));
}

void LeftOut::add(int64_t number, const std::string& name, const Error& e) {
  if (e.kind() != ErrorKind::runtime || !is_allowed()) throw e;
  const std::lock_guard lock(mutex_);
  if (numbers_.contains(number)) return;
  if (static_cast<int64_t>(numbers_.size()) == most_)
    throw Error(e).line("left out", cat(most_, " before this one, as many as are allowed"));
  numbers_.insert(number);
  const std::string_view all = e.what();
  warnings_.push_back(cat(name, " is left out (", numbers_.size(), " of at most ", most_,
                          "): ", all.substr(0, all.find('\n'))));
}

void LeftOut::take_warnings(std::vector<std::string>& into) {
  const std::lock_guard lock(mutex_);
  std::ranges::move(warnings_, std::back_inserter(into));
  warnings_.clear();
}

}  // namespace cantik
