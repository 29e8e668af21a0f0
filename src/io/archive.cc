// The zip format: PKWARE, .ZIP File Format Specification, version 6.3. Numbers are little endian.
#include "io/archive.h"

#include <algorithm>

#include <cantik/error.h>

#include "base/text.h"
#include "io/inflater.h"

namespace cantik {
namespace {

constexpr uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50, kEnd64 = 0x06064b50,
                   kLocator64 = 0x07064b50;
constexpr uint64_t kEndBytes = 22, kLocatorBytes = 20, kEnd64Bytes = 56, kCentralBytes = 46, kLocalBytes = 30;
constexpr uint64_t kMostComment = 0xffff;
constexpr uint16_t kStored = 0, kDeflated = 8, kSizesOf64 = 1;
constexpr uint64_t kLargest = uint64_t{1} << 30;  // of a file that is read

uint16_t u16(const uint8_t* p) { return static_cast<uint16_t>(p[0] | p[1] << 8); }
uint32_t u32(const uint8_t* p) { return u16(p) | static_cast<uint32_t>(u16(p + 2)) << 16; }
uint64_t u64(const uint8_t* p) { return u32(p) | static_cast<uint64_t>(u32(p + 4)) << 32; }

}  // namespace

Archive::Archive(const std::string& path) : file_(path) { read_directory(directory()); }

void Archive::damaged(const std::string& what) const {
  throw runtime_error(cat("the zip archive cannot be read: ", what)).line("file", file_.path());
}

std::vector<uint8_t> Archive::part(uint64_t at, uint64_t bytes) const {
  const uint64_t size = static_cast<uint64_t>(file_.size());
  if (at > size || bytes > size - at) damaged(cat("it ends in front of byte ", at, " + ", bytes));
  std::vector<uint8_t> p(bytes);
  if (bytes)
    file_.read(static_cast<int64_t>(at), static_cast<int64_t>(bytes), reinterpret_cast<char*>(p.data()));
  return p;
}

// It stands at the end, in front of a comment of any length.
Archive::Directory Archive::directory() const {
  const uint64_t size = static_cast<uint64_t>(file_.size()), tail = std::min(size, kEndBytes + kMostComment);
  const std::vector<uint8_t> end = part(size - tail, tail);
  for (size_t i = tail >= kEndBytes ? tail - kEndBytes + 1 : 0; i-- > 0;) {
    const uint8_t* p = end.data() + i;
    if (u32(p) != kEnd) continue;
    const Directory d{u32(p + 16), u32(p + 12), u16(p + 10)};
    const uint64_t here = size - tail + i;
    const bool is_large = d.at == UINT32_MAX || d.bytes == UINT32_MAX || d.entries == UINT16_MAX;
    if (!is_large || here < kLocatorBytes) return d;
    const std::vector<uint8_t> locator = part(here - kLocatorBytes, kLocatorBytes);
    if (u32(locator.data()) != kLocator64) return d;
    const std::vector<uint8_t> end64 = part(u64(locator.data() + 8), kEnd64Bytes);
    if (u32(end64.data()) != kEnd64) damaged("its directory is not where it says");
    return {u64(end64.data() + 48), u64(end64.data() + 40), u64(end64.data() + 32)};
  }
  damaged("it has no directory");
}

void Archive::read_directory(const Directory& d) {
  const std::vector<uint8_t> all = part(d.at, d.bytes);
  uint64_t at = 0;
  for (uint64_t i = 0; i < d.entries; ++i) {
    if (all.size() - at < kCentralBytes || u32(all.data() + at) != kCentral)
      damaged(cat("entry ", i, " of its directory is damaged"));
    const uint8_t* p = all.data() + at;
    Entry e{u32(p + 42), u32(p + 20), u32(p + 24), u16(p + 10)};
    const uint64_t name = u16(p + 28), extra = u16(p + 30), comment = u16(p + 32);
    if (all.size() - at - kCentralBytes < name + extra + comment)
      damaged(cat("entry ", i, " of its directory goes on behind its end"));
    const uint8_t* text = p + kCentralBytes;
    // Numbers that do not fit stand in a field behind the name, in this order.
    for (uint64_t k = 0; k + 4 <= extra;) {
      const uint8_t* field = text + name + k;
      const uint64_t bytes = u16(field + 2);
      if (k + 4 + bytes > extra) break;
      if (u16(field) == kSizesOf64) {
        uint64_t used = 0;
        for (uint64_t* n : {&e.size, &e.packed, &e.at})
          if (*n == UINT32_MAX && used + 8 <= bytes) {
            *n = u64(field + 4 + used);
            used += 8;
          }
      }
      k += 4 + bytes;
    }
    entries_[std::string(reinterpret_cast<const char*>(text), name)] = e;
    at += kCentralBytes + name + extra + comment;
  }
}

Archive::Member Archive::member(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end())
    throw runtime_error(cat("the zip archive has no file ", name)).line("file", file_.path());
  const Entry& e = found->second;
  if (e.method != kStored && e.method != kDeflated)
    damaged(cat(name, " is compressed by method ", e.method, "; 0 (stored) and 8 (deflated) can be read"));
  const std::vector<uint8_t> local = part(e.at, kLocalBytes);
  if (u32(local.data()) != kLocal) damaged(cat(name, " is not where the directory says"));
  const uint64_t begin = e.at + kLocalBytes + u16(local.data() + 26) + u16(local.data() + 28);
  const uint64_t all = static_cast<uint64_t>(file_.size());
  if (begin > all || e.packed > all - begin) damaged(cat(name, " goes on behind the end of the archive"));
  if (e.method == kStored && e.packed != e.size) damaged(cat(name, " has two sizes"));
  if (e.size > INT64_MAX) damaged(cat(name, " has ", e.size, " bytes"));
  return {static_cast<int64_t>(begin), static_cast<int64_t>(begin + e.packed), static_cast<int64_t>(e.size),
          e.method == kDeflated};
}

std::vector<uint8_t> Archive::read(const std::string& name) const {
  const Member m = member(name);
  if (static_cast<uint64_t>(m.size) > kLargest)
    damaged(cat(name, " has ", m.size, " bytes, at most ", kLargest, " are read"));
  std::vector<uint8_t> packed = part(static_cast<uint64_t>(m.begin), static_cast<uint64_t>(m.end - m.begin));
  if (!m.is_deflated) return packed;
  std::vector<uint8_t> out(static_cast<size_t>(m.size));
  inflate_all(packed, out, file_.path() + "@/" + name);
  return out;
}

std::vector<std::string> Archive::names() const {
  std::vector<std::string> all;
  for (const auto& [name, entry] : entries_) all.push_back(name);
  std::ranges::sort(all);
  return all;
}

}  // namespace cantik
