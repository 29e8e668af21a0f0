#include "io/image/codec_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include <cantik/error.h>

#include "base/text.h"

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
    throw runtime_error(
        cat("the library that reads pictures and compressed files cannot be loaded: ", dlerror()))
        .remedy(cat("build Cantik where libjpeg-turbo, libspng and zlib are installed; CANTIK_IMAGES names "
                    "the file, ",
                    "which is ", path, " otherwise"));
  auto codec = reinterpret_cast<decltype(&cantik_picture_codec)>(dlsym(library, "cantik_picture_codec"));
  if (!codec || codec()->version != CANTIK_CODEC_VERSION)
    throw runtime_error(cat(path, " is not the library of pictures of this version of Cantik"))
        .remedy("install both from one build");
  return *codec();
}

}  // namespace

const cantik_codec& codec() {
  static const cantik_codec& one = loaded();
  return one;
}

}  // namespace cantik
