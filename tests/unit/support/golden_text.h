// Texts that a peer printed, kept in blocks that begin with a line "## name".
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace cantik {

using Lines = std::vector<std::string>;

inline std::map<std::string, Lines> golden_blocks(std::string_view text) {
  std::map<std::string, Lines> blocks;
  Lines* block = nullptr;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## "))
      block = &blocks[line.substr(3)];
    else if (block)
      block->push_back(line);
  }
  return blocks;
}

// A printed time and speed are never the same twice.
inline std::string without_time(std::string line) {
  if (!line.starts_with("Finished Epoch")) return line;
  size_t s = line.ends_with("samples/s);") ? line.find("s (")
             : line.ends_with("s;")        ? line.size() - 2
                                           : std::string::npos;
  return s == std::string::npos ? line : line.substr(0, line.rfind(' ', s));
}

// CNTK tells a speed of 0.0 where no time has passed or there were no samples; ours tells none.
inline Lines without_no_speed(Lines lines) {
  constexpr std::string_view kNoSpeed = " (  0.0 samples/s);";
  for (std::string& line : lines)
    if (line.ends_with(kNoSpeed)) line.replace(line.size() - kNoSpeed.size(), kNoSpeed.size(), ";");
  return lines;
}

// CNTK tells a metric of 0 where a training has none; ours tells none.
inline Lines without_no_metric(Lines lines) {
  for (std::string& line : lines) {
    size_t begin = line.find(", metric = 0.00% * ");
    if (begin == std::string::npos) continue;
    size_t end = line.find_first_not_of("0123456789", begin + std::string_view(", metric = 0.00% * ").size());
    line.erase(begin, end == std::string::npos ? end : end - begin);
  }
  return lines;
}

inline void expect_lines(const std::string& what, const Lines& lines, const Lines& expected) {
  EXPECT_EQ(lines.size(), expected.size()) << what;
  for (size_t i = 0; i < std::min(lines.size(), expected.size()); ++i)
    EXPECT_EQ(lines[i], expected[i]) << what << ", line " << i;
}

// The same but for numbers with a point, which may differ in their last digits: floats were added in another
// order.
inline bool close(const std::string& a, const std::string& b, double tolerance = 2e-6) {
  size_t i = 0, j = 0;
  auto digit = [](const std::string& s, size_t at) {
    return at < s.size() && (std::isdigit(static_cast<unsigned char>(s[at])) || s[at] == '.');
  };
  while (i < a.size() && j < b.size()) {
    if (!digit(a, i) || !digit(b, j)) {
      if (a[i++] != b[j++]) return false;
      continue;
    }
    size_t i2 = i, j2 = j;
    while (digit(a, i2)) ++i2;
    while (digit(b, j2)) ++j2;
    std::string x = a.substr(i, i2 - i), y = b.substr(j, j2 - j);
    bool real = x.find('.') != std::string::npos && y.find('.') != std::string::npos;
    if (real ? std::fabs(std::stod(x) - std::stod(y)) > tolerance * std::max(1.0, std::fabs(std::stod(y)))
             : x != y)
      return false;
    i = i2, j = j2;
  }
  return i == a.size() && j == b.size();
}

inline void expect_close_lines(const std::string& what, const Lines& lines, const Lines& expected) {
  EXPECT_EQ(lines.size(), expected.size()) << what;
  for (size_t i = 0; i < std::min(lines.size(), expected.size()); ++i)
    EXPECT_TRUE(close(lines[i], expected[i]))
        << what << ", line " << i << "\n  " << lines[i] << "\n  " << expected[i];
}

}  // namespace cantik
