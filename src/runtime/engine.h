// Engine: the executables of one composite, by what was asked of it.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "compile/pipeline.h"
#include "runtime/executable.h"

namespace cantik::runtime {

class CANTIK_API Engine {
 public:
  explicit Engine(const std::shared_ptr<Node>& root);
  std::shared_ptr<Executable> executable(const ir::Request& r);
  const Draws& draws() const { return *draws_; }

 private:
  struct Entry {
    ir::Request request;
    std::shared_ptr<Executable> executable;
  };
  void check(const ir::Request& r) const;  // that what is asked for is in the graph

  std::shared_ptr<Node> root_;
  std::shared_ptr<Draws> draws_;
  std::mutex mutex_;
  std::vector<Entry> entries_;
};

CANTIK_API Engine& engine_of(const Function& composite);
std::shared_ptr<Executable> make_executable(const ir::Request& request, std::shared_ptr<Draws> draws);
CANTIK_API void check_feed(const Variable& v, const Value& value);
std::vector<const Value*> arrange(const Executable& x, const Feeds& feeds, const Function& f);
CANTIK_API int64_t plans_compiled();  // in this process so far
// of these, for the free dimensions that came; never for a number of rows or a length
CANTIK_API int64_t programs_made();

}  // namespace cantik::runtime
