#include "base/shared_library.h"

#include <dlfcn.h>

#include <filesystem>
#include <utility>

namespace cantik {

SharedLibrary::SharedLibrary(const std::string& path, Names names)
    : handle_(dlopen(path.c_str(), RTLD_NOW | (names == Names::seen ? RTLD_GLOBAL : RTLD_LOCAL))) {
  if (!handle_) why_ = dlerror();
}

SharedLibrary::SharedLibrary(SharedLibrary&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), why_(std::move(other.why_)) {}

SharedLibrary& SharedLibrary::operator=(SharedLibrary&& other) noexcept {
  std::swap(handle_, other.handle_);
  why_ = std::move(other.why_);
  return *this;
}

SharedLibrary::~SharedLibrary() {
  if (handle_) dlclose(handle_);
}

void* SharedLibrary::symbol(const char* name) const { return dlsym(handle_, name); }

bool show_loaded_library(const std::string& name) {
  return dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL) != nullptr;
}

std::string path_beside_library(const std::string& file) {
  Dl_info here;
  if (!dladdr(reinterpret_cast<const void*>(&path_beside_library), &here) || !here.dli_fname) return file;
  return (std::filesystem::path(here.dli_fname).parent_path() / file).string();
}

}  // namespace cantik
