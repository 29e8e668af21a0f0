// What holds of the readers of files, whatever the bytes: a clear error, or sequences that take no more
// memory than a file of its size may, and sources over them that can be restored. The fuzzers try it on bytes
// of their own, a unit test on those that are kept and on changes of them.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include <cantik/cbf.h>
#include <cantik/error.h>
#include <cantik/io.h>

#include "io/deserializer.h"

namespace cantik::fuzz {

using Bytes = std::span<const uint8_t>;

// A file in memory that holds other bytes from call to call.
class MemoryFile {
 public:
  MemoryFile() : file_(memfd_create("fuzz", 0)), path("/proc/self/fd/" + std::to_string(file_)) {}
  ~MemoryFile() { close(file_); }
  MemoryFile(const MemoryFile&) = delete;

  void hold(Bytes bytes) const {
    const auto size = static_cast<ssize_t>(bytes.size());
    if (ftruncate(file_, 0) != 0 || pwrite(file_, bytes.data(), bytes.size(), 0) != size) std::abort();
  }

 private:
  int file_;

 public:
  const std::string path;
};

// Reads it all, chunk by chunk and in minibatches.
inline void read_everything(const DeserializerPtr& data, size_t bytes, uint8_t options) {
  for (int64_t c = 0; c < data->chunks(); ++c)
    if (bytes_of(data->load(c)) > 64 * bytes + 4096) std::abort();
  SourcePtr source = minibatch_source({data}, {.randomize = (options & 1) != 0,
                                               .seed = options,
                                               .max_sweeps = 1,
                                               .truncation_length = options & 2 ? 2 : 0,
                                               .cache_bytes = 0});
  while (Minibatch m = source->next({.samples = 5})) {
    for (const Value& v : m.values)
      if (v.data.elements() < 100000) v.data.to_dense();
    const Dictionary state = source->state();
    source->restore(state);  // an error here is a defect
    if (!(source->state() == state)) std::abort();
  }
}

// The first byte says how it is read, the others are the file.
inline void binary_format(Bytes bytes) {
  if (bytes.empty()) return;
  static const MemoryFile file;
  file.hold(bytes.subspan(1));
  try {
    read_everything(cbf(file.path), bytes.size(), bytes[0]);
  } catch (const Error&) {
  }
}

}  // namespace cantik::fuzz
