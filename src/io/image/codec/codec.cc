// The library of picture formats: JPEG by libjpeg-turbo, PNG by libspng, what zip archives hold by zlib.
#include <zlib.h>

#include <algorithm>
#include <new>

#include "io/image/codec/formats.h"

namespace cantik::codec {
namespace {

constexpr const char* kUnknown = "it is neither a JPEG nor a PNG file";

int size(const uint8_t* data, size_t bytes, int reduced, cantik_picture_size* size, char* message) {
  *size = {};
  if (is_jpeg(data, bytes)) return jpeg_size(data, bytes, reduced, size, message);
  if (is_png(data, bytes)) return png_size(data, bytes, size, message);
  return fail(message, kUnknown);
}

int decode(const uint8_t* data, size_t bytes, int reduced, int channels, uint8_t* pixels, char* message) {
  if (is_jpeg(data, bytes)) return decode_jpeg(data, bytes, reduced, channels, pixels, message);
  if (is_png(data, bytes)) return decode_png(data, bytes, channels, pixels, message);
  return fail(message, kUnknown);
}

int planes(const uint8_t* data, size_t bytes, int reduced, const cantik_planes* planes, char* message) {
  if (is_jpeg(data, bytes)) return jpeg_planes(data, bytes, reduced, *planes, message);
  return fail(message, "it has no planes");
}

int inflate_all(const uint8_t* data, size_t bytes, uint8_t* out, size_t out_bytes, char* message) {
  if (bytes > UINT32_MAX || out_bytes > UINT32_MAX) return fail(message, "it is larger than 4 GB");
  z_stream z{};
  z.next_in = const_cast<uint8_t*>(data);
  z.avail_in = static_cast<uInt>(bytes);
  z.next_out = out;
  z.avail_out = static_cast<uInt>(out_bytes);
  if (inflateInit2(&z, -15) != Z_OK) return fail(message, "there is no memory to read it");
  const int said = inflate(&z, Z_FINISH);
  inflateEnd(&z);
  if (said == Z_STREAM_END && z.avail_out == 0) return 0;
  return fail(message, "its compressed data are damaged");
}

constexpr int kRaw = -15, kGzip = 31;  // of windowBits

cantik_inflater* inflate_open(int gzip, const uint8_t* window, size_t window_bytes, int bits, int byte) {
  auto* z = new (std::nothrow) z_stream{};
  if (!z) return nullptr;
  bool is_open = inflateInit2(z, gzip ? kGzip : kRaw) == Z_OK;
  if (is_open && bits > 0) is_open = inflatePrime(z, bits, byte >> (8 - bits)) == Z_OK;
  if (is_open && window_bytes > 0)
    is_open = inflateSetDictionary(z, window, static_cast<uInt>(window_bytes)) == Z_OK;
  if (is_open) return reinterpret_cast<cantik_inflater*>(z);
  inflateEnd(z);
  delete z;
  return nullptr;
}

int inflate_some(cantik_inflater* stream, const uint8_t** in, const uint8_t* in_end, uint8_t** out,
                 uint8_t* out_end, int blocks, int* block, char* message) {
  constexpr std::ptrdiff_t kMost = 1 << 30;
  auto* z = reinterpret_cast<z_stream*>(stream);
  z->next_in = const_cast<uint8_t*>(*in);
  z->avail_in = static_cast<uInt>(std::min(in_end - *in, kMost));
  z->next_out = *out;
  z->avail_out = static_cast<uInt>(std::min(out_end - *out, kMost));
  const int said = inflate(z, blocks ? Z_BLOCK : Z_NO_FLUSH);
  *in = z->next_in;
  *out = z->next_out;
  constexpr int kBits = 7, kLastBlock = 64, kBetween = 128;  // of data_type
  *block = (z->data_type & kBetween) && !(z->data_type & kLastBlock) ? z->data_type & kBits : -1;
  if (said == Z_STREAM_END) return 2;
  if (said == Z_OK || said == Z_BUF_ERROR) return 0;
  return fail(message,
              said == Z_MEM_ERROR ? "there is no memory to read it" : "its compressed data are damaged");
}

void inflate_close(cantik_inflater* stream) {
  auto* z = reinterpret_cast<z_stream*>(stream);
  inflateEnd(z);
  delete z;
}

constexpr cantik_codec kCodec = {CANTIK_CODEC_VERSION, size,         decode,       planes,
                                 inflate_all,          inflate_open, inflate_some, inflate_close};

}  // namespace
}  // namespace cantik::codec

extern "C" __attribute__((visibility("default"))) const cantik_codec* cantik_picture_codec(void) {
  return &cantik::codec::kCodec;
}
