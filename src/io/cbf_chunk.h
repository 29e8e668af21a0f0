// A chunk of a file in CNTK's binary format.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <cantik/deserializer.h>

#include "io/byte_reader.h"

namespace cantik {

// `bytes`: behind the lengths of the sequences, up to the end of the chunk. `file`: what errors call it.
Chunk read_cbf_chunk(ByteReader& bytes, const std::vector<Stream>& streams,
                     std::span<const SequenceInfo> sequences, const std::string& file);

}  // namespace cantik
