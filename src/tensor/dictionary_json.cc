#include "tensor/dictionary_json.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <cantik/error.h>

#include "base/json_reader.h"
#include "base/text.h"
#include "base/utf8.h"

namespace cantik {
namespace {

constexpr int kDeepest = 64;

// Goes down a dictionary, and counts how deep.
class JsonWriter {
 public:
  std::string text;

  void dictionary(const Dictionary& d) {
    enter();
    text += '{';
    bool first = true;
    for (const auto& [key, value] : d) {
      if (!first) text += ", ";
      first = false;
      write(key);
      text += ": ";
      try {
        std::visit([this](const auto& v) { write(v); }, value.storage());
      } catch (Error& e) {
        throw std::move(e).line("key", key);
      }
    }
    text += '}';
    --depth_;
  }

 private:
  void enter() {
    if (++depth_ > kDeepest) throw value_error(cat("values are nested more than ", kDeepest, " deep"));
  }

  template <class List, class F>
  void list(const List& items, F&& one) {
    enter();
    text += '[';
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) text += ", ";
      one(items[i]);
    }
    text += ']';
    --depth_;
  }

  // Reals keep a point or an exponent, by which they are told from whole numbers.
  template <class T>
  void real(T n) {
    if (!std::isfinite(n)) throw value_error(cat("JSON has no form for the number ", n));
    std::array<char, 40> digits;
    const std::string_view shortest(digits.data(),
                                    std::to_chars(digits.data(), digits.data() + digits.size(), n).ptr);
    text += shortest;
    if (shortest.find_first_of(".e") == std::string_view::npos) text += ".0";
  }

  void write(std::monostate) { text += "null"; }
  void write(bool truth) { text += truth ? "true" : "false"; }
  void write(int32_t n) { text += std::to_string(n); }
  void write(uint64_t n) {
    if (n > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      throw value_error(cat("the number ", n, " is beyond 2^63"));
    text += std::to_string(n);
  }
  void write(float n) { real(n); }
  void write(double n) { real(n); }
  void write(const std::string& s) {
    if (!is_utf8(s)) throw value_error("a text is not valid UTF-8");
    text += json_string(s);
  }
  void write(const Shape& s) {
    enter();
    text += cat('[', join(s, ", ", [](int64_t size) { return std::to_string(size); }), ']');
    --depth_;
  }
  void write(const Axis&) { throw value_error("JSON has no form for an axis"); }
  void write(const Tensor&) { throw value_error("JSON has no form for a tensor"); }
  void write(const Dictionary& d) { dictionary(d); }
  void write(const DictionaryVector& items) {
    list(items, [this](const DictionaryValue& item) {
      std::visit([this](const auto& v) { write(v); }, item.storage());
    });
  }

  int depth_ = 0;
};

DictionaryValue value_in(JsonReader& json, int depth);

Dictionary dictionary_in(JsonReader& json, int depth) {
  Dictionary d;
  json.object([&](std::string name) { d[name] = value_in(json, depth); });
  return d;
}

DictionaryValue number_in(JsonReader& json) {
  if (!json.is_whole()) return json.number();
  if (json.peek() != '-') return static_cast<uint64_t>(json.count());
  const double n = json.number();
  return n < std::numeric_limits<int32_t>::min() ? DictionaryValue(n)
                                                 : DictionaryValue(static_cast<int32_t>(n));
}

DictionaryValue value_in(JsonReader& json, int depth) {
  if (++depth > kDeepest) throw runtime_error(cat("values are nested more than ", kDeepest, " deep"));
  switch (json.peek()) {
    case '{': return dictionary_in(json, depth);
    case '[': {
      DictionaryVector list;
      json.array([&] { list.push_back(value_in(json, depth)); });
      return list;
    }
    case '"': return json.string();
    case 't':
    case 'f': return json.truth();
    case 'n': json.null(); return {};
    default: return number_in(json);
  }
}

}  // namespace

std::string to_json(const Dictionary& dictionary) {
  JsonWriter json;
  json.dictionary(dictionary);
  return std::move(json.text);
}

Dictionary dictionary_from_json(std::string_view text) {
  if (!is_utf8(text)) throw runtime_error("the JSON text is not valid UTF-8");
  JsonReader json(text);
  Dictionary d = dictionary_in(json, 1);
  json.end();
  return d;
}

}  // namespace cantik
