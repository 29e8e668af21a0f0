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
using DictionaryVector = std::vector<DictionaryValue>;

class CANTIK_API Dictionary {
 public:
  Dictionary() = default;
  Dictionary(std::initializer_list<std::pair<const std::string, DictionaryValue>> items);

  bool contains(const std::string& key) const { return items_.count(key) != 0; }
  DictionaryValue& operator[](const std::string& key);
  const DictionaryValue& at(const std::string& key) const;    // a KeyError names the keys that are there
  const DictionaryValue* find(const std::string& key) const;  // null if there is none
  bool erase(const std::string& key);
  size_t size() const { return items_.size(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  friend bool operator==(const Dictionary& a, const Dictionary& b);

  // As files: CNTK's protobuf form, with a checksum that CNTK passes over. Written crash-safe: the old file
  // or the new one.
  std::string to_bytes() const;
  static Dictionary from_bytes(std::string_view bytes);
  void save(const std::string& path) const;
  static Dictionary load(const std::string& path);

 private:
  std::map<std::string, DictionaryValue> items_;
};

class CANTIK_API DictionaryValue {
 public:
  // The kinds of CNTK's files: none, bool, int, size_t, float, double, text, shape, axis, list, dictionary,
  // tensor.
  using Storage = std::variant<std::monostate, bool, int32_t, uint64_t, float, double, std::string, Shape,
                               Axis, DictionaryVector, Dictionary, Tensor>;

  DictionaryValue() = default;
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

  const Storage& storage() const { return v_; }
  const char* kind() const;  // "list"
  template <class T>
  const T* get() const {
    return std::get_if<T>(&v_);
  }
  template <class T>
  const T& as() const;  // a ValueError names both kinds
  friend bool operator==(const DictionaryValue& a, const DictionaryValue& b);

  // As CNTK writes a single value, without a checksum.
  std::string to_bytes() const;
  static DictionaryValue from_bytes(std::string_view bytes);
  void save(const std::string& path) const;
  static DictionaryValue load(const std::string& path);

 private:
  Storage v_;
};

inline Dictionary::Dictionary(std::initializer_list<std::pair<const std::string, DictionaryValue>> items)
    : items_(items) {}

}  // namespace cantik
