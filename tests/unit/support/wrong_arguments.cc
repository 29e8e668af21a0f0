#include "wrong_arguments.h"

#include <gtest/gtest.h>

#include <string>

#include "child_process.h"

namespace cantik::wrong {
namespace {

constexpr int kTaken = 100;  // no error

std::string name_of_result(int result) {
  if (result == kTaken) return "no error";
  if (result == -1) return "an exception that is no cantik::Error";
  if (result >= 1000) return "the signal " + std::to_string(result - 1000);
  return "an error of the kind " + std::to_string(result);
}

// The kind of the error, or what came instead.
int result_of(const Case& c) {
  return support::in_child([&] {
    support::limit_memory(uint64_t{2} << 30);
    try {
      c.call();
    } catch (const Error& e) {
      return static_cast<int>(e.kind());
    }
    return kTaken;
  });
}

}  // namespace

void expect_errors(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const int result = result_of(c);
    bool expected = false;
    for (ErrorKind kind : c.kinds) expected |= result == static_cast<int>(kind);
    EXPECT_TRUE(expected) << c.what << ": " << name_of_result(result);
  }
}

}  // namespace cantik::wrong
