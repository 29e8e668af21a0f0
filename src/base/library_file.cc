#include "base/library_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <cantik/error.h>

#include "base/text.h"

namespace cantik {
namespace {

#if defined(__x86_64__)
constexpr Elf64_Half kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
#else
constexpr Elf64_Half kMachine = EM_NONE;  // any
#endif

// A file in memory, read-only.
class Mapped {
 public:
  Mapped(const std::string& path, const LibraryKind& kind) {
    int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
      throw runtime_error(cat("the ", kind.name, " ", path, " cannot be opened: ", std::strerror(errno)))
          .remedy("give the path of a file");
    struct stat s{};
    bool regular = fstat(file, &s) == 0 && S_ISREG(s.st_mode);
    size_ = regular ? static_cast<size_t>(s.st_size) : 0;
    if (size_) data_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (!regular)
      throw value_error(cat(path, " is not ", kind.with_article, ": it is not a regular file"))
          .remedy("give the path of a shared library");
  }
  ~Mapped() {
    if (is_mapped()) munmap(data_, size_);
  }
  Mapped(const Mapped&) = delete;
  std::string_view bytes() const {
    return is_mapped() ? std::string_view(static_cast<const char*>(data_), size_) : std::string_view();
  }

 private:
  bool is_mapped() const { return data_ && data_ != MAP_FAILED; }
  void* data_ = nullptr;
  size_t size_ = 0;
};

// Whether `count` entries of `size` bytes from `offset` on lie within the file.
bool within(std::string_view file, uint64_t offset, uint64_t count, uint64_t size) {
  return offset <= file.size() && (size == 0 || count <= (file.size() - offset) / size);
}

}  // namespace

std::string version_in_library(const std::string& path, const LibraryKind& kind) {
  const std::string_view mark = kind.mark;
  Mapped mapped(path, kind);
  std::string_view file = mapped.bytes();
  auto wrong = [&](const std::string& why) {
    return value_error(cat(path, " is not ", kind.with_article, ": ", why));
  };
  Elf64_Ehdr head;
  if (file.size() < sizeof head || file.substr(0, SELFMAG) != ELFMAG)
    throw wrong("it is not a shared library");
  std::memcpy(&head, file.data(), sizeof head);
  if (head.e_ident[EI_CLASS] != ELFCLASS64 || (kMachine != EM_NONE && head.e_machine != kMachine))
    throw wrong("it was built for another kind of processor").remedy("build it on this machine");
  if (head.e_type != ET_DYN) throw wrong("it is not a shared library").remedy("link it with -shared");
  // The loader maps what the headers promise: a file that was cut off would end the program.
  bool whole = head.e_phentsize == sizeof(Elf64_Phdr) &&
               within(file, head.e_phoff, head.e_phnum, sizeof(Elf64_Phdr)) &&
               within(file, head.e_shoff, head.e_shnum, head.e_shentsize);
  for (uint64_t i = 0; whole && i < head.e_phnum; ++i) {
    Elf64_Phdr part;
    std::memcpy(&part, file.data() + head.e_phoff + i * sizeof part, sizeof part);
    whole = within(file, part.p_offset, part.p_filesz, 1);
  }
  if (!whole) throw wrong("the file is not complete").remedy("build or copy it again");
  for (size_t at = file.find(mark); at != std::string_view::npos; at = file.find(mark, at + 1)) {
    std::string_view rest = file.substr(at + mark.size(), 64);
    // not the mark by itself, as in the host
    if (!rest.empty() && rest[0] >= '0' && rest[0] <= '9')
      return std::string(rest.substr(0, rest.find('\0')));
  }
  return {};
}

}  // namespace cantik
