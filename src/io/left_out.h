// LeftOut: pieces of data that cannot be read and are left out, as many as the user allows.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <cantik/error.h>

namespace cantik {

// Used on any number of threads.
class LeftOut {
 public:
  explicit LeftOut(int64_t most);
  bool is_allowed() const { return most_ > 0; }
  // Piece number so, which errors call `name`, cannot be read, as `e` says. Throws that again where it is one
  // too many, or an error of another kind. A piece that is read again counts once.
  void add(int64_t number, const std::string& name, const Error& e);
  void take_warnings(std::vector<std::string>& into);

 private:
  const int64_t most_;
  std::mutex mutex_;  // guards what follows
  std::set<int64_t> numbers_;
  std::vector<std::string> warnings_;
};

}  // namespace cantik
