// CNTK's binary format, the parts that its reader and its writer share.
//
//   magic, version
//   chunks: length of each sequence, its longest stream; then stream by stream all sequences
//     dense   samples; values[samples][dim]
//     sparse  samples, entries; values[entries], columns[entries], entries of each sample[samples]
//   header: magic, chunks, streams; of each stream: encoding, name, element type, dim;
//           of each chunk: where it begins, sequences, samples
//   where the header begins
#pragma once

#include <cstdint>

namespace cantik {

inline constexpr uint64_t kCbfMagic = 0x636e746b5f62696e;
inline constexpr uint32_t kCbfVersion = 1;
// Bytes of the parts, without what varies: a name, and the numbers of sequences.
inline constexpr int64_t kCbfPrefix = 8 + 4, kCbfHeader = 8 + 4 + 4, kCbfStream = 1 + 4 + 1 + 4,
                         kCbfChunk = 8 + 4 + 4, kCbfSuffix = 8;

enum class CbfEncoding : uint8_t { dense = 0, sparse = 1 };
enum class CbfElement : uint8_t { float32 = 0, float64 = 1 };

}  // namespace cantik
