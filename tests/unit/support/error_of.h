// The message of the error that code ends with.
#pragma once

#include <string>

#include <cantik/error.h>

namespace cantik {

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace cantik
