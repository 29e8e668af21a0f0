// Dictionaries as CNTK writes them: protobuf messages, and beyond 2 GiB a message with the numbers behind it.
//
// What we write carries two fields that CNTK passes over: 14, who wrote it, at the start, and 15, the CRC-64
// of all other bytes of the file, at the end of the message. Where one of them is there the other has to be,
// so that every change is found.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include <cantik/dictionary.h>

#include "base/file.h"

namespace cantik::wire {

// Values inside values, at most. What cannot be read again is not written.
inline constexpr int kDeepest = 64;
// Numbers go behind the message when the whole has this many bytes.
inline constexpr uint64_t kLarge = 0x7fffffff;

void write(const Dictionary& dictionary, Sink& sink, uint64_t large = kLarge);
void write(const DictionaryValue& value, Sink& sink);

// Memory and time stay within a multiple of the bytes given; depth of nesting is bounded. RuntimeError for
// anything malformed.
// With an `owner` the bytes are the reader's own: large tensors keep them, and may change them.
Dictionary read_dictionary(std::string_view bytes, const std::shared_ptr<void>& owner = nullptr);
DictionaryValue read_value(std::string_view bytes);

// ---- of the format
namespace field {
inline constexpr uint32_t kVersion = 1, kData = 2, kWriter = 14, kChecksum = 15;  // Dictionary
inline constexpr uint32_t kKey = 1, kEntry = 2;                                   // an entry of its map
inline constexpr uint32_t kType = 2, kBool = 3, kInt = 4, kSizeT = 5, kFloat = 6, kDouble = 7, kString = 8,
                          kShape = 9, kAxis = 10, kVector = 11, kDictionary = 12,
                          kTensor = 13;  // DictionaryValue
inline constexpr uint32_t kStaticAxis = 1, kAxisName = 2, kOrdered = 3;
inline constexpr uint32_t kDataType = 1, kStorage = 2, kTensorShape = 3, kFloats = 4, kDoubles = 5,
                          kBytes = 6, kInts = 7;
inline constexpr uint32_t kOnly = 1;  // the one field of NDShape, Vector and the lists of numbers
}  // namespace field

inline constexpr uint64_t kFormatVersion = 2;
inline constexpr uint32_t kMagic = 0x636e746b;
inline constexpr int32_t kUnknownAxis = 2147483645;
// Dimensions that are no numbers, as unsigned ones.
inline constexpr uint64_t kDimInferred = ~uint64_t{0}, kDimUnknown = ~uint64_t{0} - 1,
                          kDimFree = ~uint64_t{0} - 2;

}  // namespace cantik::wire
