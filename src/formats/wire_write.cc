// Dictionaries to protobuf: sizes first, then the bytes in one stream, so that a model is never in memory
// twice.
#include <protozero/types.hpp>
#include <protozero/varint.hpp>

#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <cantik/error.h>

#include "base/crc64.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "base/utf8.h"
#include "formats/wire.h"

namespace cantik::wire {
namespace {

using protozero::pbf_wire_type;

uint64_t signed_bits(int32_t v) { return static_cast<uint64_t>(static_cast<int64_t>(v)); }
uint64_t tag(uint32_t field, pbf_wire_type type) {
  return (uint64_t{field} << 3) | static_cast<uint32_t>(type);
}
uint64_t varint_size(uint64_t v) { return static_cast<uint64_t>(protozero::length_of_varint(v)); }
uint64_t varint_field(uint64_t v) { return 1 + varint_size(v); }  // all tags are below 16: one byte
uint64_t bytes_field(uint64_t n) { return 1 + varint_size(n) + n; }
uint64_t dim_bits(int64_t d) { return static_cast<uint64_t>(d); }  // kInferred is -1, kFree is -3
static_assert(static_cast<uint64_t>(kInferred) == kDimInferred && static_cast<uint64_t>(kFree) == kDimFree);

struct AxisFields {
  int32_t index;
  std::string name;
  bool ordered;
};
AxisFields fields_of(const Axis& a) {
  if (a == Axis::unknown()) return {kUnknownAxis, a.name(), false};
  return {static_cast<int32_t>(a.static_index()), a.name(), a.is_ordered()};
}

// How the numbers of a tensor lie in a message.
struct Numbers {
  uint32_t field;
  uint64_t bytes;  // without tags and lengths
  bool apart;      // may stand behind the message
};

class Encoder {
 public:
  explicit Encoder(bool apart) : apart_(apart) {}

  // Sizes of messages in the order in which emit() comes to them.
  uint64_t measure(const Dictionary& d) {
    uint64_t n = varint_field(kFormatVersion);
    for (const auto& [key, value] : d) {
      size_t at = place();
      uint64_t entry = bytes_field(text_size(key)) + bytes_field(measure(value));
      n += bytes_field(sizes_[at] = entry);
    }
    return n;
  }
  uint64_t measure(const DictionaryValue& v) {
    size_t at = place();
    if (++depth_ > kDeepest)
      throw value_error(cat("values that are nested more than ", kDeepest, " deep cannot be saved"));
    sizes_[at] = varint_field(kFormatVersion) +
                 (v.storage().index() ? varint_field(v.storage().index()) : 0) +
                 std::visit([&](const auto& x) { return measure_content(x); }, v.storage());
    --depth_;
    return sizes_[at];
  }

  void emit(const Dictionary& d, Sink& s) {
    put_varint(s, field::kVersion, kFormatVersion);
    for (const auto& [key, value] : d) {
      put_head(s, field::kData, sizes_[next_++]);
      put_bytes(s, field::kKey, key);
      put_head(s, field::kEntry, sizes_[next_]);
      emit(value, s);
    }
  }
  void emit(const DictionaryValue& v, Sink& s) {
    ++next_;
    put_varint(s, field::kVersion, kFormatVersion);
    if (v.storage().index()) put_varint(s, field::kType, v.storage().index());
    std::visit([&](const auto& x) { emit_content(x, s); }, v.storage());
  }
  // What stands behind the message.
  void emit_apart(Sink& s) const {
    for (const Tensor& t : behind_) put_numbers(s, t);
  }
  uint64_t apart_bytes() const { return apart_bytes_; }

 private:
  size_t place() {
    sizes_.push_back(0);
    return sizes_.size() - 1;
  }

  static uint64_t text_size(const std::string& text) {
    if (!is_utf8(text))
      throw value_error("the text '" + text + "' is not valid UTF-8 and cannot be saved")
          .remedy("names, paths and attributes that are saved are texts in UTF-8");
    return text.size();
  }

  uint64_t measure_content(std::monostate) { return 0; }
  uint64_t measure_content(bool) { return varint_field(1); }
  uint64_t measure_content(int32_t v) { return varint_field(signed_bits(v)); }
  uint64_t measure_content(uint64_t v) { return varint_field(v); }
  uint64_t measure_content(float) { return 5; }
  uint64_t measure_content(double) { return 9; }
  uint64_t measure_content(const std::string& v) { return bytes_field(text_size(v)); }
  uint64_t measure_content(const Shape& v) { return bytes_field(message_size(v)); }
  uint64_t measure_content(const Axis& v) {
    AxisFields a = fields_of(v);
    size_t at = place();
    sizes_[at] = (a.index ? varint_field(signed_bits(a.index)) : 0) +
                 (a.name.empty() ? 0 : bytes_field(text_size(a.name))) + (a.ordered ? varint_field(1) : 0);
    return bytes_field(sizes_[at]);
  }
  uint64_t measure_content(const DictionaryVector& v) {
    size_t at = place();
    uint64_t n = 0;
    for (const DictionaryValue& x : v) n += bytes_field(measure(x));
    return bytes_field(sizes_[at] = n);
  }
  uint64_t measure_content(const Dictionary& v) {
    size_t at = place();
    uint64_t n = measure(v);
    return bytes_field(sizes_[at] = n);
  }
  uint64_t measure_content(const Tensor& t) {
    size_t at = place();
    Numbers n = numbers_of(t);
    uint64_t size = varint_field(static_cast<uint64_t>(t.dtype())) + bytes_field(message_size(t.shape()));
    if (apart_ && n.apart) {
      apart_bytes_ += n.bytes;
      behind_.push_back(t);
    } else {
      size += bytes_field(n.bytes ? bytes_field(n.bytes) : 0);
    }
    return bytes_field(sizes_[at] = size);
  }

  void emit_content(std::monostate, Sink&) {}
  void emit_content(bool v, Sink& s) { put_varint(s, field::kBool, v); }
  void emit_content(int32_t v, Sink& s) { put_varint(s, field::kInt, signed_bits(v)); }
  void emit_content(uint64_t v, Sink& s) { put_varint(s, field::kSizeT, v); }
  void emit_content(float v, Sink& s) { put_fixed(s, field::kFloat, pbf_wire_type::fixed32, &v, 4); }
  void emit_content(double v, Sink& s) { put_fixed(s, field::kDouble, pbf_wire_type::fixed64, &v, 8); }
  void emit_content(const std::string& v, Sink& s) { put_bytes(s, field::kString, v); }
  void emit_content(const Shape& v, Sink& s) { put_shape(s, field::kShape, v); }
  void emit_content(const Axis& v, Sink& s) {
    AxisFields a = fields_of(v);
    put_head(s, field::kAxis, sizes_[next_++]);
    if (a.index) put_varint(s, field::kStaticAxis, signed_bits(a.index));
    if (!a.name.empty()) put_bytes(s, field::kAxisName, a.name);
    if (a.ordered) put_varint(s, field::kOrdered, 1);
  }
  void emit_content(const DictionaryVector& v, Sink& s) {
    put_head(s, field::kVector, sizes_[next_++]);
    for (const DictionaryValue& x : v) {
      put_head(s, field::kOnly, sizes_[next_]);
      emit(x, s);
    }
  }
  void emit_content(const Dictionary& v, Sink& s) {
    put_head(s, field::kDictionary, sizes_[next_++]);
    emit(v, s);
  }
  void emit_content(const Tensor& t, Sink& s) {
    put_head(s, field::kTensor, sizes_[next_++]);
    put_varint(s, field::kDataType, static_cast<uint64_t>(t.dtype()));
    put_shape(s, field::kTensorShape, t.shape());
    Numbers n = numbers_of(t);
    if (apart_ && n.apart) return;
    put_head(s, n.field, n.bytes ? bytes_field(n.bytes) : 0);
    if (!n.bytes) return;
    put_head(s, field::kOnly, n.bytes);
    put_numbers(s, t);
  }

  // Column-major, so the reverse of ours; an unknown shape is one dimension of that name.
  static std::vector<uint64_t> dims_of(const Shape& shape) {
    if (!shape.is_known()) return {kDimUnknown};
    std::vector<uint64_t> dims;
    for (int i = shape.rank() - 1; i >= 0; --i) dims.push_back(dim_bits(shape[i]));
    return dims;
  }
  static uint64_t message_size(const Shape& shape) {
    uint64_t n = 0;
    for (uint64_t d : dims_of(shape)) n += varint_size(d);
    return n ? bytes_field(n) : 0;
  }
  static void put_shape(Sink& s, uint32_t f, const Shape& shape) {
    std::vector<uint64_t> dims = dims_of(shape);
    uint64_t n = 0;
    for (uint64_t d : dims) n += varint_size(d);
    put_head(s, f, n ? bytes_field(n) : 0);
    if (!n) return;
    put_head(s, field::kOnly, n);
    for (uint64_t d : dims) put_raw_varint(s, d);
  }

  static Numbers numbers_of(const Tensor& t) {
    if (!t.defined())
      throw value_error("the dictionary holds a tensor without a value, which cannot be written");
    if (t.is_sparse())
      throw unsupported("a sparse tensor cannot be written: CNTK's files hold dense tensors only")
          .remedy("write the tensor's to_dense()");
    uint64_t n = static_cast<uint64_t>(t.elements());
    switch (t.dtype()) {
      case DType::float32:
      case DType::float16: return {field::kFloats, 4 * n, true};
      case DType::float64: return {field::kDoubles, 8 * n, true};
      case DType::int8: return {field::kBytes, n, false};
      case DType::int16: {
        uint64_t bytes = 0;
        for (int16_t v : t.span<int16_t>()) bytes += varint_size(protozero::encode_zigzag32(v));
        return {field::kInts, bytes, false};
      }
      default:
        throw unsupported("a tensor of " + std::string(name_of(t.dtype())) +
                          " cannot be written: CNTK's files have no such element type");
    }
  }
  static void put_numbers(Sink& s, const Tensor& t) {
    if (t.dtype() == DType::float16) {  // widened
      std::array<float, 1024> chunk;
      for (int64_t at = 0, n = t.elements(); at < n; at += static_cast<int64_t>(chunk.size())) {
        int64_t count = std::min<int64_t>(n - at, static_cast<int64_t>(chunk.size()));
        copy_numbers(DType::float16, t.data<Half>() + at, DType::float32, chunk.data(), count);
        s.write(chunk.data(), static_cast<size_t>(count) * sizeof(float));
        may_end(count);
      }
    } else if (t.dtype() == DType::int16) {
      for (int16_t v : t.span<int16_t>()) put_raw_varint(s, protozero::encode_zigzag32(v));
    } else {
      s.write(t.raw(), t.bytes());
    }
  }

 public:
  static void put_raw_varint(Sink& s, uint64_t v) {
    char bytes[protozero::max_varint_length];
    s.write(bytes, static_cast<size_t>(protozero::add_varint_to_buffer(bytes, v)));
  }
  static void put_head(Sink& s, uint32_t f, uint64_t size) {
    put_raw_varint(s, tag(f, pbf_wire_type::length_delimited));
    put_raw_varint(s, size);
  }
  static void put_bytes(Sink& s, uint32_t f, std::string_view v) {
    put_head(s, f, v.size());
    s.write(v.data(), v.size());
  }
  static void put_varint(Sink& s, uint32_t f, uint64_t v) {
    put_raw_varint(s, tag(f, pbf_wire_type::varint));
    put_raw_varint(s, v);
  }
  static void put_fixed(Sink& s, uint32_t f, pbf_wire_type type, const void* data, size_t bytes) {
    put_raw_varint(s, tag(f, type));
    s.write(data, bytes);
  }

 private:
  bool apart_;
  std::vector<uint64_t> sizes_;
  size_t next_ = 0;
  std::vector<Tensor> behind_;
  uint64_t apart_bytes_ = 0;
  int depth_ = 0;
};

// Passes on what is written and sums it up.
struct Checked final : Sink {
  explicit Checked(Sink& to) : to(to) {}
  void write(const void* data, size_t bytes) override {
    crc.add(data, bytes);
    to.write(data, bytes);
  }
  Sink& to;
  Crc64 crc;
};

constexpr std::string_view kWriterName = "Cantik";
constexpr uint64_t kChecksumField = 1 + 8;

}  // namespace

void write(const Dictionary& d, Sink& sink, uint64_t large) {
  uint64_t extra = bytes_field(kWriterName.size()) + kChecksumField;
  Encoder whole(false);
  uint64_t size = whole.measure(d) + extra;
  Checked out(sink);
  auto put_message = [&](Encoder& e, Sink& s) {
    Encoder::put_bytes(s, field::kWriter, kWriterName);
    e.emit(d, s);
    Encoder::put_raw_varint(s, tag(field::kChecksum, pbf_wire_type::fixed64));
  };
  if (size < large) {
    put_message(whole, out);
    uint64_t sum = out.crc.value();
    sink.write(&sum, sizeof sum);
    return;
  }
  Encoder message(true);
  size = message.measure(d) + extra;
  if (size >= kLarge)
    throw unsupported("the dictionary takes " + std::to_string(size) +
                      " bytes without its tensors, more than CNTK's format can hold");
  uint32_t head[2] = {kMagic, static_cast<uint32_t>(size)};
  out.write(head, sizeof head);
  put_message(message, out);
  // The sum stands before the numbers it covers: they are gone through twice.
  struct Nowhere final : Sink {
    void write(const void*, size_t) override {}
  } nowhere;
  Checked behind(nowhere);
  behind.crc = out.crc;
  message.emit_apart(behind);
  uint64_t sum = behind.crc.value();
  sink.write(&sum, sizeof sum);
  message.emit_apart(sink);
}

void write(const DictionaryValue& v, Sink& sink) {
  Encoder e(false);
  e.measure(v);
  e.emit(v, sink);
}

}  // namespace cantik::wire
