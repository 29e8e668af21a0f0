// Options by name, of learners and layers: values of Python by the descriptions of the library.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include <cantik/option.h>
#include <cantik/option_field.h>
#include <cantik/schedule.h>

#include "binding/arguments.h"
#include "binding/common.h"
#include "binding/training.h"

namespace cantik::python {

// The value of an option; nothing where it is left open. dtype: of numbers that become tensors.
OptionValue option_in(const OptionDescription& option, nb::handle given, DType dtype = DType::unknown);
// The default of an option, where it depends on the element type of what is made.
std::optional<OptionValue> default_of(const OptionDescription& option, DType dtype);

// ---- structs of options, from a dictionary: the members that it names, others keep their defaults
// The value of a member. Types that only some trainings have are known where these are.
template <class T>
struct OptionIn;

template <>
struct OptionIn<bool> {
  static bool of(nb::handle h, const std::string& name) { return flag_in(h, name); }
};
template <>
struct OptionIn<int64_t> {  // numbers that are too large stand for the largest one: it is never reached
  static int64_t of(nb::handle h, const std::string& name) { return endless_in(h, name); }
};
template <>
struct OptionIn<double> {
  static double of(nb::handle h, const std::string& name) { return number_in(h, name); }
};
template <>
struct OptionIn<std::string> {
  static std::string of(nb::handle h, const std::string& name) { return text_in(h, name); }
};
template <>
struct OptionIn<TrainingParameterSchedule> {
  static TrainingParameterSchedule of(nb::handle h, const std::string& name) {
    return as_schedule(h, name.c_str());
  }
};
template <class T>
struct OptionIn<std::optional<T>> {
  static std::optional<T> of(nb::handle h, const std::string& name) {
    if (h.is_none()) return {};
    return OptionIn<T>::of(h, name);
  }
};

template <class O>
O options_in(nb::handle dictionary) {
  const auto given = nb::cast<nb::dict>(nb::borrow(dictionary));
  O options;
  auto read = [&](const auto& f) {
    using T = std::decay_t<decltype(options.*(f.member))>;
    if (given.contains(f.name)) options.*(f.member) = OptionIn<T>::of(nb::object(given[f.name]), f.name);
  };
  std::apply([&](const auto&... f) { (read(f), ...); }, O::fields());
  return options;
}

}  // namespace cantik::python
