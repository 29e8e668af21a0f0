// The index of a text file, kept in a file beside it. It holds as long as size, time and samples of the text
// are as they were; one that is damaged, or of another text, is as good as none.
//
//   magic, version, whether sequences are numbered
//   of the text: size, time, check sum of samples; check sum of the options that the index depends on
//   bytes of the lists
//   lists, each with its length: first sequences of the chunks; samples and keys of the sequences, packed
//     (PackedNumbers::Parts); texts
//   check sum of all in front of it
#pragma once

#include <optional>
#include <string>

#include "io/ctf.h"

namespace cantik {

// Which index of a text file it is.
struct CtfIndexKey {
  CtfIndexKey(const std::string& text, const CtfOptions& options, const CtfStream* counted);
  std::string path;      // of the index
  uint64_t options = 0;  // their check sum
};

// None where there is no file, or it does not fit.
std::optional<CtfIndex> read_ctf_index(const CtfIndexKey& key, const InputFile& text);
// Either the whole file is there afterwards, or the one that was there before and an error.
void write_ctf_index(const CtfIndexKey& key, const InputFile& text, const CtfIndex& index);

}  // namespace cantik
