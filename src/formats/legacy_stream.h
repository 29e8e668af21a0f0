// What files of CNTK's first generation are made of: numbers in little endian, wide texts that end with a
// zero, marks, which are such texts, shapes and matrices.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <cantik/shape.h>
#include <cantik/tensor.h>

namespace cantik {

// Reads them. Whatever is not as it should be is a RuntimeError with the place in the file.
class LegacyStream {
 public:
  explicit LegacyStream(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T number() {
    T n;
    std::memcpy(&n, take(sizeof n), sizeof n);
    return n;
  }
  bool flag() { return number<uint8_t>() != 0; }
  // How many of something follow, each of which takes so many bytes at least.
  uint64_t count(uint64_t bytes_of_one);
  std::string text();
  void expect(const char* mark);
  // In NumPy's order of the axes; the file has the other one.
  Shape shape();
  // The numbers of a parameter of this shape.
  Tensor matrix(const Shape& shape, DType dtype);

  // Of the whole file: what a version added stands in the files of later ones only.
  uint64_t version = 0;
  bool since(uint64_t first) const { return version >= first; }

  [[noreturn]] void refuse(const std::string& why) const;

 private:
  const char* take(uint64_t bytes);
  std::string_view bytes_;
  size_t at_ = 0;
};

// Writes them.
class LegacyOutput {
 public:
  template <class T>
  void number(T n) {
    bytes_.append(reinterpret_cast<const char*>(&n), sizeof n);
  }
  void flag(bool b) { number<uint8_t>(b); }
  void text(std::string_view utf8);
  void shape(const Shape& shape);
  void matrix(const Tensor& values);
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

}  // namespace cantik
