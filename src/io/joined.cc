// Several deserializers as one: sequences with the same id are one sequence with all the streams. The first
// one says which sequences there are, in which order and in which chunks.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "io/batch.h"
#include "io/chunk_cache.h"

namespace cantik {
namespace {

constexpr int64_t kWorkPerJoinedSequence = 200;

class Joined final : public Deserializer {
 public:
  Joined(std::vector<DeserializerPtr> parts, int64_t cache_bytes) {
    for (DeserializerPtr& p : parts) p = indexed(std::move(p));
    std::vector<size_t> part_of;
    for (size_t p = 0; p < parts.size(); ++p)
      for (const Stream& s : parts[p]->streams()) {
        streams_.push_back(s);
        part_of.push_back(p);
      }
    streams_ = numbered(std::move(streams_));
    int64_t counted = counted_stream(streams_);
    // A place in each part for every sequence of the first that all of them have.
    std::vector<std::unordered_map<uint64_t, int64_t>> places(parts.size());
    for (size_t p = 1; p < parts.size(); ++p) {
      const auto& all = *parts[p]->index();
      for (size_t i = 0; i < all.size(); ++i) {
        may_end(kWorkPerJoinedSequence);
        places[p].try_emplace(all.key(i), static_cast<int64_t>(i));
      }
    }
    const auto& first = *parts[0]->index();
    std::vector<int64_t> at(parts.size());
    int32_t last_chunk = -1;
    const std::vector<int64_t> groups = parts[0]->groups();
    std::ptrdiff_t last_group = -1;
    for (size_t i = 0; i < first.size(); ++i) {
      may_end(kWorkPerJoinedSequence);
      at[0] = static_cast<int64_t>(i);
      const SequenceInfo s = first[i];
      bool everywhere = true;
      for (size_t p = 1; p < parts.size() && everywhere; ++p) {
        auto found = places[p].find(s.key);
        everywhere = found != places[p].end();
        if (everywhere) at[p] = found->second;
      }
      if (!everywhere) {
        ++missing_;
        continue;
      }
      if (s.chunk != last_chunk) {
        const std::ptrdiff_t group = std::ranges::upper_bound(groups, s.chunk) - groups.begin();
        if (!groups.empty() && group != last_group)
          groups_.push_back(static_cast<int64_t>(chunk_first_.size()));
        last_group = group;
        chunk_first_.push_back(static_cast<int64_t>(sequences_.size()));
      }
      last_chunk = s.chunk;
      int64_t samples = 0;
      for (size_t p = 0; p < parts.size(); ++p)
        if (counted < 0 || part_of[counted] == p)
          samples = std::max(samples, parts[p]->index()->samples(static_cast<size_t>(at[p])));
      int64_t in_chunk = static_cast<int64_t>(sequences_.size()) - chunk_first_.back();
      sequences_.push_back(
          {s.key, samples, static_cast<int32_t>(chunk_first_.size() - 1), static_cast<int32_t>(in_chunk)});
      sources_.insert(sources_.end(), at.begin(), at.end());
    }
    if (sequences_.empty())
      throw runtime_error(
          "Could not reconcile data between different deserializers. Keys of logical sequences do not match.")
          .remedy("give the same sequences the same numbers in all files");
    chunk_first_.push_back(static_cast<int64_t>(sequences_.size()));
    for (const DeserializerPtr& p : parts) alone_.push_back(alone(p->streams()));
    parts_ = std::move(parts);
    for (const DeserializerPtr& p : parts_) caches_.emplace_back(*p, p->changes() ? 0 : cache_bytes);
  }

  const std::vector<Stream>& streams() const override { return streams_; }
  const SequenceIndex* index() const override { return &sequences_; }
  int64_t chunks() const override { return static_cast<int64_t>(chunk_first_.size()) - 1; }
  std::vector<int64_t> groups() const override { return groups_; }
  bool has_frames() const override { return parts_[0]->has_frames(); }
  std::string name() const override {
    return join(parts_, ", ", [](const DeserializerPtr& p) { return p->name(); });
  }
  void begin_sweep(int64_t sweep) override {
    for (ChunkCache& c : caches_) c.begin_sweep(sweep);
  }
  bool changes() const override {
    return std::ranges::any_of(parts_, [](const DeserializerPtr& p) { return p->changes(); });
  }
  bool may_read_ahead() const override {
    return std::ranges::all_of(parts_, [](const DeserializerPtr& p) { return p->may_read_ahead(); });
  }
  bool may_leave_out() const override {
    return std::ranges::any_of(parts_, [](const DeserializerPtr& p) { return p->may_leave_out(); });
  }
  bool may_be_left() const override {
    return std::ranges::all_of(parts_, [](const DeserializerPtr& p) { return p->may_be_left(); });
  }
  std::vector<std::string> take_warnings() override {
    std::vector<std::string> told;
    if (missing_ > 0)
      told.push_back(
          cat(missing_, " sequences of ", parts_[0]->name(), " are left out: another file lacks them"));
    missing_ = 0;
    for (const DeserializerPtr& p : parts_) cantik::take_warnings(*p, told);
    return told;
  }

  Chunk load(int64_t number) override {
    Chunk chunk;
    const int64_t begin = chunk_first_[number], end = chunk_first_[static_cast<size_t>(number) + 1];
    for (size_t p = 0; p < parts_.size(); ++p) {
      std::vector<SequencePart> list;
      for (int64_t i = begin; i < end; ++i) {
        may_end(kWorkPerJoinedSequence);
        const SequenceInfo s = (*parts_[p]->index())[sources_[static_cast<size_t>(i) * parts_.size() + p]];
        list.push_back({caches_[p].get(s.chunk, [](int64_t) { return false; }), s.in_chunk});
      }
      std::vector<Value> values = batch_of(alone_[p], list, false);
      for (size_t s = 0; s < values.size(); ++s) {
        Value& v = values[s];
        // Samples stay samples.
        if (std::ranges::all_of(list,
                                [s](const SequencePart& x) { return (*x.chunk)[s].layout->is_batch(); }))
          v.layout = Layout::batch(v.layout->sequences());
        chunk.push_back(streams_[chunk.size()].broadcast ? repeated(v, chunk[0], chunk.size())
                                                         : std::move(v));
      }
    }
    return chunk;
  }

 private:
  // The one sample of each sequence, for each step that the first stream has.
  Value repeated(const Value& v, const Value& first, size_t stream) const {
    const Tensor rows = v.data.to_dense();
    const int64_t row = rows.shape()[0] ? static_cast<int64_t>(rows.bytes()) / rows.shape()[0] : 0;
    Tensor data(rows.dtype(), Shape{first.layout->rows()} + chunk_shape(streams_[stream]));
    const char* from = static_cast<const char*>(rows.raw());
    char* to = static_cast<char*>(data.raw());
    for (int64_t i = 0; i < v.layout->sequences(); ++i) {
      if (const int64_t steps = steps_of(v, i); steps != 1)
        throw runtime_error(cat("Expanded stream should only contain sequences of length 1, a sequence of ",
                                streams_[stream].name, " has ", steps));
      for (int64_t t = 0; t < steps_of(first, i); ++t, to += row)
        std::memcpy(to, from + i * row, static_cast<size_t>(row));
    }
    return {std::move(data), first.layout};
  }

  std::vector<DeserializerPtr> parts_;
  std::vector<std::vector<Stream>> alone_;  // those of the parts
  std::vector<ChunkCache> caches_;
  std::vector<Stream> streams_;
  SequenceIndex sequences_;
  std::vector<int64_t> sources_;  // [sequences, parts]: its number in each part
  std::vector<int64_t> chunk_first_, groups_;
  int64_t missing_ = 0;
};

}  // namespace

DeserializerPtr joined(std::vector<DeserializerPtr> parts, int64_t cache_bytes) {
  return std::make_shared<Joined>(std::move(parts), cache_bytes);
}

}  // namespace cantik
