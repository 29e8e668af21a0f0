#include "io/ctf_index_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include <cantik/error.h>

#include "base/crc64.h"
#include "base/file.h"
#include "base/text.h"

namespace cantik {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

constexpr uint64_t kIndexMagic = std::bit_cast<uint64_t>(std::array{'c', 'a', 'n', 't', 'i', 'k', 'i', 'x'});
constexpr uint32_t kVersion = 2;
constexpr int64_t kSamples = 16, kSample = 4 << 10;  // of the text

struct IndexHeader {
  uint64_t magic = kIndexMagic;
  uint32_t version = kVersion, is_numbered = 0;
  int64_t size = 0, changed = 0;
  uint64_t samples = 0, options = 0;
  int64_t bytes = 0;
};

// Of parts of the text that lie as far from each other, the first and the last bytes among them.
uint64_t samples_of(const InputFile& text) {
  const int64_t size = text.size_on_disk(), bytes = std::min(kSample, size);
  std::vector<char> part(static_cast<size_t>(bytes));
  Crc64 sum;
  for (int64_t i = 0; i < kSamples && bytes > 0; ++i) {
    text.read_packed((size - bytes) / (kSamples - 1) * i, bytes, part.data());
    sum.add(part.data(), part.size());
  }
  if (bytes > 0) text.read_packed(size - bytes, bytes, part.data());
  sum.add(part.data(), part.size());
  return sum.value();
}

// ---- lists ----

class Lists {
 public:
  template <class T>
  void add(const std::vector<T>& list) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto count = static_cast<uint64_t>(list.size());
    put(&count, sizeof count);
    put(list.data(), list.size() * sizeof(T));
  }
  void add(const PackedNumbers::Parts& p) {
    const uint64_t size = p.size;
    put(&size, sizeof size);
    put(&p.first, sizeof p.first);
    add(p.blocks);
    add(p.open);
    add(p.bytes);
  }
  const std::vector<char>& bytes() const { return bytes_; }

 private:
  void put(const void* from, size_t count) {
    const char* p = static_cast<const char*>(from);
    bytes_.insert(bytes_.end(), p, p + count);
  }
  std::vector<char> bytes_;
};

// Lists one after another; false where the bytes end.
class ListReader {
 public:
  ListReader(const char* begin, const char* end) : at_(begin), end_(end) {}

  template <class T>
  bool list(std::vector<T>& into) {
    uint64_t count;
    if (!number(count) || count > static_cast<uint64_t>(end_ - at_) / sizeof(T)) return false;
    into.resize(count);
    if (count > 0) std::memcpy(into.data(), at_, count * sizeof(T));
    at_ += count * sizeof(T);
    return true;
  }
  bool numbers(PackedNumbers::Parts& p) {
    uint64_t size;
    if (!number(size) || !number(p.first)) return false;
    p.size = size;
    return list(p.blocks) && list(p.open) && list(p.bytes);
  }
  bool is_at_end() const { return at_ == end_; }

 private:
  template <class T>
  bool number(T& n) {
    if (end_ - at_ < static_cast<std::ptrdiff_t>(sizeof n)) return false;
    std::memcpy(&n, at_, sizeof n);
    at_ += sizeof n;
    return true;
  }
  const char *at_, *end_;
};

std::optional<CtfIndex> read_lists(ListReader from, bool is_numbered, int64_t size) {
  SequenceIndex::Parts parts;
  std::vector<CtfIndex::Text> texts;
  SequenceIndex sequences;
  CtfIndex index;
  const bool fits = from.list(parts.firsts) && from.numbers(parts.samples) && from.numbers(parts.keys) &&
                    from.list(texts) && from.is_at_end() && sequences.assign(std::move(parts)) &&
                    index.assign(std::move(sequences), std::move(texts), size);
  if (!fits) return std::nullopt;
  index.is_numbered = is_numbered;
  return index;
}

}  // namespace

CtfIndexKey::CtfIndexKey(const std::string& text, const CtfOptions& o, const CtfStream* counted)
    : path(cat(text, ".", counted ? counted->field : "_", ".", o.skip_sequence_ids ? 1 : 0, ".index")) {
  std::ranges::replace(path.begin() + static_cast<std::ptrdiff_t>(text.size()), path.end(), '/', '_');
  const std::string all =
      cat(counted ? "|" + counted->field : "", "\n", o.skip_sequence_ids, "\n", o.chunk_bytes);
  options = crc64(all.data(), all.size());
}

std::optional<CtfIndex> read_ctf_index(const CtfIndexKey& key, const InputFile& text) {
  if (!is_file(key.path)) return std::nullopt;
  const Bytes file = read_file(key.path);
  IndexHeader h;
  uint64_t sum;
  const int64_t bytes = static_cast<int64_t>(file.size) - static_cast<int64_t>(sizeof h + sizeof sum);
  if (bytes < 0) return std::nullopt;
  std::memcpy(&h, file.data.get(), sizeof h);
  const bool fits = h.magic == kIndexMagic && h.version == kVersion && h.size == text.size_on_disk() &&
                    h.changed == text.changed() && h.options == key.options && h.bytes == bytes &&
                    h.samples == samples_of(text);
  if (!fits) return std::nullopt;
  const char* begin = file.data.get();
  const size_t in_front = file.size - sizeof sum;
  std::memcpy(&sum, begin + in_front, sizeof sum);
  if (crc64(begin, in_front) != sum) return std::nullopt;
  return read_lists({begin + sizeof h, begin + in_front}, h.is_numbered != 0, text.size());
}

void write_ctf_index(const CtfIndexKey& key, const InputFile& text, const CtfIndex& index) {
  IndexHeader h;
  h.size = text.size_on_disk();
  h.changed = text.changed();
  h.samples = samples_of(text);
  h.options = key.options;
  h.is_numbered = index.is_numbered;
  Lists lists;
  const SequenceIndex::Parts parts = index.sequences().parts();
  lists.add(parts.firsts);
  lists.add(parts.samples);
  lists.add(parts.keys);
  lists.add(index.texts());
  h.bytes = static_cast<int64_t>(lists.bytes().size());
  Crc64 all;
  all.add(&h, sizeof h);
  all.add(lists.bytes().data(), lists.bytes().size());
  const uint64_t sum = all.value();
  text.expect_unchanged();
  FileWriter file(key.path);
  file.write(&h, sizeof h);
  file.write(lists.bytes().data(), lists.bytes().size());
  file.write(&sum, sizeof sum);
  file.commit();
}

}  // namespace cantik
