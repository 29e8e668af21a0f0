// Pictures through the library of formats, which lies beside libcantik and is loaded with the first picture.
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string>

#include <cantik/error.h>
#include <cantik/image.h>

#include "base/text.h"
#include "io/image/codec.h"
#include "io/image/picture.h"

namespace cantik {
namespace {

constexpr const char* kLibrary = "libcantik_images.so";

// The file beside the one that this code is in.
std::string path_of_library() {
  if (const char* given = std::getenv("CANTIK_IMAGES")) return given;
  Dl_info here;
  if (!dladdr(reinterpret_cast<const void*>(&path_of_library), &here) || !here.dli_fname) return kLibrary;
  const std::string file = here.dli_fname;
  const size_t slash = file.rfind('/');
  const std::string beside = slash == std::string::npos ? kLibrary : file.substr(0, slash + 1) + kLibrary;
  return beside;
}

const cantik_codec& loaded() {
  const std::string path = path_of_library();
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw runtime_error(cat("the library that reads pictures cannot be loaded: ", dlerror()))
        .remedy(cat("build Cantik where libjpeg-turbo, libspng and zlib are installed; CANTIK_IMAGES names "
                    "the file, ",
                    "which is ", path, " otherwise"));
  auto codec = reinterpret_cast<decltype(&cantik_picture_codec)>(dlsym(library, "cantik_picture_codec"));
  if (!codec || codec()->version != CANTIK_CODEC_VERSION)
    throw runtime_error(cat(path, " is not the library of pictures of this version of Cantik"))
        .remedy("install both from one build");
  return *codec();
}

const cantik_codec& codec() {
  static const cantik_codec& one = loaded();
  return one;
}

Error unreadable(const std::string& name, const char* message) {
  return runtime_error(cat("the picture cannot be read: ", message)).line("picture", name);
}

// Turned and mirrored as a camera's file says. Orientations 5 to 8 exchange rows and columns.
Picture upright(Picture p, int orientation) {
  if (orientation <= 1) return p;
  const bool exchanged = orientation >= 5;
  const int64_t height = exchanged ? p.width : p.height, width = exchanged ? p.height : p.width;
  const bool from_right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool from_below = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  Picture out = Picture::of_bytes(height, width, p.channels);
  uint8_t* to = out.bytes();
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x) {
      const int64_t row = exchanged ? x : y, column = exchanged ? y : x;
      const int64_t from_row = from_below ? p.height - 1 - row : row,
                    from_column = from_right ? p.width - 1 - column : column;
      to = std::copy_n(p.bytes() + (from_row * p.width + from_column) * p.channels, p.channels, to);
    }
  return out;
}

}  // namespace

Picture decode_picture(std::span<const uint8_t> file, int64_t channels, const std::string& name) {
  const cantik_codec& c = codec();
  char message[CANTIK_CODEC_MESSAGE];
  cantik_picture_size size;
  if (c.size(file.data(), file.size(), &size, message)) throw unreadable(name, message);
  Picture p = Picture::of_bytes(size.height, size.width, channels);
  if (c.decode(file.data(), file.size(), static_cast<int>(channels), p.bytes(), message))
    throw unreadable(name, message);
  return upright(std::move(p), size.orientation);
}

void inflate_file(std::span<const uint8_t> data, std::span<uint8_t> into, const std::string& name) {
  char message[CANTIK_CODEC_MESSAGE];
  if (codec().inflate(data.data(), data.size(), into.data(), into.size(), message))
    throw unreadable(name, message);
}

Tensor decode_image(const void* data, size_t size, int64_t channels) {
  if (channels != 1 && channels != 3)
    throw value_error(cat("channels is ", channels)).remedy("give 3, or 1 for grey pictures");
  const Picture p =
      decode_picture({static_cast<const uint8_t*>(data), size}, channels, "in memory").as_real();
  Tensor t(DType::float32, {p.height, p.width, p.channels});
  std::copy_n(p.numbers(), p.count(), t.data<float>());
  return t;
}

}  // namespace cantik
