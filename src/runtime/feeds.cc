#include "runtime/feeds.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace cantik::runtime {

std::vector<const Value*> arrange(const BoundPlan& plan, const Feeds& feeds, const Function& f) {
  std::vector<const Value*> list(plan.leaves().size(), nullptr);
  for (const auto& [variable, value] : feeds) {
    bool known = false;
    for (size_t i = 0; i < list.size(); ++i)
      if (plan.leaves()[i] == variable) {
        check_feed(variable, value);
        list[i] = &value;
        known = true;
      }
    if (!known) {
      std::vector<Variable> all = f.arguments();
      if (std::find(all.begin(), all.end(), variable) == all.end())
        throw value_error(
            cat("a value was given for ", variable.text(), ", which the function does not read"))
            .node(f.text());
    }
  }
  for (size_t i = 0; i < list.size(); ++i)
    if (!list[i] && plan.wants(i))
      throw value_error(cat("no value was given for ", plan.leaves()[i].text()))
          .node(f.text())
          .remedy("feed all arguments of the function");
  return list;
}

void check_feed(const Variable& v, const Value& value) {
  const Type& t = v.type();
  const Shape& s = value.data.shape();
  if (value.data.dtype() != t.dtype)
    throw type_error(cat("the value for ", v.text(), " has the element type ", name_of(value.data.dtype()),
                         ", not ", name_of(t.dtype)))
        .remedy(cat("convert the data to ", name_of(t.dtype)));
  int rows = t.axes.has_batch() ? 1 : 0;
  bool fits = s.rank() == t.shape.rank() + rows && (value.layout != nullptr) == (rows == 1);
  for (int i = 0; fits && i < t.shape.rank(); ++i) fits = t.shape[i] < 0 || t.shape[i] == s[i + rows];
  if (fits && rows && value.layout->rows() != s[0])
    throw value_error(
        cat("the value for ", v.text(), " has ", s[0], " rows, but its layout has ", value.layout->rows()));
  if (!fits)
    throw value_error(cat("The trailing dimensions of the Value shape '", s.text(" x "),
                          "' do not match the Variable '", v.text(), "' shape '", t.shape.text(" x "), "'."));
  if (value.data.is_sparse() && t.storage == Storage::dense)
    throw value_error(cat("sparse data were given for ", v.text(), ", which is dense"))
        .remedy("declare the input with is_sparse, or make the data dense");
  if (!value.data.is_sparse() && t.storage == Storage::csr)
    throw value_error(cat("Dense input data supplied for sparse input Variable '", v.text(), "'."));
}

}  // namespace cantik::runtime
