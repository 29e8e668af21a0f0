// Protobuf to dictionaries. Nothing in the bytes is believed before it has been checked against what is
// there.
#include <protozero/pbf_reader.hpp>

#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <cantik/error.h>

#include "base/crc64.h"
#include "base/interrupt.h"
#include "base/looks_like.h"
#include "base/text.h"
#include "base/utf8.h"
#include "formats/wire.h"
#include "tensor/lend.h"

namespace cantik::wire {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

constexpr uint64_t kSmall = 64u << 20;  // bytes that a small file may cost, whatever it holds
constexpr uint64_t kPerByte = 16;       // and each of its bytes beyond that
constexpr int64_t kWorkPerValue = 300;
constexpr uint64_t kEntryCost = sizeof(DictionaryValue) + sizeof(std::string) + 48;

constexpr uint32_t tagged(uint32_t f, pbf_wire_type t) { return protozero::tag_and_type(f, t); }

struct Malformed {
  std::string why;
};

[[noreturn]] void refuse(std::string why) { throw Malformed{std::move(why)}; }

class Decoder {
 public:
  // message: what is parsed; behind: the numbers behind it, in the large form; owner: of both, whose bytes
  // tensors may keep.
  Decoder(std::string_view message, std::string_view behind, std::shared_ptr<void> owner = nullptr)
      : behind_(behind), owner_(std::move(owner)), allowed_(kSmall + kPerByte * message.size()) {}

  Dictionary dictionary(pbf_reader m) {
    Dictionary d;
    while (next(m)) {
      if (is(m, field::kData, pbf_wire_type::length_delimited))
        entry(m.get_message(), d);
      else
        m.skip();
    }
    return d;
  }

  DictionaryValue value(pbf_reader m) {
    may_end(kWorkPerValue);
    if (++depth_ > kDeepest) refuse(cat("values are nested more than ", kDeepest, " deep"));
    uint64_t type = 0;
    DictionaryValue v;
    while (next(m)) {
      switch (m.tag_and_type()) {
        case tagged(field::kType, pbf_wire_type::varint): type = m.get_uint64(); break;
        case tagged(field::kBool, pbf_wire_type::varint): v = m.get_uint64() != 0; break;
        case tagged(field::kInt, pbf_wire_type::varint): v = static_cast<int32_t>(m.get_int64()); break;
        case tagged(field::kSizeT, pbf_wire_type::varint): v = m.get_uint64(); break;
        case tagged(field::kFloat, pbf_wire_type::fixed32): v = m.get_float(); break;
        case tagged(field::kDouble, pbf_wire_type::fixed64): v = m.get_double(); break;
        case tagged(field::kString, pbf_wire_type::length_delimited): v = text(m); break;
        case tagged(field::kShape, pbf_wire_type::length_delimited): v = shape(m.get_message()); break;
        case tagged(field::kAxis, pbf_wire_type::length_delimited): v = axis(m.get_message()); break;
        case tagged(field::kVector, pbf_wire_type::length_delimited): v = list(m.get_message()); break;
        case tagged(field::kDictionary, pbf_wire_type::length_delimited):
          v = dictionary(m.get_message());
          break;
        case tagged(field::kTensor, pbf_wire_type::length_delimited): v = tensor(m.get_message()); break;
        default: m.skip();
      }
    }
    --depth_;
    if (type != v.storage().index())
      refuse(cat("a value has the type number ", v.storage().index(), ", but its record says ", type));
    return v;
  }

 private:
  static bool is(const pbf_reader& m, uint32_t f, pbf_wire_type t) {
    return m.tag_and_type() == tagged(f, t);
  }
  static bool next(pbf_reader& m) { return m.next(); }

  // Memory that is about to be taken for something of this size in the file.
  void charge(uint64_t bytes) {
    if (bytes > allowed_) refuse("its contents would take far more memory than a file of this size can need");
    allowed_ -= bytes;
  }

  std::string text(pbf_reader& m) {
    protozero::data_view v = m.get_view();
    std::string_view s(v.data(), v.size());
    if (!is_utf8(s)) refuse("a string in the file is not valid UTF-8");
    return std::string(s);
  }

  void entry(pbf_reader m, Dictionary& d) {
    charge(kEntryCost);
    std::string key;
    DictionaryValue v;
    while (next(m)) {
      if (is(m, field::kKey, pbf_wire_type::length_delimited))
        key = text(m);
      else if (is(m, field::kEntry, pbf_wire_type::length_delimited))
        v = value(m.get_message());
      else
        m.skip();
    }
    d[key] = std::move(v);
  }

  DictionaryVector list(pbf_reader m) {
    size_t count = 0;
    for (pbf_reader ahead = m; next(ahead); ahead.skip()) ++count;
    charge(count * sizeof(DictionaryValue));
    DictionaryVector values;
    values.reserve(count);
    while (next(m)) {
      if (is(m, field::kOnly, pbf_wire_type::length_delimited))
        values.push_back(value(m.get_message()));
      else
        m.skip();
    }
    return values;
  }

  Shape shape(pbf_reader m) {
    std::vector<int64_t> dims;
    auto add = [&](uint64_t d) { dims.push_back(static_cast<int64_t>(d)); };
    while (next(m)) {
      if (is(m, field::kOnly, pbf_wire_type::length_delimited)) {
        protozero::data_view v = m.get_view();
        charge(4 * sizeof(int64_t) * v.size());
        const char* p = v.data();
        while (p != v.data() + v.size()) add(protozero::decode_varint(&p, v.data() + v.size()));
      } else if (is(m, field::kOnly, pbf_wire_type::varint)) {
        charge(4 * sizeof(int64_t));
        add(m.get_uint64());
      } else
        m.skip();
    }
    for (int64_t d : dims) {
      if (static_cast<uint64_t>(d) == kDimUnknown) {
        if (dims.size() == 1) return Shape::unknown();
        refuse("a shape in the file has an unknown dimension beside known ones");
      }
      if (d < 0 && d != kInferred && d != kFree)
        refuse(cat("a shape in the file has the impossible dimension ", static_cast<uint64_t>(d)));
    }
    return Shape(dims).reversed();
  }

  Axis axis(pbf_reader m) {
    int64_t index = 0;
    std::string name;
    bool ordered = false;
    while (next(m)) {
      if (is(m, field::kStaticAxis, pbf_wire_type::varint))
        index = static_cast<int32_t>(m.get_int64());
      else if (is(m, field::kAxisName, pbf_wire_type::length_delimited))
        name = text(m);
      else if (is(m, field::kOrdered, pbf_wire_type::varint))
        ordered = m.get_uint64() != 0;
      else
        m.skip();
    }
    if (index == kUnknownAxis) return Axis::unknown();
    if (index != axis_code::kDynamic) return Axis(index);
    charge(4 * sizeof(std::string) + 2 * name.size());
    return Axis(name, ordered);
  }

  Tensor tensor(pbf_reader m) {
    uint64_t type = 0, storage = 0;
    std::optional<Shape> dims;
    uint32_t list = 0;
    protozero::data_view numbers;
    while (next(m)) {
      switch (m.tag_and_type()) {
        case tagged(field::kDataType, pbf_wire_type::varint): type = m.get_uint64(); break;
        case tagged(field::kStorage, pbf_wire_type::varint): storage = m.get_uint64(); break;
        case tagged(field::kTensorShape, pbf_wire_type::length_delimited):
          dims = shape(m.get_message());
          break;
        case tagged(field::kFloats, pbf_wire_type::length_delimited):
        case tagged(field::kDoubles, pbf_wire_type::length_delimited):
        case tagged(field::kBytes, pbf_wire_type::length_delimited):
        case tagged(field::kInts, pbf_wire_type::length_delimited):
          list = m.tag();
          numbers = m.get_view();
          break;
        default: m.skip();
      }
    }
    if (storage != 0) refuse("the file holds a sparse tensor, which CNTK does not write");
    auto dtype = static_cast<DType>(type);
    uint32_t wanted = type == 1 || type == 4 ? field::kFloats
                      : type == 2            ? field::kDoubles
                      : type == 5            ? field::kBytes
                      : type == 6            ? field::kInts
                                             : 0;
    if (!wanted) refuse(cat("a tensor in the file has the unknown element type ", type));
    if (!dims || !dims->is_static()) refuse("a tensor in the file has no complete shape");
    if (list && list != wanted) refuse(cat("a tensor of ", name_of(dtype), " has numbers of another type"));
    int64_t product = 1;
    for (int64_t d : *dims)
      if (__builtin_mul_overflow(product, d, &product))
        refuse("a tensor in the file has a shape with more elements than can be counted");
    auto count = static_cast<uint64_t>(product);
    return fill(dtype, *dims, count, list ? unwrapped(numbers, wanted) : taken(dtype, count));
  }

  // The packed list inside FloatValues and its like.
  static std::string_view unwrapped(protozero::data_view v, uint32_t wanted) {
    std::string_view packed;
    pbf_reader m(v);
    while (next(m)) {
      if (!is(m, field::kOnly, pbf_wire_type::length_delimited)) {
        m.skip();
        continue;
      }
      if (!packed.empty() && wanted != field::kBytes)
        refuse("the numbers of a tensor are split over several fields");
      protozero::data_view p = m.get_view();
      packed = {p.data(), p.size()};
    }
    return packed;
  }

  // The next numbers behind the message.
  std::string_view taken(DType dtype, uint64_t count) {
    size_t bytes = 0;
    if (dtype == DType::int16) {  // varints: count them
      for (uint64_t i = 0; i < count; ++bytes) {
        if (bytes == behind_.size()) refuse("a tensor has fewer numbers than its shape says");
        i += (behind_[bytes] & 0x80) == 0;
      }
    } else {
      uint64_t each = dtype == DType::float64 ? 8 : dtype == DType::int8 ? 1 : 4;
      if (count > behind_.size() / each) refuse("a tensor has fewer numbers than its shape says");
      bytes = static_cast<size_t>(count * each);
    }
    std::string_view v = behind_.substr(0, bytes);
    behind_.remove_prefix(bytes);
    return v;
  }

  Tensor fill(DType dtype, const Shape& shape, uint64_t count, std::string_view from) {
    auto expect = [&](uint64_t bytes) {
      if (bytes != from.size())
        refuse(cat("the tensor of shape ", shape.text(), " holds ", from.size(),
                   " bytes of numbers in the file, and needs ", bytes));
    };
    if (dtype == DType::int16) {
      if (count > from.size()) expect(count);
      Tensor t(dtype, shape);
      const char *p = from.data(), *end = p + from.size();
      for (int16_t& x : t.span<int16_t>())
        x = static_cast<int16_t>(
            protozero::decode_zigzag32(static_cast<uint32_t>(protozero::decode_varint(&p, end))));
      if (p != end) expect(0);
      return t;
    }
    if (count > from.size()) expect(count);
    if (dtype == DType::float16) {
      expect(count * sizeof(float));
      Tensor t(dtype, shape);
      std::array<float, 1024> chunk;
      for (uint64_t at = 0; at < count; at += chunk.size()) {
        may_end(static_cast<int64_t>(chunk.size()));
        uint64_t n = std::min<uint64_t>(count - at, chunk.size());
        std::memcpy(chunk.data(), from.data() + at * sizeof(float), n * sizeof(float));
        copy_numbers(DType::float32, chunk.data(), DType::float16, t.data<Half>() + at,
                     static_cast<int64_t>(n));
      }
      return t;
    }
    expect(count * size_of(dtype));
    const bool is_behind = from.data() + from.size() == behind_.data();  // its neighbours are numbers
    if (owner_ && !is_behind) from = word_aligned(from);
    if (Tensor t = lent(dtype, shape, from, owner_); t.defined()) return t;
    Tensor t(dtype, shape);
    if (count) std::memcpy(t.raw(), from.data(), from.size());
    may_end(static_cast<int64_t>(from.size()));
    return t;
  }

  std::string_view behind_;
  std::shared_ptr<void> owner_;
  uint64_t allowed_;
  int depth_ = 0;
};

// Files that name their writer have a checksum of all other bytes.
void check_seal(std::string_view bytes, std::string_view message) {
  bool named_writer = false;
  std::optional<uint64_t> checksum;
  const char* behind = nullptr;  // the checksum
  for (pbf_reader m(message.data(), message.size()); m.next();) {
    if (m.tag_and_type() == tagged(field::kChecksum, pbf_wire_type::fixed64)) {
      checksum = m.get_fixed64();
      behind = m.data().data();
      continue;
    }
    named_writer |= m.tag_and_type() == tagged(field::kWriter, pbf_wire_type::length_delimited);
    m.skip();
  }
  if (named_writer != checksum.has_value())
    refuse("the file is damaged: it lacks the name of its writer, or its checksum");
  if (!checksum) return;
  if (behind != message.data() + message.size()) refuse("the file goes on after its checksum");
  Crc64 crc;
  crc.add(bytes.data(), static_cast<size_t>(behind - bytes.data()) - sizeof *checksum);
  crc.add(behind, static_cast<size_t>(bytes.data() + bytes.size() - behind));
  if (crc.value() != *checksum) refuse("the file is damaged: its checksum does not agree with its contents");
}

template <class F>
auto guarded(std::string_view bytes, F&& f) {
  std::string why;
  try {
    return f();
  } catch (const Malformed& m) {
    why = m.why;
  } catch (const protozero::exception& e) {
    why = std::string("the protobuf encoding is broken: ") + e.what();
  }
  Error e = runtime_error("Failed to parse Dictionary from the input stream.").line("why", why);
  if (const std::string_view kind = looks_like(bytes); !kind.empty())
    e = Error(std::move(e).line("looks", cat("like ", kind)));
  throw std::move(e).remedy("write the file again: it is damaged, incomplete, or not a file of CNTK's");
}

}  // namespace

Dictionary read_dictionary(std::string_view bytes, const std::shared_ptr<void>& owner) {
  return guarded(bytes, [&] {
    std::string_view message = bytes, behind;
    uint32_t head[2] = {};
    if (bytes.size() >= sizeof head) std::memcpy(head, bytes.data(), sizeof head);
    bool large = head[0] == kMagic;
    if (large) {
      if (head[1] > bytes.size() - sizeof head) refuse("the file ends before its message does");
      message = bytes.substr(sizeof head, head[1]);
      behind = bytes.substr(sizeof head + head[1]);
    }
    if (message.empty()) refuse("the file is empty");
    check_seal(bytes, message);
    return Decoder(message, behind, owner).dictionary(pbf_reader(message.data(), message.size()));
  });
}

DictionaryValue read_value(std::string_view bytes) {
  return guarded(bytes, [&] {
    if (bytes.empty()) refuse("the file is empty");
    return Decoder(bytes, {}).value(pbf_reader(bytes.data(), bytes.size()));
  });
}

}  // namespace cantik::wire
