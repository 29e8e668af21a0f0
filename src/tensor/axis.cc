#include <cantik/axis.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>

#include <cantik/error.h>

namespace cantik {
namespace {

// Names of dynamic axes, each once; an axis is its place in this list.
struct Names {
  struct Entry {
    std::string name;
    bool ordered;
  };
  std::mutex mutex;
  std::deque<Entry> entries{{"defaultBatchAxis", false}, {"defaultDynamicAxis", true}};
  int32_t unique = 0;

  int32_t find(std::string_view name, bool ordered) {
    std::lock_guard lock(mutex);
    if (name == entries[0].name) return 0;  // the batch axis, in whichever way it is named
    for (size_t i = 0; i < entries.size(); ++i)
      if (entries[i].name == name && entries[i].ordered == ordered) return static_cast<int32_t>(i);
    entries.push_back({std::string(name), ordered});
    return static_cast<int32_t>(entries.size() - 1);
  }
  const Entry& at(int32_t id) {
    // Axis(axis_code::kDynamic), as CNTK calls it
    static const Entry kNameless{"staticAxisIdx=DynamicAxisSentinel", false};
    if (id < 0) return kNameless;
    std::lock_guard lock(mutex);
    if (static_cast<size_t>(id) >= entries.size())
      throw value_error("there is no dynamic axis with the number " + std::to_string(id));
    return entries[id];
  }
};

Names& names() {
  static Names* n = new Names;
  return *n;
}

}  // namespace

Axis::Axis(std::string_view name, bool ordered)
    : index_(axis_code::kDynamic), id_(names().find(name, ordered)) {}
Axis Axis::batch() { return of_id(0); }
Axis Axis::sequence() { return of_id(1); }
Axis Axis::all() { return Axis(axis_code::kAll); }
Axis Axis::all_static() { return Axis(axis_code::kAllStatic); }
Axis Axis::unknown() { return Axis("UnknownAxes", false); }
Axis Axis::operand_sequence() { return Axis("__operandSequenceAxis"); }

Axis Axis::unique(std::string_view prefix) {
  Names& n = names();
  std::lock_guard lock(n.mutex);
  std::string name(prefix);
  auto taken = [&] {
    for (const auto& e : n.entries)
      if (e.name == name) return true;
    return false;
  };
  while (taken()) name = std::string(prefix) + std::to_string(++n.unique);
  n.entries.push_back({name, true});
  return of_id(static_cast<int32_t>(n.entries.size() - 1));
}

bool Axis::is_ordered() const {
  if (is_dynamic()) return names().at(id_).ordered;
  return is_static();
}

int64_t Axis::code() const {
  if (is_dynamic()) return is_ordered() ? axis_code::kSequence : axis_code::kBatch;
  return index_;
}

std::string Axis::name() const {
  if (is_dynamic()) return names().at(id_).name;
  if (index_ == axis_code::kAll) return "AllAxes";
  if (index_ == axis_code::kAllStatic) return "AllStaticAxes";
  return "staticAxisIdx=" + std::to_string(index_);
}

std::string Axis::text() const { return "Axis('" + name() + "')"; }

void Axes::throw_no_axis(int i) const {
  throw value_error("there is no dynamic axis " + std::to_string(i) + ": the value has " + text());
}

void Axes::push_back(const Axis& a) {
  if (!a.is_dynamic()) throw value_error("a dynamic axis was expected, not " + a.text());
  if (!is_known()) throw value_error("no axis can be added to dynamic axes that are not known");
  if (count_ == kMost) throw value_error("a value has at most " + std::to_string(kMost) + " dynamic axes");
  if (std::find(ids_, ids_ + count_, a.id()) != ids_ + count_)
    throw value_error("the dynamic axis " + a.name() + " is specified more than once");
  ids_[count_++] = a.id();
}

std::string Axes::text() const {
  if (!is_known()) return "[???]";
  std::string s = "[";
  for (int i = 0; i < count_; ++i) {
    if (i) s += ", ";
    Axis a = (*this)[i];
    s += a == Axis::batch() ? "#" : a == Axis::sequence() ? "*" : a.name();
  }
  return s + "]";
}

}  // namespace cantik
