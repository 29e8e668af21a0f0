// Dictionaries from and to files and bytes.
#include <string>
#include <string_view>

#include <cantik/dictionary.h>
#include <cantik/error.h>

#include "base/file.h"
#include "base/memory.h"
#include "formats/wire.h"

namespace cantik {
namespace {

struct StringSink final : Sink {
  void write(const void* data, size_t bytes) override { text.append(static_cast<const char*>(data), bytes); }
  std::string text;
};

template <class T>
std::string message_of(const T& value) {
  StringSink sink;
  wire::write(value, sink);
  return std::move(sink.text);
}

template <class T>
void save_to(const T& value, const std::string& path) {
  FileWriter file(path);
  wire::write(value, file);
  file.commit();
}

// What is wrong with a file is said with its name.
template <class F>
auto load_from(const std::string& path, F&& parse) {
  Bytes bytes = read_file(path);
  try {
    return needed_for([&] { return "what is read from " + path; }, [&] { return parse(bytes); });
  } catch (const Error& e) {
    throw Error(e).line("file", path);
  }
}

}  // namespace

std::string Dictionary::to_bytes() const { return message_of(*this); }
Dictionary Dictionary::from_bytes(std::string_view bytes) { return wire::read_dictionary(bytes); }
void Dictionary::save(const std::string& path) const { save_to(*this, path); }
Dictionary Dictionary::load(const std::string& path) {
  return load_from(path, [](const Bytes& b) { return wire::read_dictionary(b.view(), b.data); });
}

std::string DictionaryValue::to_bytes() const { return message_of(*this); }
DictionaryValue DictionaryValue::from_bytes(std::string_view bytes) { return wire::read_value(bytes); }
void DictionaryValue::save(const std::string& path) const { save_to(*this, path); }
DictionaryValue DictionaryValue::load(const std::string& path) {
  return load_from(path, [](const Bytes& b) { return wire::read_value(b.view()); });
}

}  // namespace cantik
