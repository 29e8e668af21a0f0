// Calls over the boundary to an operator's code, which may be a library's: no exception crosses it as it is.
// What the host's functions throw meanwhile is kept, and thrown again behind the call; what the code itself
// throws, returns or says becomes an error that names the operator and its library.
#pragma once

#include <exception>
#include <optional>
#include <string>

#include <cantik/error.h>

#include "graph/operator.h"

namespace cantik {

// Values or types that a library is given stand in front of so many that are none: code that counts wrongly
// reads those.
inline constexpr size_t kSpare = 8;

class Boundary {
 public:
  // One of the host's functions: f() does it.
  template <class F>
  cantik_status serve(F&& f) {
    try {
      f();
      return CANTIK_OK;
    } catch (...) {
      kept_ = std::current_exception();
      return CANTIK_VALUE;
    }
  }
  // What the code says: its own text, or none where the host knows it already.
  void fail(int32_t kind, const char* text, const char* remedy);

  // code() calls the operator's code, its `part`: "type rule".
  template <class F>
  void call(const Operator& op, const char* part, F&& code) {
    const Depth depth(op, part);
    try {
      const cantik_status status = code();
      if (kept_) std::rethrow_exception(kept_);
      if (status) throw runtime_error(of(op, part) + " failed with status " + std::to_string(status));
    } catch (const Error& e) {
      rethrow(e, op);
    } catch (const std::exception& e) {
      if (kept_ || op.object) throw;  // the host's own, or the program's
      rethrow(runtime_error(of(op, part) + " threw: " + e.what()), op);
    } catch (...) {
      if (kept_ || op.object) throw;
      rethrow(foreign(of(op, part)), op);
    }
  }
  // Code that calls nothing of the host's: a kernel. `what`: which one.
  template <class F>
  static auto guarded(const Operator& op, const std::string& what, F&& code) -> decltype(code()) {
    try {
      return code();
    } catch (const std::exception&) {  // the library's own guard knows these
      throw;
    } catch (...) {
      if (op.object) throw;  // the program's own reaches the program
      rethrow(foreign(what), op);
    }
  }

  [[noreturn]] static void rethrow(const Error& e, const Operator& op);  // with the library's name

  static Error foreign(const std::string& what) {
    return runtime_error(what + " threw what is no std::exception")
        .remedy("throw std::runtime_error, or shape_failure(what, remedy)");
  }

 private:
  // Bodies are made of other operators', and an operator whose body leads back to it has no end.
  class Depth {
   public:
    Depth(const Operator& op, const char* part) {
      if (now() >= kMost) throw runtime_error(of(op, part) + " leads back to itself: it has no end");
      ++now();
    }
    ~Depth() { --now(); }
    Depth(const Depth&) = delete;

   private:
    static constexpr int kMost = 100;
    static int& now() {
      static thread_local int depth = 0;
      return depth;
    }
  };

  static std::string of(const Operator& op, const char* part) { return op.name + ": its " + part; }
  std::exception_ptr kept_;
};

}  // namespace cantik
