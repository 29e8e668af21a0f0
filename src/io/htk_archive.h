// HTK's parameter files: frames of numbers behind a header of 12 bytes, in either byte order, plain or
// compressed to 16 bits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/input_file.h"

namespace cantik {

class HtkArchive {
 public:
  explicit HtkArchive(const std::string& path);

  const std::string& path() const { return file_.path(); }
  int64_t frames() const { return frames_; }
  int64_t dim() const { return dim_; }
  // What the numbers are: the base kind, and which of energy, deltas and the like are among them.
  int kind() const { return kind_; }
  // The numbers of frames first to first + count: [count, dim].
  void read(int64_t first, int64_t count, float* into) const;
  void expect_unchanged() const { file_.expect_unchanged(); }

 private:
  [[noreturn]] void refuse(const std::string& what) const;
  void read_header();
  InputFile file_;
  int64_t frames_ = 0, dim_ = 0;
  int kind_ = 0;
  bool swapped_ = false, compressed_ = false;
  int64_t begin_ = 0;                 // of the first frame
  std::vector<float> scale_, shift_;  // compressed: x = (number + shift) / scale, of each column
};

}  // namespace cantik
