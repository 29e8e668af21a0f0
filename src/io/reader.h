// Reader: the sequences of a source one by one, sweep after sweep, up to its end. What minibatches are made
// of.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/timeline.h"

namespace cantik {

class Reader {
 public:
  Reader(DeserializerPtr data, const SourceOptions& options);

  struct Next {
    SequenceInfo info;
    bool is_share = true;    // of this worker
    bool sweep_end = false;  // the last of a sweep
  };
  // Which of several workers asks from now on.
  void set_share(const Share& share);
  bool at_end();                // nothing comes any more
  const Next& peek();           // the next sequence; not at the end
  void skip() { ++at_.place; }  // it is dealt with
  ChunkPtr chunk_of(const SequenceInfo& info);
  // Those of several sequences of one sweep, read on several threads if the data allow it.
  bool is_concurrent() const { return data_->is_concurrent(); }
  std::vector<ChunkPtr> chunks_of(std::span<const SequenceInfo> infos, int64_t sweep);

  // Has chunks of the sequences that follow read ahead, if that is wanted: as many as the last sequences that
  // were asked for together have, at least one.
  void read_ahead();

  const Deserializer& data() const { return *data_; }
  void take_warnings(std::vector<std::string>& into) { loader_.take_warnings(into); }
  Timeline& timeline() const { return *timeline_; }
  int64_t sweep() const { return at_.stretch ? at_.stretch->sweep() : 0; }
  bool is_infinite() const { return is_infinite_; }

  // Where it stands, to go back there.
  const Timeline::Place& place() const { return at_; }
  void go_back(const Timeline::Place& place);
  // To the first sequence of the sweep where it stands, of data whose stretches are sweeps.
  void rewind_sweep();

 private:
  bool settle();
  void forget();  // what is read ahead
  StretchPtr after(const StretchPtr& stretch);
  DeserializerPtr data_;
  ChunkLoader loader_;
  ChunkCache cache_;
  std::unique_ptr<Timeline> timeline_;
  Timeline::Place at_;
  Timeline::Place seen_;       // up to here chunks are expected
  StretchPtr last_, next_of_;  // a stretch, and the one that follows it
  size_t depth_ = 1;           // chunks that are read ahead
  Share share_;
  bool is_infinite_;
  Next next_;
};

}  // namespace cantik
