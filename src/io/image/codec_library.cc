#include "io/image/codec_library.h"

#include <cstdlib>
#include <string>

#include <cantik/error.h>

#include "base/shared_library.h"
#include "base/text.h"

namespace cantik {
namespace {

constexpr const char* kLibrary = "libcantik_images.so";

// The file beside the one that this code is in.
std::string path_of_library() {
  if (const char* given = std::getenv("CANTIK_IMAGES")) return given;
  return path_beside_library(kLibrary);
}

const cantik_codec& loaded() {
  const std::string path = path_of_library();
  SharedLibrary library(path);
  if (!library)
    throw runtime_error(
        cat("the library that reads pictures and compressed files cannot be loaded: ", library.why()))
        .remedy(cat("build Cantik where libjpeg-turbo, libspng and zlib are installed; CANTIK_IMAGES names "
                    "the file, ",
                    "which is ", path, " otherwise"));
  auto* codec = library.function<decltype(cantik_picture_codec)>("cantik_picture_codec");
  if (!codec || codec()->version != CANTIK_CODEC_VERSION)
    throw runtime_error(cat(path, " is not the library of pictures of this version of Cantik"))
        .remedy("install both from one build");
  library.keep();
  return *codec();
}

}  // namespace

const cantik_codec& codec() {
  static const cantik_codec& one = loaded();
  return one;
}

}  // namespace cantik
