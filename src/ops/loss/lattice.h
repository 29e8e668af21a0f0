// Lattices of speech, as the archives of CNTK 2 have them (version 2): the hypotheses for an utterance as a
// graph. Nodes lie at times, arcs between them are words with their units and how many frames each takes.
//
//   "LAT " 2, header of 32 bytes; "NODS" n, times (16 bits); "EDGS" n, arcs (64 bits);
//   "ALNS" n, words of 32 bits: units of arcs, and before the first unit of an arc its scores; "END "
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <cantik/op/infer.h>

namespace cantik {

struct Lattice {
  struct Unit {
    int64_t symbol;  // its place in the list of symbols
    int64_t frames;
  };
  struct Arc {
    int64_t from, to;  // nodes
    double language;   // the logarithm of the language model's probability
    int64_t first;     // its first unit
    int64_t count;     // how many units it has, but for a last one that is implied
    bool ends_in_pause;
    int64_t pause;  // frames of the implied unit
  };

  int64_t frames = 0, pause_symbol = 0;
  std::vector<int64_t> times;  // [nodes], in frames; the first is 0, the last `frames`
  std::vector<Arc> arcs;       // by their ends: an arc comes behind all that end where it begins
  std::vector<Unit> units;     // of all arcs, which share them; others lie between them

  // What the bytes say; what they cannot say is an error with the number of the sequence.
  static Lattice read(std::string_view bytes, int64_t sequence);
};

namespace detail {

// Goes through the bytes of a lattice from the front.
class LatticeBytes {
 public:
  LatticeBytes(std::string_view bytes, int64_t sequence) : left_(bytes), sequence_(sequence) {}

  [[noreturn]] void refuse(const std::string& why) const {
    throw Failure(CANTIK_RUNTIME,
                  "the lattice of sequence " + std::to_string(sequence_) + " cannot be read: " + why,
                  "give each sequence the bytes of a lattice, four to a number, as LatticeDeserializer does");
  }
  std::string_view take(size_t bytes, const char* what) {
    if (left_.size() < bytes) refuse(std::string("it ends before its ") + what);
    const std::string_view taken = left_.substr(0, bytes);
    left_.remove_prefix(bytes);
    return taken;
  }
  void mark(std::string_view expected) {
    if (take(expected.size(), "end") != expected)
      refuse("\"" + std::string(expected) + "\" does not stand where it should");
  }
  // How many there are of `bytes` bytes each, and their bytes.
  std::string_view list(std::string_view expected, size_t bytes, const char* what) {
    mark(expected);
    return take(static_cast<size_t>(number<uint32_t>(take(4, what))) * bytes, what);
  }
  template <class T>
  static T number(std::string_view bytes, size_t i = 0) {
    T x;
    std::memcpy(&x, bytes.data() + i * sizeof(T), sizeof(T));
    return x;
  }
  // The bits [begin, begin + count) of a number.
  static int64_t bits(uint64_t x, int begin, int count) {
    return static_cast<int64_t>(x >> begin & ((uint64_t{1} << count) - 1));
  }

 private:
  std::string_view left_;
  int64_t sequence_;
};

}  // namespace detail

inline Lattice Lattice::read(std::string_view bytes, int64_t sequence) {
  using Raw = detail::LatticeBytes;
  Raw from(bytes, sequence);
  Lattice l;
  from.mark("LAT ");
  if (const uint32_t version = Raw::number<uint32_t>(from.take(4, "version")); version != 2)
    from.refuse("its format is of version " + std::to_string(version) + ", version 2 is read");
  const std::string_view header = from.take(32, "header");
  const uint64_t facts = Raw::number<uint64_t>(header, 3);
  l.frames = Raw::bits(facts, 0, 32);
  l.pause_symbol = Raw::bits(facts, 32, 31);
  const int64_t scores = 1 + Raw::bits(facts, 63, 1);  // of an arc: of the language model, and acoustic

  const std::string_view times = from.list("NODS", 2, "nodes");
  for (size_t i = 0; i < times.size() / 2; ++i) l.times.push_back(Raw::number<uint16_t>(times, i));
  if (l.times.size() < 2) from.refuse("it has fewer than two nodes");
  if (l.times.front() != 0 || l.times.back() != l.frames)
    from.refuse("its nodes do not lead from frame 0 to its end, frame " + std::to_string(l.frames));
  const std::string_view arcs = from.list("EDGS", 8, "arcs");
  const std::string_view words = from.list("ALNS", 4, "units");
  from.mark("END ");
  if (Raw::number<uint32_t>(header, 0) != l.times.size() ||
      Raw::number<uint32_t>(header, 1) != arcs.size() / 8)
    from.refuse("its header counts other nodes and arcs than there are");

  // ends[k]: the place behind the last unit of an arc whose first unit is k; 0: there is none
  const size_t count = words.size() / 4;
  std::vector<size_t> ends(count + 1, 0);
  std::vector<int64_t> before(count + 1, 0);  // frames of all words before this one
  l.units.resize(count);
  for (size_t k = 0; k < count; ++k) {
    const uint32_t word = Raw::number<uint32_t>(words, k);
    l.units[k] = {Raw::bits(word, 0, 19), Raw::bits(word, 19, 11)};
    before[k + 1] = before[k] + l.units[k].frames;
  }
  for (size_t k = count; k-- > 0;) ends[k] = Raw::number<uint32_t>(words, k) >> 31 ? k + 1 : ends[k + 1];

  const auto nodes = static_cast<int64_t>(l.times.size());
  for (size_t i = 0; i < arcs.size() / 8; ++i) {
    const uint64_t packed = Raw::number<uint64_t>(arcs, i);
    Arc arc{Raw::bits(packed, 0, 19),
            Raw::bits(packed, 20, 19),
            0,
            Raw::bits(packed, 40, 24),
            0,
            Raw::bits(packed, 39, 1) != 0,
            0};
    auto refuse = [&](const char* why) { from.refuse("its arc " + std::to_string(i) + " " + why); };
    if (arc.from >= arc.to || arc.to >= nodes) refuse("does not lead to a later node");
    if (!l.arcs.empty() && arc.to < l.arcs.back().to) refuse("ends before the arc in front of it does");
    const int64_t frames = l.times[arc.to] - l.times[arc.from];
    const bool is_last = i + 1 == arcs.size() / 8;
    if (frames < 0 || (frames == 0 && !is_last)) refuse("takes no frames");
    if (arc.first < scores || arc.first > static_cast<int64_t>(count)) refuse("has no scores");
    arc.language = Raw::number<float>(words, static_cast<size_t>(arc.first - 1));
    if (!std::isfinite(arc.language)) refuse("has a score that is not finite");
    if (frames > 0) {
      const auto first = static_cast<size_t>(arc.first);
      const size_t end = ends[first];
      if (end == 0) refuse("has no last unit");
      arc.count = static_cast<int64_t>(end - first);
      arc.pause = frames - (before[end] - before[first]);
      if (arc.pause < 0 || (arc.pause > 0 && !arc.ends_in_pause))
        refuse("does not take as many frames as its units");
      // units of no frames stand between words only
      if (arc.count > 2 * frames + 2) refuse("has more units than frames can be divided among");
    } else {
      arc.ends_in_pause = false;
    }
    l.arcs.push_back(arc);
  }
  if (l.arcs.empty()) from.refuse("it has no arcs");
  return l;
}

}  // namespace cantik
