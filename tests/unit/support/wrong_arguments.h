// Wrong calls. Each runs in a process of its own, which ends with an Error of one of the kinds.
#pragma once

#include <functional>
#include <vector>

#include <cantik/error.h>

namespace cantik::wrong {

struct Case {
  const char* what;
  std::function<void()> call;
  std::vector<ErrorKind> kinds = {ErrorKind::value, ErrorKind::type, ErrorKind::shape};
};

void expect_errors(const std::vector<Case>& cases);

}  // namespace cantik::wrong
