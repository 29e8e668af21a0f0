#include "runtime/feeds.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace cantik {
namespace {

const std::string& shown(const Variable& v, std::string& memory) {
  if (!v.name().empty()) return v.name();
  memory = v.uid();
  return memory;
}

std::string names_of(const std::vector<Variable>& list) {
  std::string uid;
  return join(list, ", ", [&](const Variable& v) { return shown(v, uid); });
}

}  // namespace

std::optional<size_t> FeedMatcher::place(const Variable& input) {
  for (size_t i = 0; i < inputs_.size(); ++i)
    if (inputs_[i] == input) {
      if (given_[i]) throw value_error(cat("two values were given for ", input.text()));
      given_[i] = 1;
      return i;
    }
  unread_.push_back(input);
  return {};
}

Variable FeedMatcher::named(std::string_view name) const {
  const std::vector<Variable> arguments = function_.arguments();
  for (const Variable& v : arguments)
    if (v.name() == name || v.uid() == name) return v;
  throw value_error(cat("variable with name \"", name,
                        "\" does not exist in the network. Available variable names: ", names_of(arguments)));
}

Variable FeedMatcher::only() const {
  if (inputs_.size() == 1) return inputs_[0];
  const std::vector<Variable> arguments = function_.arguments();
  if (arguments.size() != 1) fail(arguments.size(), arguments);
  return arguments[0];
}

void FeedMatcher::refuse_strangers() const {
  if (unread_.empty()) return;
  const std::vector<Variable> all = function_.arguments();
  for (const Variable& v : unread_)
    if (std::find(all.begin(), all.end(), v) == all.end())
      throw value_error(cat("a value was given for ", v.text(), ", which the function does not read"))
          .node(function_.text());
}

void FeedMatcher::check_complete() const {
  if (std::find(given_.begin(), given_.end(), 0) == given_.end()) return;
  std::vector<Variable> absent;
  for (size_t i = 0; i < inputs_.size(); ++i)
    if (!given_[i]) absent.push_back(inputs_[i]);
  fail(inputs_.size(), absent);
}

void FeedMatcher::fail(size_t count, const std::vector<Variable>& absent) const {
  throw value_error(cat("function expects ", count, " arguments"))
      .node(function_.text())
      .remedy(absent.empty() ? "leave the data out" : "give data for " + names_of(absent));
}

namespace {
bool is_one_step_each(const Layout& l) {
  return l.is_batch() || (l.rows() == l.sequences() && l.longest() <= 1);
}

// Rows are where the input has a batch axis, and only there.
void check_batch(const Variable& v, const Value& value) {
  const Type& t = v.type();
  if (t.axes.has_batch() && !value.layout)
    throw value_error(cat("the value for ", v.text(), " is a tensor of the shape ", value.data.shape().text(),
                          " without a batch"))
        .remedy(cat("give Value::batch(tensor) with a tensor of the shape ", (Shape{kFree} + t.shape).text(),
                    ", whose first axis counts the samples",
                    t.axes.has_sequence() ? ", or Value::sequences" : ""));
  if (!t.axes.has_batch() && value.layout)
    throw value_error(cat("a batch of ", value.size(), value.size() == 1 ? " sample" : " samples",
                          " was given for ", v.text(), ", which has no batch axis"))
        .remedy(cat("give one tensor of the shape ", t.shape.text(),
                    ", or declare the input with Axes::batch()"));
}
}  // namespace

void check_feed(const Variable& v, const Value& value) {
  const Type& t = v.type();
  const Shape& s = value.data.shape();
  if (!value.data.defined())
    throw type_error(cat("the value for ", v.text(), " is empty")).remedy("give a value that holds numbers");
  if (value.data.dtype() != t.dtype)
    throw type_error(cat("the value for ", v.text(), " has the element type ", name_of(value.data.dtype()),
                         ", not ", name_of(t.dtype)))
        .remedy(cat("convert the data to ", name_of(t.dtype)));
  if (t.storage == Storage::csr && !t.axes.has_batch())
    throw runtime_error(cat("Sparse Input Variable '", v.text(),
                            "' found without a DefaultBatchAxis dynamic axis; this is unsupported."))
        .remedy("declare the input with its batch axis: leave dynamic_axes out");
  int rows = t.axes.has_batch() ? 1 : 0;
  check_batch(v, value);
  bool fits = s.rank() == t.shape.rank() + rows;
  for (int i = 0; fits && i < t.shape.rank(); ++i) fits = t.shape[i] < 0 || t.shape[i] == s[i + rows];
  if (fits && rows && value.layout->rows() != s[0])
    throw value_error(
        cat("the value for ", v.text(), " has ", s[0], " rows, but its layout has ", value.layout->rows()));
  if (fits && rows && !t.axes.has_sequence() && !is_one_step_each(*value.layout))
    throw value_error(cat("sequences were given for ", v.text(), ", which has no sequence axis"))
        .remedy("declare the input with Axes::sequence(), or give one sample for each entry of the batch");
  if (!fits)
    throw value_error(cat("The trailing dimensions of the Value shape '", s.text(" x "),
                          "' do not match the Variable '", v.text(), "' shape '", t.shape.text(" x "), "'."));
  if (value.data.is_sparse() && t.storage == Storage::dense)
    throw value_error(cat("sparse data were given for ", v.text(), ", which is dense"))
        .remedy("declare the input with is_sparse, or make the data dense");
  if (!value.data.is_sparse() && t.storage == Storage::csr)
    throw value_error(cat("Dense input data supplied for sparse input Variable '", v.text(), "'."));
}

namespace runtime {
namespace {

// What a run reads it compares itself.
void check_rows_of_all(const BoundPlan& plan, const std::vector<const Value*>& list) {
  if (plan.request().unlike_batches || plan.plan().needs().samples) return;
  for (size_t i = 1; i < plan.inputs().size(); ++i)
    for (size_t k = 0; k < i; ++k) {
      const Variable &a = plan.inputs()[k], &b = plan.inputs()[i];
      const Value &x = *list[plan.input_leaves()[k]], &y = *list[plan.input_leaves()[i]];
      if (a.axes() != b.axes() || !x.layout || !y.layout) continue;
      check_same_rows(a, *x.layout, b, *y.layout);
      break;
    }
}

}  // namespace

std::vector<const Value*> arrange(const BoundPlan& plan, const Feeds& feeds, const Function& f) {
  FeedMatcher matcher(f, plan.inputs());
  std::vector<const Value*> list(plan.leaves().size(), nullptr);
  for (const auto& [input, value] : feeds)
    if (const std::optional<size_t> place = matcher.place(input)) {
      check_feed(input, value);
      list[plan.input_leaves()[*place]] = &value;
    }
  matcher.refuse_strangers();
  matcher.check_complete();
  if (!plan.all_inputs_are_read()) check_rows_of_all(plan, list);
  return list;
}

}  // namespace runtime
}  // namespace cantik
