// The element types of the protocol, and how numbers of a request become numbers of a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <cantik/dtype.h>

namespace cantik::serve {

enum class Datatype : uint8_t {
  boolean,
  uint8,
  uint16,
  uint32,
  uint64,
  int8,
  int16,
  int32,
  int64,
  fp16,
  fp32,
  fp64,
  bf16
};

// The datatype of a name such as "FP32". BYTES and names that are none are a Refusal.
Datatype datatype_of(std::string_view name);
std::string_view name_of(Datatype datatype);
size_t size_of(Datatype datatype);
// The datatype of the numbers of a model.
Datatype datatype_of(DType dtype);

// Whether both have the same bytes.
bool has_layout_of(Datatype datatype, DType dtype);
// Converts numbers of a request to those of a model. Numbers that the model's type cannot hold exactly are a
// Refusal, as is FP64 for a narrower type.
void convert(std::string_view name, Datatype from, const char* source, DType to, void* target, int64_t count);
// The same of whole numbers; false: one of them is beyond 32 bits, or they are not whole.
bool read_whole(Datatype from, const char* source, int32_t* target, int64_t count);
// Writes `number` as one of the datatype at `target`; false where it is outside of the datatype's range.
bool put_number(double number, Datatype datatype, char* target);
bool put_number(int64_t number, Datatype datatype, char* target);
bool put_number(uint64_t number, Datatype datatype, char* target);

}  // namespace cantik::serve
