// What a file seems to be by its first bytes, for errors about files of another kind.
#pragma once

#include <algorithm>
#include <string_view>

#include "base/utf8.h"

namespace cantik {

// "a BMP picture"; empty: nothing is known of such bytes.
inline std::string_view looks_like(std::string_view bytes) {
  using namespace std::string_view_literals;
  struct Kind {
    std::string_view mark, name;
    size_t at = 0;  // where the mark stands
  };
  static constexpr Kind kKinds[] = {
      {"\x89PNG\r\n"sv, "a PNG picture"},
      {"\xff\xd8\xff"sv, "a JPEG picture"},
      {"GIF8"sv, "a GIF picture"},
      {"BM"sv, "a BMP picture"},
      {"II*\0"sv, "a TIFF picture"},
      {"MM\0*"sv, "a TIFF picture"},
      {"WEBP"sv, "a WebP picture", 8},
      {"ftypavif"sv, "an AVIF picture", 4},
      {"ftyphe"sv, "a HEIF picture", 4},
      {"PK\3\4"sv, "a zip archive, as files of numpy.savez, torch.save and Keras are"},
      {"\x1f\x8b"sv, "a gzip file"},
      {"\x93NUMPY"sv, "an array of NumPy's"},
      {"\x89HDF"sv, "an HDF5 file"},
      {"PAR1"sv, "a Parquet table"},
      {"ARROW1"sv, "an Arrow table"},
      {"TFL3"sv, "a model of TensorFlow Lite's", 4},
      {"\x80\2"sv, "a pickle of Python's"},
      {"\x80\3"sv, "a pickle of Python's"},
      {"\x80\4"sv, "a pickle of Python's"},
      {"\x80\5"sv, "a pickle of Python's"},
      {"{\""sv, "weights of the safetensors format", 8},
      {"\x7f"
       "ELF"sv,
       "a program or a library"},
      {"%PDF"sv, "a PDF document"},
  };
  constexpr size_t kHead = 512;
  std::string_view head = bytes.substr(0, kHead);
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  while (!head.empty() && head.size() < bytes.size() && !is_ascii(head.back()))
    head.remove_suffix(1);  // a letter may be cut
  const bool is_written = std::ranges::all_of(
      head, [](unsigned char c) { return c >= 0x20 || c == '\t' || c == '\r' || c == '\n'; });
  if (!head.empty() && is_written && is_utf8(head)) return "a text";
  for (const Kind& k : kKinds)
    if (bytes.substr(std::min(k.at, bytes.size())).starts_with(k.mark)) return k.name;
  return {};
}

}  // namespace cantik
