#include "formats/legacy_stream.h"

#include <string>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"

namespace cantik {
namespace {

constexpr uint32_t kMostAxes = 32;
constexpr uint32_t kDense = 0;  // a matrix, column by column

// A code point as UTF-8.
void append(std::string& s, uint32_t c) {
  if (c < 0x80) {
    s += static_cast<char>(c);
  } else if (c < 0x800) {
    s += static_cast<char>(0xc0 | c >> 6);
    s += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    s += static_cast<char>(0xe0 | c >> 12);
    s += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    s += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    s += static_cast<char>(0xf0 | c >> 18);
    s += static_cast<char>(0x80 | (c >> 12 & 0x3f));
    s += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    s += static_cast<char>(0x80 | (c & 0x3f));
  }
}

bool is_high(uint32_t c) { return c >= 0xd800 && c < 0xdc00; }
bool is_low(uint32_t c) { return c >= 0xdc00 && c < 0xe000; }

}  // namespace

void LegacyStream::refuse(const std::string& why) const {
  throw runtime_error(cat("the model of CNTK 1 is damaged at byte ", at_, ": ", why));
}

const char* LegacyStream::take(uint64_t bytes) {
  if (bytes > bytes_.size() - at_) refuse("the file ends before it is complete");
  const char* p = bytes_.data() + at_;
  at_ += bytes;
  return p;
}

uint64_t LegacyStream::count(uint64_t bytes_of_one) {
  const uint64_t n = number<uint64_t>();
  if (n > (bytes_.size() - at_) / bytes_of_one)
    refuse(cat("it announces ", n, " parts, more than it has room for"));
  return n;
}

std::string LegacyStream::text() {
  std::string s;
  for (uint32_t c; (c = number<uint16_t>()) != 0;) {
    if (is_high(c)) {
      const uint32_t low = number<uint16_t>();
      if (!is_low(low)) refuse("a text is no UTF-16");
      c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    } else if (is_low(c)) {
      refuse("a text is no UTF-16");
    }
    append(s, c);
  }
  return s;
}

void LegacyStream::expect(const char* mark) {
  const std::string found = text();
  if (found != mark) refuse(cat("the mark ", mark, " is missing"));
}

Shape LegacyStream::shape() {
  const uint32_t rank = number<uint32_t>();
  if (rank > kMostAxes) refuse(cat("a shape has ", rank, " axes"));
  std::vector<int64_t> dims(rank);
  for (int64_t& d : dims) d = number<uint32_t>();
  return Shape(std::vector<int64_t>(dims.rbegin(), dims.rend()));
}

Tensor LegacyStream::matrix(const Shape& shape, DType dtype) {
  if (number<uint8_t>() != 'd') refuse("a parameter is not dense");
  expect("BMAT");
  if (number<uint64_t>() != size_of(dtype))
    refuse("the numbers of a parameter have another size than its type");
  text();  // a name that nothing reads
  if (number<uint32_t>() != kDense) refuse("a parameter is not laid out by columns");
  const uint64_t rows = number<uint64_t>(), columns = number<uint64_t>();
  uint64_t elements = 0, bytes = 0;
  if (__builtin_mul_overflow(rows, columns, &elements) ||
      __builtin_mul_overflow(elements, size_of(dtype), &bytes) ||
      static_cast<uint64_t>(shape.elements()) != elements)
    refuse(cat("a parameter of the shape ", shape.text(), " has ", rows, " x ", columns, " numbers"));
  const char* numbers = take(bytes);
  Tensor t(dtype, shape);
  // Column by column in CNTK's order of the axes is row by row in NumPy's.
  if (bytes) std::memcpy(t.raw(), numbers, bytes);
  expect("EMAT");
  return t;
}

void LegacyOutput::text(std::string_view s) {
  for (size_t i = 0; i < s.size();) {
    const auto first = static_cast<unsigned char>(s[i]);
    const size_t more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    uint32_t c = more == 0 ? first : first & (0x3f >> more);
    for (size_t k = 1; k <= more && i + k < s.size(); ++k)
      c = c << 6 | (static_cast<unsigned char>(s[i + k]) & 0x3f);
    i += more + 1;
    if (c >= 0x10000) {
      number(static_cast<uint16_t>(0xd800 + ((c - 0x10000) >> 10)));
      c = 0xdc00 + ((c - 0x10000) & 0x3ff);
    }
    number(static_cast<uint16_t>(c));
  }
  number(uint16_t{0});
}

void LegacyOutput::shape(const Shape& shape) {
  number(static_cast<uint32_t>(shape.rank()));
  for (int i = shape.rank(); i-- > 0;) number(static_cast<uint32_t>(shape[i]));
}

// The first axis in the file's order are the rows.
void LegacyOutput::matrix(const Tensor& values) {
  const auto rows = static_cast<uint64_t>(values.shape().empty() ? 1 : values.shape().back());
  number('d');
  text("BMAT");
  number(static_cast<uint64_t>(size_of(values.dtype())));
  text("unnamed");
  number(kDense);
  number(rows);
  number(static_cast<uint64_t>(rows ? static_cast<uint64_t>(values.elements()) / rows : 0));
  bytes_.append(static_cast<const char*>(values.raw()), values.bytes());
  text("EMAT");
}

}  // namespace cantik
