// NpyArray: a file in NumPy's format (NEP 1): a header in text, then numbers, the last axis fastest.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <cantik/dtype.h>
#include <cantik/shape.h>

#include "io/input_file.h"

namespace cantik {

class NpyArray {
 public:
  explicit NpyArray(const std::string& path);

  int64_t rows() const { return rows_; }
  const Shape& shape() const { return shape_; }  // of a row
  DType dtype() const { return dtype_; }         // of the numbers, as they are read
  bool is_whole() const { return kind_ == 'i' || kind_ == 'u' || kind_ == 'b'; }
  int64_t row_bytes() const { return row_bytes_; }  // in the file

  // Rows first to first + count, as numbers of dtype().
  void read(int64_t first, int64_t count, void* into) const;
  // The same as classes: whole numbers from 0 to classes - 1.
  void read_classes(int64_t first, int64_t count, int64_t classes, int32_t* into) const;
  const std::string& path() const { return file_.path(); }

 private:
  [[noreturn]] void refuse(const std::string& what) const;
  // Of a file that begins as another one does.
  [[noreturn]] void refuse_kind(std::string_view head) const;
  void read_header();
  void read_type(std::string_view text);
  void read_shape(std::string_view text);
  template <class F>
  void with_numbers(int64_t first, int64_t count, F&& use) const;

  InputFile file_;
  int64_t begin_ = 0, rows_ = 0, row_bytes_ = 0;
  Shape shape_;
  DType dtype_ = DType::float32;
  char kind_ = 0;
  int64_t width_ = 0;  // bytes of a number
  bool swapped_ = false;
};

}  // namespace cantik
