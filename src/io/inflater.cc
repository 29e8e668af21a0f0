#include "io/inflater.h"

#include <cantik/error.h>

#include "io/image/codec_library.h"

namespace cantik {
namespace {

cantik_inflater* opened(cantik_inflater* stream) {
  if (!stream) throw memory_error("there is not enough memory to unpack a compressed file");
  return stream;
}

}  // namespace

void Inflater::Close::operator()(cantik_inflater* stream) const { codec().inflate_close(stream); }

Inflater::Inflater(Format format)
    : stream_(opened(codec().inflate_open(format == Format::gzip, nullptr, 0, 0, 0))) {}

Inflater::Inflater(std::span<const uint8_t> window, int bits, uint8_t byte)
    : stream_(opened(codec().inflate_open(0, window.data(), window.size(), bits, byte))) {}

Inflater::State Inflater::some(std::span<const uint8_t>& in, std::span<uint8_t>& out, bool stop_at_blocks) {
  char message[CANTIK_CODEC_MESSAGE];
  const uint8_t *from = in.data(), *from_end = from + in.size();
  uint8_t *to = out.data(), *to_end = to + out.size();
  const int said =
      codec().inflate_some(stream_.get(), &from, from_end, &to, to_end, stop_at_blocks, &block_, message);
  if (said == 1) {
    problem_ = message;
    return State::damaged;
  }
  in = in.subspan(static_cast<size_t>(from - in.data()));
  out = out.subspan(static_cast<size_t>(to - out.data()));
  return said == 2 ? State::ended : State::goes_on;
}

void inflate_all(std::span<const uint8_t> in, std::span<uint8_t> out, const std::string& name) {
  char message[CANTIK_CODEC_MESSAGE];
  if (codec().inflate(in.data(), in.size(), out.data(), out.size(), message))
    throw runtime_error(std::string("the file in an archive cannot be read: ") + message).line("file", name);
}

}  // namespace cantik
