#include "io/input_file.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include <cantik/error.h>

#include "io/archive.h"
#include "io/packed_file.h"

namespace cantik {
namespace {

// An archive in front of the path of a file in it.
constexpr std::string_view kInArchive[] = {".zip@/", ".npz@/"};

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
  size_ = facts_.size;
  char mark[sizeof kGzipMark] = {};
  if (form == Form::as_it_is || size_ < static_cast<int64_t>(sizeof mark)) return;
  read_packed(0, sizeof mark, mark);
  if (std::memcmp(mark, kGzipMark, sizeof mark) != 0) return;
  packed_ = std::make_unique<PackedFile>(*this, 0, facts_.size, Inflater::Format::gzip);
  size_ = packed_->size();
}

void InputFile::open(const std::string& path) {
  std::string why;
  file_ = FileHandle::to_read(path, why);
  if (!file_ || !file_.look(facts_, why)) refuse(why);
}

InputFile::~InputFile() = default;

void InputFile::read(int64_t offset, int64_t bytes, char* into) const {
  if (!packed_) return read_packed(begin_ + offset, bytes, into);
  if (bytes > size_ - offset) refuse("it has become shorter since it was opened");
  if (bytes > 0) packed_->read(offset, bytes, into);
}

void InputFile::read_packed(int64_t offset, int64_t bytes, char* into) const {
  std::string why;
  const int64_t n = file_.read_at(offset, bytes, into, why);
  if (n < 0) refuse(why);
  if (n < bytes) refuse("it has become shorter since it was opened");
}

void InputFile::expect_unchanged() const {
  FileHandle::Facts now;
  std::string why;
  if (!file_.look(now, why)) refuse(why);
  if (now != facts_) refuse("it has changed since it was opened");
}

void InputFile::refuse(const std::string& why) const {
  throw runtime_error("the input file " + path_ + " cannot be read: " + why);
}

}  // namespace cantik
