// Inflater: a stream of deflate (RFC 1951), as gzip (RFC 1952) and zip have it, unpacked piece by piece.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

struct cantik_inflater;

namespace cantik {

class Inflater {
 public:
  enum class Format : uint8_t { deflate, gzip };
  // From its beginning.
  explicit Inflater(Format format);
  // From a place between two blocks: `bits` bits of `byte`, the last one of the input, belong to the next
  // block; `window` is what came last.
  Inflater(std::span<const uint8_t> window, int bits, uint8_t byte);

  enum class State : uint8_t { goes_on, ended, damaged };
  // Goes on until there is no more input or room, or, if asked for, between two blocks.
  State some(std::span<const uint8_t>& in, std::span<uint8_t>& out, bool stop_at_blocks);
  // Bits of the last byte that belong to the next block; -1 within a block.
  int block() const { return block_; }
  const std::string& problem() const { return problem_; }  // of damaged data

 private:
  struct Close {
    void operator()(cantik_inflater* stream) const;
  };
  std::unique_ptr<cantik_inflater, Close> stream_;
  int block_ = -1;
  std::string problem_;
};

// All of a stream without a header, which is as long as `out`. `name`: what errors call it.
void inflate_all(std::span<const uint8_t> in, std::span<uint8_t> out, const std::string& name);

}  // namespace cantik
