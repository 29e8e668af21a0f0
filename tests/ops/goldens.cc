#include "goldens.h"

#include <cstdlib>
#include <sstream>

namespace cantik::testing {
namespace {

double number(const std::string& s) { return std::strtod(s.c_str(), nullptr); }

Result parse_result(const std::string& text) {  // "y0 #3,2 = 1 2 3 ..."
  std::istringstream in(text);
  std::string name, shape, equals, x;
  in >> name >> shape;
  Result r{name, {}, {}};
  if (shape != "=") in >> equals;
  else shape.clear();
  std::string dim;
  std::istringstream dims(shape.starts_with("#") ? shape.substr(1) : shape);
  while (std::getline(dims, dim, ',')) r.shape.push_back(std::stoll(dim));
  while (in >> x) r.numbers.push_back(number(x));
  return r;
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
    if (rest.starts_with("refused gradient")) g.no_gradient[dtype] = true;
    else if (rest.starts_with("refused")) g.refused[dtype] = rest;
    else {
      Result r = parse_result(rest);
      (dtype == "f32" ? g.f32 : g.f64)[r.name] = r;
    }
  }
  return all;
}

}  // namespace cantik::testing
