// Dictionaries of checkpoints and custom attributes, from and to Python's.
#include "binding/dictionary.h"

#include <limits>
#include <optional>

#include "binding/numpy.h"

namespace cantik::python {
namespace {

// A number of NumPy's, as far as int64 goes; none beyond.
std::optional<int64_t> whole_number(nb::handle number) {
  int overflow = 0;
  const int64_t n = PyLong_AsLongLongAndOverflow(nb::int_(nb::borrow(number)).ptr(), &overflow);
  return overflow ? std::nullopt : std::optional(n);
}

// Files hold integers of at most 16 bits. Larger ones become real numbers of a type that holds every one of
// them, so that the array comes back with equal numbers.
DType type_in_file(nb::handle array) {
  const std::string kind = nb::cast<std::string>(nb::borrow(array).attr("dtype").attr("kind"));
  if ((kind != "i" && kind != "u") || nb::cast<int64_t>(nb::borrow(array).attr("size")) == 0)
    return DType::unknown;
  const std::optional<int64_t> least = whole_number(nb::borrow(array).attr("min")()),
                               most = whole_number(nb::borrow(array).attr("max")());
  auto within = [&](int bits) {
    const int64_t bound = int64_t{1} << bits;
    return least && most && -bound <= *least && *most <= bound;
  };
  if (within(24)) return DType::unknown;  // its own type, or float32
  if (within(53)) return DType::float64;
  throw value_error("an array of integers beyond 2**53 does not fit into a dictionary of a file")
      .remedy("give its tolist(), or a view of it as int8");
}

}  // namespace

DictionaryValue value_from(nb::handle h) {
  if (h.is_none()) return {};
  if (PyBool_Check(h.ptr())) return nb::cast<bool>(h);
  if (PyLong_Check(h.ptr())) {
    int overflow = 0;
    long long n = PyLong_AsLongLongAndOverflow(h.ptr(), &overflow);
    if (overflow || (n < 0 && n < std::numeric_limits<int32_t>::min()))
      throw value_error("the number " + std::string(nb::str(h).c_str()) +
                        " does not fit into a dictionary of a file");
    if (n < 0) return static_cast<int32_t>(n);
    return static_cast<uint64_t>(n);
  }
  if (PyFloat_Check(h.ptr())) return nb::cast<double>(h);
  if (PyUnicode_Check(h.ptr())) return nb::cast<std::string>(h);
  if (PyDict_Check(h.ptr())) return dictionary_from(h);
  if (PyList_Check(h.ptr()) || PyTuple_Check(h.ptr())) {
    DictionaryVector list;
    for (nb::handle item : nb::borrow(h)) list.push_back(value_from(item));
    return list;
  }
  if (const Tensor* t = tensor_in(h)) return *t;
  if (is_array(h)) return tensor_of_array(h, type_in_file(h)).clone();
  if (nb::hasattr(h, "item")) return value_from(nb::borrow(h).attr("item")());  // a number of NumPy's
  throw type_error(
      "a dictionary of a file can hold None, numbers, texts, lists, dictionaries and arrays, not " +
      class_name(h));
}

Dictionary dictionary_from(nb::handle h) {
  if (!PyDict_Check(h.ptr())) throw type_error("a dictionary was expected, not " + class_name(h));
  Dictionary d;
  for (auto [key, item] : nb::borrow<nb::dict>(h)) {
    if (!PyUnicode_Check(key.ptr()))
      throw type_error("the keys of a dictionary of a file must be texts, not " + class_name(key));
    std::string name = nb::cast<std::string>(key);
    try {
      d[name] = value_from(item);
    } catch (Error& e) {
      throw std::move(e).line("key", name);
    }
  }
  return d;
}

nb::object to_python(const DictionaryValue& v) {
  return std::visit(
      [](const auto& x) -> nb::object {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return nb::none();
        } else if constexpr (std::is_same_v<T, DictionaryVector>) {
          nb::list list;
          for (const DictionaryValue& item : x) list.append(to_python(item));
          return list;
        } else if constexpr (std::is_same_v<T, Dictionary>) {
          return to_python(x);
        } else if constexpr (std::is_same_v<T, Axis>) {
          if (!x.is_static()) return nb::cast(x);
          return nb::make_tuple("ordered", "static", x.static_index());
        } else if constexpr (std::is_same_v<T, Shape> || std::is_same_v<T, Tensor>) {
          return wrap(x);
        } else {
          return nb::cast(x);
        }
      },
      v.storage());
}

nb::dict to_python(const Dictionary& d) {
  nb::dict result;
  for (const auto& [key, item] : d) result[nb::str(key.data(), key.size())] = to_python(item);
  return result;
}

}  // namespace cantik::python
