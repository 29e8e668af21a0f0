#include "io/ctf_index_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <vector>

#include <cantik/error.h>

#include "base/crc64.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/text.h"

namespace cantik {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

constexpr uint64_t kMagic = std::bit_cast<uint64_t>(std::array{'c', 'a', 'n', 't', 'i', 'k', 'i', 'x'});
constexpr uint32_t kVersion = 1;
constexpr int64_t kBlock = 256;                      // numbers that share their width
constexpr int64_t kSamples = 16, kSample = 4 << 10;  // of the text
constexpr int64_t kWorkPerNumber = 2;

struct Header {
  uint64_t magic = kMagic;
  uint32_t version = kVersion, reserved = 0;
  int64_t size = 0, changed = 0;
  uint64_t samples = 0, options = 0;
  int64_t sequences = 0, chunks = 0, bytes = 0;
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

// ---- lists of numbers ----

class Packer {
 public:
  void add(const int64_t* numbers, int64_t count) {
    for (int64_t i = 0; i < count; i += kBlock) block(numbers + i, std::min(kBlock, count - i));
  }
  const std::vector<char>& bytes() const { return bytes_; }

 private:
  void block(const int64_t* numbers, int64_t count) {
    const auto [low, high] = std::minmax_element(numbers, numbers + count);
    const uint64_t span = static_cast<uint64_t>(*high) - static_cast<uint64_t>(*low);
    uint8_t width = 8;
    for (const uint8_t w : {uint8_t{0}, uint8_t{1}, uint8_t{2}, uint8_t{4}})
      if (span >> (8 * w) == 0) {
        width = w;
        break;
      }
    put(low, sizeof *low);
    put(&width, 1);
    for (int64_t i = 0; i < count; ++i) {
      const uint64_t difference = static_cast<uint64_t>(numbers[i]) - static_cast<uint64_t>(*low);
      put(&difference, width);
    }
  }
  void put(const void* from, size_t count) {
    const char* p = static_cast<const char*>(from);
    bytes_.insert(bytes_.end(), p, p + count);
  }
  std::vector<char> bytes_;
};

class Unpacker {
 public:
  Unpacker(const char* begin, const char* end) : at_(begin), end_(end) {}

  // The next numbers, at most a block of them. False where the bytes end.
  bool block(int64_t* numbers, int64_t count) {
    if (end_ - at_ < 9) return false;
    int64_t low;
    std::memcpy(&low, at_, sizeof low);
    const int64_t width = static_cast<unsigned char>(at_[8]);
    at_ += 9;
    if (width > 8 || end_ - at_ < width * count) return false;
    switch (width) {
      case 0: std::fill_n(numbers, count, low); break;
      case 1: spread<uint8_t>(numbers, count, low); break;
      case 2: spread<uint16_t>(numbers, count, low); break;
      case 4: spread<uint32_t>(numbers, count, low); break;
      case 8: spread<uint64_t>(numbers, count, low); break;
      default: return false;
    }
    at_ += width * count;
    return true;
  }
  bool is_at_end() const { return at_ == end_; }

 private:
  template <class T>
  void spread(int64_t* numbers, int64_t count, int64_t low) const {
    for (int64_t i = 0; i < count; ++i) {
      T difference;
      std::memcpy(&difference, at_ + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
      numbers[i] = static_cast<int64_t>(static_cast<uint64_t>(low) + difference);
    }
  }
  const char *at_, *end_;
};

// ---- the index ----

// The first sequences of the chunks, and behind them the number of all sequences. Empty where the numbers
// cannot be those of an index.
std::vector<int64_t> read_chunks(Unpacker& from, int64_t chunks, int64_t sequences) {
  std::vector<int64_t> firsts(static_cast<size_t>(chunks + 1));
  for (int64_t i = 0; i < chunks; i += kBlock)
    if (!from.block(firsts.data() + i, std::min(kBlock, chunks - i))) return {};
  firsts.back() = sequences;
  const bool rise = std::ranges::adjacent_find(firsts, std::ranges::greater_equal()) == firsts.end();
  return firsts[0] == 0 && rise ? firsts : std::vector<int64_t>();
}

// False where they cannot be those of an index of a text of `size` bytes.
bool read_sequences(Unpacker& from, CtfIndex& index, const std::vector<int64_t>& firsts, int64_t size) {
  const int64_t sequences = firsts.back();
  index.reserve(sequences);
  int64_t keys[kBlock], samples[kBlock], gaps[kBlock], lengths[kBlock];
  uint64_t key = 0;
  int64_t end = 0;
  size_t chunk = 0;
  for (int64_t first = 0; first < sequences; first += kBlock) {
    const int64_t n = std::min(kBlock, sequences - first);
    may_end(kWorkPerNumber * n);
    if (!from.block(keys, n) || !from.block(samples, n) || !from.block(gaps, n) || !from.block(lengths, n))
      return false;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t number = first + i;
      if (number == firsts[chunk + 1]) ++chunk;
      key += static_cast<uint64_t>(keys[i]);
      if (samples[i] < 1 || samples[i] > lengths[i] || gaps[i] < 0 || gaps[i] > size - end ||
          lengths[i] > size - end - gaps[i])
        return false;
      const int64_t begin = end + gaps[i];
      end = begin + lengths[i];
      index.add({key, samples[i], static_cast<int32_t>(chunk), static_cast<int32_t>(number - firsts[chunk])},
                begin, end);
    }
  }
  return true;
}

// Most numbers that so many bytes may stand for.
int64_t most_numbers(int64_t bytes) { return bytes / 9 * kBlock; }

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
  Header h;
  uint64_t sum;
  const int64_t bytes = static_cast<int64_t>(file.size) - static_cast<int64_t>(sizeof h + sizeof sum);
  if (bytes < 0) return std::nullopt;
  std::memcpy(&h, file.data.get(), sizeof h);
  const bool fits = h.magic == kMagic && h.version == kVersion && h.size == text.size_on_disk() &&
                    h.changed == text.changed() && h.options == key.options && h.bytes == bytes &&
                    h.samples == samples_of(text);
  if (!fits) return std::nullopt;
  const int64_t most = std::min(most_numbers(bytes), text.size());
  if (h.sequences < 1 || h.sequences > most || h.chunks < 1 || h.chunks > h.sequences ||
      h.chunks > std::numeric_limits<int32_t>::max())
    return std::nullopt;
  const char* begin = file.data.get();
  const size_t in_front = file.size - sizeof sum;
  std::memcpy(&sum, begin + in_front, sizeof sum);
  if (crc64(begin, in_front) != sum) return std::nullopt;
  Unpacker lists(begin + sizeof h, begin + in_front);
  const std::vector<int64_t> firsts = read_chunks(lists, h.chunks, h.sequences);
  CtfIndex index;
  if (firsts.empty() || !read_sequences(lists, index, firsts, text.size()) || !lists.is_at_end())
    return std::nullopt;
  return index;
}

void write_ctf_index(const CtfIndexKey& key, const InputFile& text, const CtfIndex& index) {
  Header h;
  h.size = text.size_on_disk();
  h.changed = text.changed();
  h.samples = samples_of(text);
  h.options = key.options;
  h.sequences = index.size();
  h.chunks = index.sequences().chunks();
  Packer lists;
  std::vector<int64_t> firsts;
  for (int64_t c = 0; c < h.chunks; ++c)
    firsts.push_back(static_cast<int64_t>(index.sequences().of_chunk(c).first));
  lists.add(firsts.data(), h.chunks);
  int64_t numbers[4][kBlock];
  uint64_t last_key = 0;
  int64_t end = 0;
  for (int64_t first = 0; first < h.sequences; first += kBlock) {
    const int64_t n = std::min(kBlock, h.sequences - first);
    may_end(kWorkPerNumber * n);
    for (int64_t i = 0; i < n; ++i) {
      const size_t at = static_cast<size_t>(first + i);
      const uint64_t own_key = index.sequences().key(at);
      const int64_t begin = index.begin(first + i), last_end = end;
      end = index.end(first + i);
      numbers[0][i] = static_cast<int64_t>(own_key - last_key);
      numbers[1][i] = index.sequences().samples(at);
      numbers[2][i] = begin - last_end;
      numbers[3][i] = end - begin;
      last_key = own_key;
    }
    for (const auto& list : numbers) lists.add(list, n);
  }
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
