// SharedLibrary: a library that is loaded while the program runs.
#pragma once

#include <string>

namespace cantik {

class SharedLibrary {
 public:
  // Whether libraries that are loaded later find its names.
  enum class Names : bool { hidden, seen };

  SharedLibrary() = default;
  // By its path, or by its name where the loader looks. Empty where it cannot be loaded; then why() says the
  // reason.
  explicit SharedLibrary(const std::string& path, Names names = Names::hidden);
  SharedLibrary(SharedLibrary&& other) noexcept;
  SharedLibrary& operator=(SharedLibrary&& other) noexcept;
  ~SharedLibrary();

  explicit operator bool() const { return handle_ != nullptr; }
  const std::string& why() const { return why_; }
  // The same pointer for every object of one library.
  const void* identity() const { return handle_; }
  // A function, or null where there is none of this name.
  template <class F>
  F* function(const char* name) const {
    return reinterpret_cast<F*>(symbol(name));
  }
  // It stays loaded for the life of the process.
  void keep() { handle_ = nullptr; }

 private:
  void* symbol(const char* name) const;
  void* handle_ = nullptr;
  std::string why_;
};

// Whether a library of this name is in the process already; its names are seen from now on.
bool show_loaded_library(const std::string& name);

// The path of a file that lies beside the library that this code is in.
std::string path_beside_library(const std::string& file);

}  // namespace cantik
