// Reads JSON from bytes outside, piece by piece: the caller says what it expects.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cantik {

// Stands at a place of a text. What is not as expected is a RuntimeError that names the byte.
class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  // The members of an object, or the elements of an array: call(name) or call() reads each.
  template <class F>
  void object(F&& member) {
    expect('{');
    if (take('}')) return;
    do {
      std::string name = string();
      expect(':');
      member(std::move(name));
    } while (take(','));
    expect('}');
  }
  template <class F>
  void array(F&& element) {
    expect('[');
    if (take(']')) return;
    do {
      element();
    } while (take(','));
    expect(']');
  }
  std::string string();  // in UTF-8
  int64_t count();       // a whole number, at least 0
  double number();       // any number
  bool truth();          // true or false
  void null();
  char peek();  // the first character of what comes next; 0 at the end
  // Whether the number that comes next is written without a point and an exponent.
  bool is_whole();
  void end();  // nothing but spaces is left

 private:
  [[noreturn]] void fail(const std::string& expected) const;
  void skip_spaces();
  bool take(char c);
  void expect(char c);
  bool take_word(std::string_view word);
  uint32_t unit();  // of UTF-16, four hexadecimal digits

  std::string_view text_;
  size_t at_ = 0;
};

// A text with quotation marks around it.
std::string json_string(std::string_view text);

}  // namespace cantik
