// CNTK's binary format: the same samples and sequences as in the text format, read at the speed of memory.
//
//   write_cbf("train.cbf", {ctf("train.ctf", {query, slots})});  // from anything that a source is made of
//   SourcePtr source = minibatch_source({cbf("train.cbf")});
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <cantik/api.h>
#include <cantik/deserializer.h>

namespace cantik {

// A stream of a binary file under a name of the program's.
struct CbfStream {
  std::string name = {};   // in the program
  std::string field = {};  // its name in the file; empty: the same
};

// How a file in CNTK's binary format is read.
struct CbfOptions {
  std::vector<CbfStream> streams = {};  // others keep the names that the file gives them
};

// A file in CNTK's binary format; docs/reference/binary_format.md says what is in it. All of its streams are
// there, with the element types that the file has. Opens it and reads how long its sequences are.
CANTIK_API DeserializerPtr cbf(const std::string& path, const CbfOptions& options = {});

// How a file in CNTK's binary format is written.
struct CbfWriteOptions {
  int64_t chunk_bytes = 32 << 20;  // a chunk ends with the sequence that reaches so many
};

// Writes the sequences of the data, joined as minibatch_source joins them, as a file in CNTK's binary format:
// streams of float32 or float64, dense or sparse. The file is there when it is complete.
CANTIK_API void write_cbf(const std::string& path, std::vector<DeserializerPtr> data,
                          const CbfWriteOptions& options = {});

}  // namespace cantik
