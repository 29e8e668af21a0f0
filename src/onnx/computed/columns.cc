// Columns of tables (the domain ai.onnx.ml): features that are picked, compared with a limit, looked up in a
// list, or spread over categories.
#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"
#include "onnx/computed.h"
#include "onnx/numbers.h"

namespace cantik::onnx {
namespace {

std::vector<int64_t> known_dims(const ComputedNode& n) {
  std::vector<int64_t> dims = n.dims.at(0);
  for (int64_t& d : dims) d = std::max<int64_t>(d, -1);
  return dims;
}

// Places along the last axis.
Computed features(const ComputedNode& n) {
  std::vector<int64_t> dims = known_dims(n);
  if (dims.empty()) throw value_error("a single number has no features");
  if (dims.size() == 1) dims.insert(dims.begin(), 1);
  dims.back() = -1;
  return {{{dims, n.elements[0]}}, [](const std::vector<Array>& in) {
            const Array& x = in[0];
            const int64_t width = x.dims.back(), rows = x.product(0, x.dims.size() - 1);
            Array y;
            y.dims = x.dims;
            if (y.dims.size() == 1) y.dims.insert(y.dims.begin(), 1);
            y.dims.back() = static_cast<int64_t>(in[1].numbers.size());
            for (int64_t r = 0; r < rows; ++r)
              for (double at : in[1].numbers) {
                if (!(at >= 0 && at < static_cast<double>(width)))
                  throw value_error(cat("there is no feature ", at));
                y.numbers.push_back(x.numbers[static_cast<size_t>(r * width) + static_cast<size_t>(at)]);
              }
            return std::vector<Array>{y};
          }};
}

Computed binarized(const ComputedNode& n) {
  const double limit = n.real("threshold", 0);
  return {{{known_dims(n), n.elements[0]}}, [limit](const std::vector<Array>& in) {
            Array y = in[0];
            for (double& v : y.numbers) v = v > limit ? 1 : 0;
            return std::vector<Array>{y};
          }};
}

// One of the lists of a lookup, which is named by the kind of its entries.
struct Listed {
  std::vector<double> numbers;
  bool is_whole = false, is_there = false;
};
Listed listed(const ComputedNode& n, const std::string& what) {
  if (n.node.find(what + "_strings")) throw unsupported("texts are looked up");
  if (const AttributeRecord* a = n.node.find(what + "_int64s"))
    return {std::vector<double>(a->integers.begin(), a->integers.end()), true, true};
  if (const AttributeRecord* a = n.node.find(what + "_floats")) return {a->reals, false, true};
  const AttributeRecord* a = n.node.find(what + "_tensor");
  if (!a || a->tensors.empty()) return {};
  const KnownNumbers k = known_of(a->tensors[0], {});
  return k.whole ? Listed{std::vector<double>(k.integers.begin(), k.integers.end()), true, true}
                 : Listed{k.reals, false, true};
}

// The value that stands where the key does, or another one for what is no key. A key that is no number stands
// for what is none.
Computed looked_up(const ComputedNode& n) {
  if (n.node.find("classes_strings")) throw unsupported("texts are looked up");
  const Listed keys = listed(n, "keys"), values = listed(n, "values");
  if (!keys.is_there || keys.numbers.size() != values.numbers.size())
    throw value_error(
        cat("a lookup has ", keys.numbers.size(), " keys and ", values.numbers.size(), " values"));
  std::map<double, double> place;
  double otherwise =
      values.is_whole ? static_cast<double>(n.integer("default_int64", -1)) : n.real("default_float", -0.0);
  if (const Listed made = listed(n, "default"); !made.numbers.empty()) otherwise = made.numbers[0];
  double of_none = otherwise;
  for (size_t i = keys.numbers.size(); i-- > 0;) {  // of equal keys the first one counts
    if (std::isnan(keys.numbers[i]))
      of_none = values.numbers[i];
    else
      place[keys.numbers[i]] = values.numbers[i];
  }
  Computed c{{{known_dims(n), values.is_whole ? kInt64 : kFloat}}, [=](const std::vector<Array>& in) {
               Array y = in[0];
               for (double& v : y.numbers) {
                 const auto at = std::isnan(v) ? place.end() : place.find(v);
                 v = at != place.end() ? at->second : std::isnan(v) ? of_none : otherwise;
               }
               return std::vector<Array>{y};
             }};
  if (n.node.find("keys_tensor") || n.node.find("values_tensor")) c.written.since = 4;
  return c;
}

// A 1 at the place of the category, on an axis that is new and the last one.
Computed categories(const ComputedNode& n) {
  if (n.node.find("cats_strings")) throw unsupported("the categories are texts");
  const std::vector<int64_t> listed = n.integers("cats_int64s");
  if (listed.empty()) throw value_error("there are no categories");
  const bool may_lack = n.integer("zeros", 1) != 0;
  std::map<int64_t, size_t> place;
  for (size_t i = listed.size(); i-- > 0;) place[listed[i]] = i;
  std::vector<int64_t> dims = known_dims(n);
  dims.push_back(static_cast<int64_t>(listed.size()));
  return {{{dims, kFloat}}, [=, count = listed.size()](const std::vector<Array>& in) {
            std::vector<int64_t> sizes = in[0].dims;
            sizes.push_back(static_cast<int64_t>(count));
            Array y = sized(sizes);
            for (size_t i = 0; i < in[0].numbers.size(); ++i) {
              const double x = in[0].numbers[i];
              const auto at = std::abs(x) < 0x1p53 ? place.find(static_cast<int64_t>(x)) : place.end();
              if (at != place.end())
                y.numbers[i * count + at->second] = 1;
              else if (!may_lack)
                throw value_error(cat(x, " is none of the categories"));
            }
            return std::vector<Array>{y};
          }};
}

constexpr ComputedRule kColumnRules[] = {
    {"ai.onnx.ml::ArrayFeatureExtractor", "**", features, 0, 0, kAllSets},
    {"ai.onnx.ml::Binarizer", "*", binarized, 0, 0, kAllSets},
    {"ai.onnx.ml::LabelEncoder", "*", looked_up, 0, 0, 2},
    {"ai.onnx.ml::OneHotEncoder", "*", categories, 0, 0, kAllSets},
};

}  // namespace

std::span<const ComputedRule> computed_columns() { return kColumnRules; }

}  // namespace cantik::onnx
