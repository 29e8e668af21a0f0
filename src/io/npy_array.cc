#include "io/npy_array.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/looks_like.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/archive.h"

namespace cantik {
namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";
constexpr int64_t kMostHeader = 1 << 20;

template <class T>
T swapped(T x) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &x, sizeof x);
  std::reverse(bytes, bytes + sizeof x);
  std::memcpy(&x, bytes, sizeof x);
  return x;
}

// What stands behind a key of the header's dictionary; empty where it is not there.
std::string_view value_of(std::string_view header, const std::string& key) {
  for (const char quote : {'\'', '"'}) {
    const std::string written = quote + key + quote;
    size_t at = header.find(written);
    if (at == header.npos) continue;
    at = header.find(':', at + written.size());
    if (at == header.npos) return {};
    at = header.find_first_not_of(" \t", at + 1);
    return at == header.npos ? std::string_view() : header.substr(at);
  }
  return {};
}

}  // namespace

NpyArray::NpyArray(const std::string& path) : file_(path, InputFile::Form::maybe_packed) { read_header(); }

void NpyArray::refuse(const std::string& what) const {
  throw runtime_error(cat(file_.path(), " is not an array that can be read: ", what))
      .line("file", file_.path())
      .remedy(
          "write it with numpy.save(path, numpy.ascontiguousarray(x)), x of numbers with an axis of samples");
}

void NpyArray::refuse_kind(std::string_view head) const {
  const std::string_view kind = looks_like(head);
  if (!kind.starts_with("a zip archive"))
    refuse(kind.empty() ? "it does not begin as such a file" : cat("it looks like ", kind));
  std::string there;
  for (const std::string& member : Archive(file_.path()).names())
    there += cat(there.empty() ? "" : ", ", file_.path(), "@/", member);
  throw runtime_error(cat(file_.path(), " is an archive of several files, and one array is read"))
      .line("file", file_.path())
      .remedy(cat("name the array in it: ", there));
}

void NpyArray::read_header() {
  constexpr int64_t kPrefix = 8;  // magic, version
  char prefix[kPrefix + 4];
  if (file_.size() < kPrefix + 4) refuse(cat("it has ", file_.size(), " bytes"));
  file_.read(0, kPrefix + 4, prefix);
  if (std::string_view(prefix, kNpyMagic.size()) != kNpyMagic) refuse_kind({prefix, sizeof prefix});
  const auto byte = [&](int i) { return static_cast<int64_t>(static_cast<unsigned char>(prefix[i])); };
  const int64_t version = byte(6);
  if (version < 1 || version > 3) refuse(cat("it has version ", version));
  int64_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  begin_ = kPrefix + (version > 1 ? 4 : 2) + length;
  if (length > kMostHeader || begin_ > file_.size()) refuse(cat("its header has ", length, " bytes"));
  std::string header(static_cast<size_t>(length), 0);
  file_.read(begin_ - length, length, header.data());
  if (!value_of(header, "fortran_order").starts_with("False"))
    refuse("its first axis is the fastest one (fortran_order)");
  read_type(value_of(header, "descr"));
  read_shape(value_of(header, "shape"));
}

// '<f4': the order of bytes, what the numbers are, bytes of each.
void NpyArray::read_type(std::string_view text) {
  const size_t end = text.empty() ? text.npos : text.find(text[0], 1);
  if (end == text.npos || (text[0] != '\'' && text[0] != '"') || end < 3)
    refuse("it has no single type of numbers");
  const std::string_view type = text.substr(1, end - 1);
  if (type.substr(1) == "O") refuse("it holds objects of Python, which are never loaded");
  kind_ = type[1];
  const auto [p, ec] = std::from_chars(type.data() + 2, type.data() + type.size(), width_);
  const bool is_number = ec == std::errc() && p == type.data() + type.size();
  const bool is_float = kind_ == 'f' && (width_ == 2 || width_ == 4 || width_ == 8);
  const bool is_integer =
      (kind_ == 'i' || kind_ == 'u') && (width_ == 1 || width_ == 2 || width_ == 4 || width_ == 8);
  if (!is_number || !(is_float || is_integer || (kind_ == 'b' && width_ == 1)) ||
      (type[0] != '<' && type[0] != '>' && type[0] != '|' && type[0] != '='))
    refuse(cat("its numbers are of the type ", type));
  swapped_ = type[0] == '>' && width_ > 1;
  if (is_float && width_ == 2) dtype_ = DType::float16;
  if (is_float && width_ == 8) dtype_ = DType::float64;
}

void NpyArray::read_shape(std::string_view text) {
  std::vector<int64_t> dims;
  const char *p = text.data(), *end = p + text.size();
  if (p == end || *p++ != '(') refuse("its header has no shape");
  for (;;) {
    while (p < end && (*p == ' ' || *p == ',')) ++p;
    if (p < end && *p == ')') break;
    int64_t n = 0;
    const auto [next, ec] = std::from_chars(p, end, n);
    if (ec != std::errc() || n < 0) refuse("its header has a damaged shape");
    dims.push_back(n);
    p = next;
  }
  if (dims.empty()) refuse("it is a single number");
  int64_t elements = 1;
  for (size_t i = 1; i < dims.size(); ++i)
    if (__builtin_mul_overflow(elements, dims[i], &elements)) refuse("its shape is too large");
  rows_ = dims[0];
  // A number a sample is a row of one.
  shape_ = dims.size() == 1 ? Shape{1} : Shape(std::vector<int64_t>(dims.begin() + 1, dims.end()));
  int64_t bytes = 0;
  if (elements < 1) refuse("its samples have no numbers");
  if (__builtin_mul_overflow(elements, width_, &row_bytes_) ||
      __builtin_mul_overflow(row_bytes_, rows_, &bytes) || bytes > file_.size() - begin_)
    refuse(cat("it has ", file_.size() - begin_, " bytes for ", rows_, " samples of ", elements, " numbers"));
}

// The numbers of some rows as they are in the file, piece by piece: use(first number of the piece, numbers).
template <class F>
void NpyArray::with_numbers(int64_t first, int64_t count, F&& use) const {
  auto pieces = [&]<class T>(T) {
    constexpr int64_t kPiece = 64 << 10;  // bytes: stays in the cache of the processor
    constexpr int64_t kNumbers = kPiece / static_cast<int64_t>(sizeof(T));
    std::vector<T> piece(static_cast<size_t>(kNumbers));
    const int64_t all = count * (row_bytes_ / width_);
    for (int64_t i = 0; i < all; i += kNumbers) {
      const int64_t n = std::min(kNumbers, all - i);
      may_end(n);
      file_.read(begin_ + first * row_bytes_ + i * width_, n * width_, reinterpret_cast<char*>(piece.data()));
      if (swapped_)
        for (int64_t k = 0; k < n; ++k) piece[k] = swapped(piece[k]);
      use(i, std::span<const T>(piece.data(), static_cast<size_t>(n)));
    }
  };
  const bool is_signed = kind_ == 'i';
  if (kind_ == 'f' && width_ == 8) return pieces(double{});
  if (kind_ == 'f' && width_ == 4) return pieces(float{});
  if (kind_ == 'f') return pieces(uint16_t{});  // bits of float16
  if (width_ == 1) return is_signed ? pieces(int8_t{}) : pieces(uint8_t{});
  if (width_ == 2) return is_signed ? pieces(int16_t{}) : pieces(uint16_t{});
  if (width_ == 4) return is_signed ? pieces(int32_t{}) : pieces(uint32_t{});
  return is_signed ? pieces(int64_t{}) : pieces(uint64_t{});
}

void NpyArray::read(int64_t first, int64_t count, void* into) const {
  if (kind_ == 'f' && !swapped_) {
    file_.read(begin_ + first * row_bytes_, count * row_bytes_, static_cast<char*>(into));
  } else {
    with_numbers(first, count, [&]<class T>(int64_t at, std::span<const T> numbers) {
      if (kind_ == 'f') {
        std::memcpy(static_cast<T*>(into) + at, numbers.data(), numbers.size_bytes());
        return;
      }
      float* to = static_cast<float*>(into) + at;
      for (size_t i = 0; i < numbers.size(); ++i) to[i] = static_cast<float>(numbers[i]);
    });
  }
  file_.expect_unchanged();
}

void NpyArray::read_classes(int64_t first, int64_t count, int64_t classes, int32_t* into) const {
  with_numbers(first, count, [&]<class T>(int64_t at, std::span<const T> numbers) {
    for (size_t i = 0; i < numbers.size(); ++i) {
      const bool is_class =
          numbers[i] >= T(0) && static_cast<uint64_t>(numbers[i]) < static_cast<uint64_t>(classes);
      if (!is_class)
        throw runtime_error(cat("sample ", first + at + static_cast<int64_t>(i), " of ", file_.path(),
                                " is not a class from 0 to ", classes - 1, " but ", +numbers[i]))
            .line("file", file_.path());
      into[at + static_cast<int64_t>(i)] = static_cast<int32_t>(numbers[i]);
    }
  });
  file_.expect_unchanged();
}

}  // namespace cantik
