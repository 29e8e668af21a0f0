#include "io/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include <cantik/error.h>

#include "io/archive.h"
#include "io/packed_file.h"

namespace cantik {
namespace {

// An archive in front of the path of a file in it.
constexpr std::string_view kInArchive[] = {".zip@/", ".npz@/"};

int64_t change_of(const struct stat& s) {
  return static_cast<int64_t>(s.st_mtim.tv_sec) * 1'000'000'000 + s.st_mtim.tv_nsec;
}

}  // namespace

InputFile::InputFile(std::string path, Form form) : path_(std::move(path)) {
  size_t in_archive = path_.npos;
  for (const std::string_view mark : kInArchive)
    if (form == Form::maybe_packed) in_archive = std::min(in_archive, path_.find(mark));
  if (in_archive != path_.npos) {
    const size_t at = path_.find('@', in_archive);
    open(path_.substr(0, at));
    const Archive::Member m = Archive(path_.substr(0, at)).member(path_.substr(at + 2));
    begin_ = m.begin;
    size_ = m.size;
    if (m.is_deflated)
      packed_ = std::make_unique<PackedFile>(*this, m.begin, m.end, Inflater::Format::deflate);
    if (packed_ && packed_->size() != m.size) refuse("it has another size than its archive says");
    return;
  }
  open(path_);
  size_ = size_on_disk_;
  char mark[sizeof kGzipMark] = {};
  if (form == Form::as_it_is || size_ < static_cast<int64_t>(sizeof mark)) return;
  read_packed(0, sizeof mark, mark);
  if (std::memcmp(mark, kGzipMark, sizeof mark) != 0) return;
  packed_ = std::make_unique<PackedFile>(*this, 0, size_on_disk_, Inflater::Format::gzip);
  size_ = packed_->size();
}

void InputFile::open(const std::string& path) {
  file_.number =
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe would wait for its other end
  struct stat s;
  std::string why;
  if (file_.number < 0 || ::fstat(file_.number, &s) != 0)
    why = std::strerror(errno);
  else if (!S_ISREG(s.st_mode))
    why = "it is not a regular file";
  if (why.empty()) {
    size_on_disk_ = s.st_size;
    changed_ = change_of(s);
    return;
  }
  refuse(why);
}

InputFile::~InputFile() = default;

InputFile::Descriptor::~Descriptor() {
  if (number >= 0) ::close(number);
}

void InputFile::read(int64_t offset, int64_t bytes, char* into) const {
  if (!packed_) return read_packed(begin_ + offset, bytes, into);
  if (bytes > size_ - offset) refuse("it has become shorter since it was opened");
  if (bytes > 0) packed_->read(offset, bytes, into);
}

void InputFile::read_packed(int64_t offset, int64_t bytes, char* into) const {
  while (bytes > 0) {
    ssize_t n = ::pread(file_.number, into, static_cast<size_t>(std::min(bytes, int64_t{1} << 30)), offset);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse(std::strerror(errno));
    if (n == 0) refuse("it has become shorter since it was opened");
    offset += n;
    into += n;
    bytes -= n;
  }
}

void InputFile::expect_unchanged() const {
  struct stat s;
  if (::fstat(file_.number, &s) != 0) refuse(std::strerror(errno));
  if (s.st_size != size_on_disk_ || change_of(s) != changed_) refuse("it has changed since it was opened");
}

void InputFile::refuse(const std::string& why) const {
  throw runtime_error("the input file " + path_ + " cannot be read: " + why);
}

}  // namespace cantik
