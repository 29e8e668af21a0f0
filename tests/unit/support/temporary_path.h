// Where a test keeps files: tests run side by side, in processes of their own.
#pragma once

#include <unistd.h>

#include <gtest/gtest.h>

#include <string>

namespace cantik {

inline std::string temporary_path(const std::string& name) {
  return testing::TempDir() + "cantik_" + std::to_string(getpid()) + "_" + name;
}

}  // namespace cantik
