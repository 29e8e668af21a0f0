#include "goldens.h"

#include <gtest/gtest.h>

#include <cantik/error.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace cantik::testing {
namespace {

double golden_number(const std::string& s) { return std::strtod(s.c_str(), nullptr); }

Result parse_result(const std::string& text) {  // "y0 #3,2 = 1 2 3 ..."
  std::istringstream in(text);
  std::string name, shape, equals, x;
  in >> name >> shape;
  Result r{name, {}, {}};
  if (shape != "=")
    in >> equals;
  else
    shape.clear();
  std::string dim;
  std::istringstream dims(shape.starts_with("#") ? shape.substr(1) : shape);
  while (std::getline(dims, dim, ',')) r.shape.push_back(std::stoll(dim));
  while (in >> x) r.numbers.push_back(golden_number(x));
  return r;
}

// Whether the case notes the result as another one: "y0", "y0@f32"; with `mark` "?", as one that may be
// another.
bool is_noted(const Case& c, const std::string& result, const std::string& mark, const std::string& type) {
  return std::any_of(c.differs.begin(), c.differs.end(), [&](const std::string& s) {
    return s == result + mark || s == result + mark + "@" + type;
  });
}

}  // namespace

std::vector<Golden> read_goldens(const std::string& path) {
  std::vector<Golden> all;
  for (const std::string& line : lines_of(path)) {
    if (line.starts_with("case ")) {
      all.push_back({parse_case(line.substr(5)), {}, {}, {}, {}});
      continue;
    }
    Golden& g = all.back();
    std::string dtype = line.substr(0, 3), rest = line.substr(4);
    if (rest.starts_with("refused gradient"))
      g.no_gradient[dtype] = true;
    else if (rest.starts_with("refused"))
      g.refused[dtype] = rest;
    else {
      Result r = parse_result(rest);
      (dtype == "f32" ? g.f32 : g.f64)[r.name] = r;
    }
  }
  return all;
}

void expect_what_cntk_makes(const Golden& g, const Difference& difference) {
  for (DType dtype : {DType::float32, DType::float64}) {
    const bool single = dtype == DType::float32;
    const std::string type = single ? "f32" : "f64";
    SCOPED_TRACE(g.c.line + "\n" + type);
    if (g.refused.count(type)) continue;
    std::vector<Result> have;
    try {
      have = run_case(g.c, dtype, 3, {}, !g.no_gradient.count(type));
    } catch (const Error& e) {
      ADD_FAILURE() << e.what();
      continue;
    }
    const auto& want = single ? g.f32 : g.f64;
    EXPECT_EQ(have.size(), want.size());
    for (const Result& r : have) {
      auto it = want.find(r.name);
      if (it == want.end()) {
        ADD_FAILURE() << "CNTK has no " << r.name;
        continue;
      }
      if (is_noted(g.c, r.name, "?", type)) continue;
      const std::string d = difference(g, dtype, it->second, r);
      if (is_noted(g.c, r.name, "", type))
        EXPECT_FALSE(d.empty()) << r.name << " no longer differs";
      else
        EXPECT_TRUE(d.empty()) << r.name << ": " << d;
    }
  }
}

}  // namespace cantik::testing
