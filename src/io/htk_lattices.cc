// Lattices of speech: an index file lists tables of contents, which say at which byte of which archive the
// lattice of an utterance begins. A lattice ends where the next one of its archive begins, or the archive
// ends.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <cantik/error.h>
#include <cantik/htk.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/line_reader.h"
#include "io/opened.h"
#include "io/utterance.h"

namespace cantik {
namespace {

constexpr int64_t kMostBytes = 50 << 20;   // of a lattice, as in CNTK
constexpr int64_t kChunkBytes = 64 << 20;  // a chunk ends before the lattice that would pass so many
constexpr int64_t kNumber = sizeof(float);

std::string_view trimmed_line(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == text.npos ? std::string_view() : text.substr(begin, end - begin + 1);
}

class Lattices final : public Deserializer {
 public:
  Lattices(const std::string& path, const std::string& name) : path_(path) {
    if (name.empty()) throw value_error("the stream of lattices has no name");
    if (path.empty()) throw runtime_error("LatticeDeserializer: the lattice index file parameter is empty");
    const InputFile index(path);
    LineReader lines(index, 0, index.size());
    for (std::string_view line; lines.next(line);)
      if (line = trimmed_line(line); !line.empty()) read_contents(std::string(line));
    find_ends();
    make_index();
    streams_ = {{.name = name, .dtype = DType::float32, .shape = {1}}};
  }

  const std::vector<Stream>& streams() const override { return streams_; }
  const SequenceIndex* index() const override { return &index_; }
  int64_t chunks() const override { return static_cast<int64_t>(first_.size()) - 1; }
  bool may_read_ahead() const override { return true; }
  bool may_be_left() const override { return true; }
  std::string name() const override { return path_; }
  std::vector<std::string> take_warnings() override {
    std::vector<std::string> told;
    names_.take_warnings(path_, told);
    return told;
  }

  // The bytes as numbers of 32 bits, the last one filled up with zeros.
  Chunk load(int64_t number) override {
    const size_t begin = first_[number], end = first_[static_cast<size_t>(number) + 1];
    std::vector<int64_t> lengths;
    int64_t rows = 0;
    for (size_t i = begin; i < end; ++i) {
      lengths.push_back(index_.samples(i));
      rows += index_.samples(i);
    }
    Tensor data(DType::float32, {rows, 1});
    char* to = reinterpret_cast<char*>(data.data<float>());
    for (size_t i = begin; i < end; ++i) {
      may_end_now();
      const Lattice& l = lattices_[i];
      const int64_t bytes = l.end - l.begin, room = index_.samples(i) * kNumber;
      std::memset(to + bytes, 0, static_cast<size_t>(room - bytes));
      const InputFile& archive = *archives_[l.archive];
      archive.read(l.begin, bytes, to);
      archive.expect_unchanged();
      to += room;
    }
    return {Value(data.read_only(), Layout::of_lengths(lengths))};
  }

 private:
  struct Lattice {
    uint64_t key;
    size_t archive;
    int64_t begin, end;
    std::string place;  // in the table of contents
  };

  [[noreturn]] static void refuse(const std::string& place, std::string_view line, const std::string& what) {
    throw runtime_error(cat("a table of contents of lattices cannot be read: ", what))
        .line("file", place)
        .line("entry", std::string(line.substr(0, 200)))
        .remedy("write name=archive[byte], or name=[byte] for the archive of the line before");
  }

  // Of one path, one file, whichever table names it.
  size_t archive(const std::string& path) {
    const auto [found, is_new] = numbers_.try_emplace(path, archives_.size());
    if (is_new) archives_.push_back(std::make_unique<InputFile>(path));
    return found->second;
  }

  void read_contents(const std::string& path) {
    constexpr size_t kNone = SIZE_MAX;
    const InputFile file(path);
    LineReader lines(file, 0, file.size());
    size_t last = kNone;
    for (std::string_view line; lines.next(line);) {
      line = trimmed_line(line);
      if (line.empty()) continue;
      may_end(static_cast<int64_t>(line.size()) + 100);
      const std::string place = cat(path, ", line ", lines.line());
      const size_t equals = line.find('='), open = line.rfind('[');
      if (equals == line.npos || equals == 0 || open == line.npos || open < equals || line.back() != ']')
        refuse(place, line, "the line is not an entry");
      int64_t byte = 0;
      const char* end = line.data() + line.size() - 1;
      const auto [at, error] = std::from_chars(line.data() + open + 1, end, byte);
      if (error != std::errc() || at != end || byte < 0)
        refuse(place, line, "the byte is not a number from 0 on");
      if (const std::string_view named = line.substr(equals + 1, open - equals - 1); !named.empty())
        last = archive(std::string(named));
      if (last == kNone) refuse(place, line, "no archive is named so far");
      if (byte >= archives_[last]->size())
        refuse(place, line,
               cat("the archive ", archives_[last]->path(), " has ", archives_[last]->size(), " bytes"));
      const std::string name(line.substr(0, equals));
      names_.is_repeated(name);
      lattices_.push_back({key_of_utterance(name), last, byte, archives_[last]->size(), place});
    }
  }

  // An archive may be named by several tables, and its lattices in any order.
  void find_ends() {
    std::vector<size_t> order(lattices_.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {},
                             [&](size_t i) { return std::pair(lattices_[i].archive, lattices_[i].begin); });
    for (size_t k = 0; k < order.size(); ++k) {
      Lattice& l = lattices_[order[k]];
      if (k + 1 < order.size() && lattices_[order[k + 1]].archive == l.archive)
        l.end = lattices_[order[k + 1]].begin;
      if (l.end == l.begin) throw runtime_error("two lattices begin at one byte").line("file", l.place);
      if (l.end - l.begin > kMostBytes)
        throw runtime_error(
            cat("a lattice has ", l.end - l.begin, " bytes, at most ", kMostBytes, " are read"))
            .line("file", l.place)
            .line("archive", archives_[l.archive]->path());
    }
    std::erase_if(lattices_, [&](const Lattice& l) { return names_.is_dropped(l.key); });
    if (lattices_.empty()) throw runtime_error("the tables of contents list no lattices").line("file", path_);
  }

  void make_index() {
    int64_t bytes = 0;
    int32_t in_chunk = 0;
    for (size_t i = 0; i < lattices_.size(); ++i) {
      const int64_t numbers = (lattices_[i].end - lattices_[i].begin + kNumber - 1) / kNumber;
      if (i == 0 || bytes + numbers * kNumber > kChunkBytes) {
        first_.push_back(i);
        bytes = in_chunk = 0;
      }
      bytes += numbers * kNumber;
      index_.push_back({lattices_[i].key, numbers, static_cast<int32_t>(first_.size()) - 1, in_chunk++});
    }
    first_.push_back(lattices_.size());
  }

  std::string path_;
  std::vector<std::unique_ptr<InputFile>> archives_;
  std::unordered_map<std::string, size_t> numbers_;  // of archives, by their paths
  std::vector<Lattice> lattices_;
  UtteranceNames names_;
  std::vector<Stream> streams_;
  SequenceIndex index_;
  std::vector<size_t> first_;  // [chunks + 1]: their first lattices
};

}  // namespace

DeserializerPtr htk_lattices(const std::string& index, const std::string& name) {
  return opened([=] {
    return needed_for([&] { return "the lattices of " + index; },
                      [&] { return std::make_shared<Lattices>(index, name); });
  });
}

}  // namespace cantik
