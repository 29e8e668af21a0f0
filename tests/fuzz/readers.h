// What holds of the readers of files, whatever the bytes: a clear error, or sequences that take no more
// memory than a file of its size may, and sources over them that can be restored. The fuzzers try it on bytes
// of their own, a unit test on those that are kept and on changes of them.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cantik/cbf.h>
#include <cantik/error.h>
#include <cantik/htk.h>
#include <cantik/image.h>
#include <cantik/io.h>
#include <cantik/table.h>

#include "base/crc64.h"
#include "io/ctf.h"
#include "io/ctf_index_file.h"
#include "io/deserializer.h"
#include "io/input_file.h"

namespace cantik::fuzz {

using Bytes = std::span<const uint8_t>;

// A file in memory that holds other bytes from call to call, under a number that kept files can name.
class MemoryFile {
 public:
  explicit MemoryFile(int number) : file_(number), path("/proc/self/fd/" + std::to_string(number)) {
    const int made = memfd_create("fuzz", 0);
    if (dup2(made, number) != number) std::abort();
    close(made);
  }
  ~MemoryFile() { close(file_); }
  MemoryFile(const MemoryFile&) = delete;

  void hold(std::string_view text) const {
    hold(Bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
  }
  void hold(Bytes bytes) const {
    const auto size = static_cast<ssize_t>(bytes.size());
    if (ftruncate(file_, 0) != 0 || pwrite(file_, bytes.data(), bytes.size(), 0) != size) std::abort();
  }

 private:
  int file_;

 public:
  const std::string path;
};

// Reads it all, chunk by chunk and in minibatches; `options & 4`: in frame mode.
inline void read_everything(const DeserializerPtr& data, size_t most_bytes, uint8_t options) {
  for (int64_t c = 0; c < data->chunks(); ++c)
    if (bytes_of(data->load(c)) > most_bytes) std::abort();
  SourcePtr source = minibatch_source({data}, {.randomize = (options & 1) != 0,
                                               .seed = options,
                                               .max_sweeps = 1,
                                               .truncation_length = options & 2 ? 2 : 0,
                                               .frame_mode = (options & 6) == 4,
                                               .cache_bytes = 0});
  while (Minibatch m = source->next({.samples = 5})) {
    for (const Value& v : m.values)
      if (v.data.elements() < 100000) v.data.to_dense();
    const Dictionary state = source->state();
    source->restore(state);  // an error here is a defect
    if (!(source->state() == state)) std::abort();
  }
}

// The first byte says how it is read, the others are the file. A chunk takes no more memory than `most`,
// which is what the file's size allows unless few bytes may stand for much.
template <class Open>
void read_or_refuse(Bytes bytes, Open&& open, size_t most = 0) {
  if (bytes.empty()) return;
  static const MemoryFile file(900);
  file.hold(bytes.subspan(1));
  try {
    read_everything(open(file.path, bytes[0]), most ? most : 64 * bytes.size() + 4096, bytes[0]);
  } catch (const Error&) {
  }
}

inline void binary_format(Bytes bytes) {
  read_or_refuse(bytes, [](const std::string& path, uint8_t) { return cbf(path); });
}

// An archive of frames of 3 numbers.
inline void htk_archive(Bytes bytes) {
  static const MemoryFile script(901);
  script.hold("a=.../900\nb=.../900[1,1]\n");
  read_or_refuse(bytes, [](const std::string&, uint8_t options) {
    return htk_features(script.path,
                        {.name = "x", .dim = 3, .left = options >> 4 & 1, .right = options >> 5 & 1});
  });
}

// A script over an archive of 10 frames of a number.
inline void htk_script(Bytes bytes) {
  static const MemoryFile archive(901);
  archive.hold(std::string_view("\0\0\0\x0a\0\x01\x86\xa0\0\x04\0\x09", 12));
  if (ftruncate(901, 12 + 40) != 0) std::abort();
  read_or_refuse(
      bytes, [](const std::string& path, uint8_t) { return htk_features(path, {.name = "x", .dim = 1}); });
}

// A line may stand for a day of speech.
constexpr size_t kMostLabels = 11'000'000 * 20;

inline void htk_text_labels(Bytes bytes) {
  static const MemoryFile names(901);
  names.hold("sil\nA\nB\nC\n");
  read_or_refuse(
      bytes,
      [](const std::string& path, uint8_t options) {
        return htk_labels({path}, {.name = "y",
                                   .dim = 4,
                                   .names = names.path,
                                   .phone_boundaries = (options & 16) != 0,
                                   .chunk_bytes = options & 32 ? 1 : 1 << 20,
                                   .max_errors = options & 64 ? 1000000 : 0});
      },
      kMostLabels);
}

inline void htk_binary_labels(Bytes bytes) {
  read_or_refuse(
      bytes,
      [](const std::string& path, uint8_t options) {
        return htk_labels_binary({path}, {.name = "y",
                                          .dim = 4,
                                          .chunk_bytes = options & 32 ? 1 : 1 << 20,
                                          .max_errors = options & 64 ? 1000000 : 0});
      },
      kMostLabels);
}

// A table of contents over an archive of 100 bytes.
inline void htk_lattices(Bytes bytes) {
  static const MemoryFile index(901), archive(902);
  index.hold("/proc/self/fd/900\n");
  archive.hold(std::string(100, 'x'));
  // A table may name any file; one that changes while it is read, as the fuzzer's own log, is no finding.
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (size_t at = text.find("/proc/"); at != text.npos; at = text.find("/proc/", at + 1))
    if (!text.substr(at).starts_with(archive.path)) return;
  read_or_refuse(bytes, [](const std::string&, uint8_t) { return cantik::htk_lattices(index.path, "x"); });
}

// A text of columns x, town and y.
inline void csv(Bytes bytes) {
  read_or_refuse(bytes, [](const std::string& path, uint8_t options) {
    const bool header = (options & 8) != 0;
    CsvOptions o{.separator = options & 16 ? ';' : ',', .header = header, .chunk_bytes = 64};
    if (options & 32) o.missing = -1.0f;
    return cantik::csv(path,
                       {{.name = "x", .columns = {header ? "x" : "0"}},
                        {.name = "town", .columns = {header ? "town" : "1"}, .labels = {"Bonn", "Kiel"}},
                        {.name = "y", .columns = {header ? "y" : "2"}, .classes = options & 64 ? 3 : 0}},
                       o);
  });
}

// An array of NumPy's.
inline void npy(Bytes bytes) {
  read_or_refuse(bytes, [](const std::string& path, uint8_t options) {
    return cantik::npy({{.name = "x", .path = path, .classes = options & 16 ? 5 : 0}},
                       {.chunk_bytes = options & 32 ? 1 : 1 << 20});
  });
}

// A zip archive of such arrays: a packed one may have a thousand times as many bytes as its file.
inline void npz(Bytes bytes) {
  read_or_refuse(
      bytes, [](const std::string& path, uint8_t) { return cantik::npy(arrays_of_npz(path)); }, 1 << 27);
}

// A list of pictures, of which none is opened.
inline void image_list(Bytes bytes) {
  if (bytes.empty()) return;
  static const MemoryFile file(900);
  file.hold(bytes.subspan(1));
  try {
    if (images(file.path, {.classes = 10})->chunks() < 0) std::abort();
  } catch (const Error&) {
  }
}

// The index of a text of 60 bytes: the bytes are the lists, behind a head that fits and before their sum.
inline void ctf_index(Bytes bytes) {
  constexpr size_t kHead = 48;  // without the number of the bytes
  static const MemoryFile text(901), index(900);
  static const std::string head = [] {
    text.hold("0 |x 1\n0 |x 2\n1 |x 3\n5 |x 4\n5 |x 5\n7 |x 6\n8 |x 7\n9 |x 8\n9 |x\n");
    CtfIndexKey key(text.path, {}, nullptr);
    key.path = (std::filesystem::temp_directory_path() / ("ctf_index." + std::to_string(getpid()))).string();
    CtfIndex one;
    one.add({.key = 0, .samples = 2}, 0, 14);
    one.is_numbered = true;
    write_ctf_index(key, InputFile(text.path), one);
    std::ifstream written(key.path, std::ios::binary);
    std::string all(std::istreambuf_iterator<char>(written), {});
    std::filesystem::remove(key.path);
    return all.substr(0, kHead);
  }();
  const InputFile file(text.path);
  const auto lists = static_cast<int64_t>(bytes.size());
  std::string all = head;
  all.append(reinterpret_cast<const char*>(&lists), sizeof lists);
  all.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const uint64_t sum = crc64(all.data(), all.size());
  index.hold(all.append(reinterpret_cast<const char*>(&sum), sizeof sum));
  CtfIndexKey key(text.path, {}, nullptr);
  key.path = index.path;
  const std::optional<CtfIndex> found = read_ctf_index(key, file);
  if (!found) return;
  int64_t end = 0, samples = 0;
  size_t sequences = 0;
  for (int64_t c = 0; c < found->sequences().chunks(); ++c) {
    sequences += found->sequences().of_chunk(c).size();
    for (const CtfIndex::Text& t : found->texts_of(c)) {
      if (t.begin < end || t.end <= t.begin || t.end > file.size()) std::abort();
      end = t.end;
    }
  }
  for (const SequenceInfo& s : found->sequences()) {
    if (s.samples < 1) std::abort();
    samples += s.samples;
  }
  const size_t count = found->sequences().size();
  if (sequences != count || samples != found->sequences().samples_before(count)) std::abort();
}

}  // namespace cantik::fuzz
