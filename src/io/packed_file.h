// PackedFile: any part of what a gzip file, or a deflated file in a zip archive, holds. Unpacking can begin
// at places some megabytes apart: there the last 32 KB in front of it are kept, which deflate refers to (the
// way of zlib's zran). They are found when the file is opened, which unpacks it once.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "io/inflater.h"

namespace cantik {

class InputFile;

class PackedFile {
 public:
  // The packed bytes are begin to end of the file.
  PackedFile(const InputFile& file, int64_t begin, int64_t end, Inflater::Format format);

  int64_t size() const { return size_; }  // of what is packed
  // The caller has compared offset and bytes with size(). From any thread.
  void read(int64_t offset, int64_t bytes, char* into) const;

 private:
  struct Place {
    int64_t in, out;  // in the file; in what is packed
    bool is_begin;    // of a stream
    int bits = 0;     // of the byte in front of it, which belong to it
    uint8_t byte = 0;
    std::vector<uint8_t> window;  // what came last
  };
  class Unpacking;

  void find_places();
  const InputFile& file_;
  int64_t begin_, end_, size_ = 0;
  Inflater::Format format_;
  std::vector<Place> places_;

  mutable std::mutex mutex_;
  mutable std::shared_ptr<Unpacking> unpacking_;  // where the last read ended
};

}  // namespace cantik
