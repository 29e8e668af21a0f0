// Dictionaries: looking up, asking for a kind, comparing.
#include <cantik/dictionary.h>

#include <cstring>
#include <string>

#include <cantik/error.h>

namespace cantik {
namespace {

constexpr const char* kKinds[] = {"none", "bool",  "int",  "size_t", "float",      "double",
                                  "text", "shape", "axis", "list",   "dictionary", "tensor"};
static_assert(std::size(kKinds) == std::variant_size_v<DictionaryValue::Storage>);

template <class T, size_t I = 0>
constexpr size_t index_of() {
  if constexpr (std::is_same_v<T, std::variant_alternative_t<I, DictionaryValue::Storage>>)
    return I;
  else
    return index_of<T, I + 1>();
}

// A number that is none equals itself: a dictionary is the same after it was written and read.
template <class T>
bool same(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>)
    return a == b || (a != a && b != b);
  else
    return a == b;
}

bool same(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  if (!a.defined()) return true;
  Tensor x = a.to_dense(), y = b.to_dense();
  return x.bytes() == 0 || std::memcmp(x.raw(), y.raw(), x.bytes()) == 0;
}

}  // namespace

const char* DictionaryValue::kind() const { return kKinds[v_.index()]; }

template <class T>
const T& DictionaryValue::as() const {
  if (const T* v = get<T>()) return *v;
  throw value_error(std::string("the dictionary's value must be of the kind ") + kKinds[index_of<T>()] +
                    ", and is of the kind " + kind());
}

#define CANTIK_AS(T) template CANTIK_API const T& DictionaryValue::as<T>() const;
CANTIK_AS(bool)
CANTIK_AS(int32_t)
CANTIK_AS(uint64_t)
CANTIK_AS(float)
CANTIK_AS(double)
CANTIK_AS(std::string)
CANTIK_AS(Shape)
CANTIK_AS(Axis)
CANTIK_AS(DictionaryVector)
CANTIK_AS(Dictionary)
CANTIK_AS(Tensor)
#undef CANTIK_AS

bool operator==(const DictionaryValue& a, const DictionaryValue& b) {
  if (a.v_.index() != b.v_.index()) return false;
  return std::visit([&](const auto& x) { return same(x, *b.get<std::decay_t<decltype(x)>>()); }, a.v_);
}

DictionaryValue& Dictionary::operator[](const std::string& key) { return items_[key]; }

const DictionaryValue& Dictionary::at(const std::string& key) const {
  if (const DictionaryValue* v = find(key)) return *v;
  std::string keys;
  for (const auto& [k, v] : items_) keys += (keys.empty() ? "" : ", ") + k;
  throw key_error("the dictionary has no entry " + key)
      .remedy(items_.empty() ? "the dictionary is empty" : "use one of its keys: " + keys);
}

const DictionaryValue* Dictionary::find(const std::string& key) const {
  auto it = items_.find(key);
  return it == items_.end() ? nullptr : &it->second;
}

bool Dictionary::erase(const std::string& key) { return items_.erase(key) != 0; }

bool operator==(const Dictionary& a, const Dictionary& b) { return a.items_ == b.items_; }

}  // namespace cantik
