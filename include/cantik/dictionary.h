// Dictionary: named values of a few kinds, as checkpoints and model files hold them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <cantik/api.h>
#include <cantik/axis.h>
#include <cantik/shape.h>
#include <cantik/tensor.h>

namespace cantik {

class DictionaryValue;
// A list of values; the values may be of several kinds.
using DictionaryVector = std::vector<DictionaryValue>;

// Values by their names. Names are kept in the order of their letters.
class CANTIK_API Dictionary {
 public:
  Dictionary() = default;
  // A dictionary of these pairs of a name and a value.
  Dictionary(std::initializer_list<std::pair<const std::string, DictionaryValue>> items);
  Dictionary(const Dictionary&) = default;
  Dictionary(Dictionary&&) = default;
  // What is assigned may be a part of this one: `d = d.at("model").as<Dictionary>()` goes a level down.
  Dictionary& operator=(Dictionary other) noexcept;

  // Whether there is a value of this name.
  bool contains(const std::string& key) const { return items_.count(key) != 0; }
  // The value of this name; an empty one is added where there is none.
  DictionaryValue& operator[](const std::string& key);
  const DictionaryValue& at(const std::string& key) const;    // a KeyError names the keys that are there
  const DictionaryValue* find(const std::string& key) const;  // null if there is none
  // Removes the value of this name; false where there was none.
  bool erase(const std::string& key);
  size_t size() const { return items_.size(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  friend CANTIK_API bool operator==(const Dictionary& a, const Dictionary& b);

  // As files: CNTK's protobuf form, with a checksum that CNTK passes over. Written crash-safe: the old file
  // or the new one.
  std::string to_bytes() const;
  // The dictionary that to_bytes() wrote. Damaged bytes are a RuntimeError.
  static Dictionary from_bytes(std::string_view bytes);
  // Writes to_bytes() into a file.
  void save(const std::string& path) const;
  // Reads a file that save() or CNTK wrote.
  static Dictionary load(const std::string& path);

 private:
  std::map<std::string, DictionaryValue> items_;
};

// A value of one of the kinds that CNTK's files have.
class CANTIK_API DictionaryValue {
 public:
  // The kinds of CNTK's files: none, bool, int, size_t, float, double, text, shape, axis, list, dictionary,
  // tensor.
  using Storage = std::variant<std::monostate, bool, int32_t, uint64_t, float, double, std::string, Shape,
                               Axis, DictionaryVector, Dictionary, Tensor>;

  DictionaryValue() = default;
  // A value is made of the C++ value itself.
  DictionaryValue(bool v) : v_(v) {}
  DictionaryValue(int32_t v) : v_(v) {}
  DictionaryValue(uint64_t v) : v_(v) {}
  DictionaryValue(float v) : v_(v) {}
  DictionaryValue(double v) : v_(v) {}
  DictionaryValue(const char* v) : v_(std::string(v)) {}
  DictionaryValue(std::string v) : v_(std::move(v)) {}
  DictionaryValue(Shape v) : v_(std::move(v)) {}
  DictionaryValue(Axis v) : v_(v) {}
  DictionaryValue(DictionaryVector v) : v_(std::move(v)) {}
  DictionaryValue(Dictionary v) : v_(std::move(v)) {}
  DictionaryValue(Tensor v) : v_(std::move(v)) {}

  // The value as a variant.
  const Storage& storage() const { return v_; }
  const char* kind() const;  // "list"
  // The value, where it is of the type T; otherwise null.
  template <class T>
  const T* get() const {
    return std::get_if<T>(&v_);
  }
  template <class T>
  const T& as() const;  // a ValueError names both kinds
  friend CANTIK_API bool operator==(const DictionaryValue& a, const DictionaryValue& b);

  // As CNTK writes a single value, without a checksum.
  std::string to_bytes() const;
  // The value that to_bytes() wrote. Damaged bytes are a RuntimeError.
  static DictionaryValue from_bytes(std::string_view bytes);
  // Writes to_bytes() into a file.
  void save(const std::string& path) const;
  // Reads a file that save() or CNTK wrote.
  static DictionaryValue load(const std::string& path);

 private:
  Storage v_;
};

inline Dictionary::Dictionary(std::initializer_list<std::pair<const std::string, DictionaryValue>> items)
    : items_(items) {}

inline Dictionary& Dictionary::operator=(Dictionary other) noexcept {
  items_.swap(other.items_);
  return *this;
}

}  // namespace cantik
