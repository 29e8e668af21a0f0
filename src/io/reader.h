// Reader: the sequences of a source one by one, sweep after sweep, up to its end. What minibatches are made
// of.
#pragma once

#include <memory>

#include "io/chunk_cache.h"
#include "io/order.h"

namespace cantik {

class Reader {
 public:
  Reader(DeserializerPtr data, const SourceOptions& options);

  struct Next {
    const SequenceInfo* info = nullptr;
    bool sweep_end = false;  // the last of a sweep
  };
  bool at_end();             // nothing comes any more
  const Next& peek();        // the next sequence; not at the end
  void skip() { ++place_; }  // it is dealt with
  // Whether it is the share of one of several workers: by its place in the order of the file, by the place of
  // its chunk in a random one.
  bool is_share(const Next& next, int64_t partitions, int64_t partition) const;
  ChunkPtr chunk_of(const SequenceInfo& info);

  Deserializer& data() const { return *data_; }
  // in samples, of all sweeps
  int64_t position() const {
    return sweep_start_ + (order_ ? order_->start[static_cast<size_t>(place_)] : 0);
  }
  void seek(int64_t position);  // to the first sequence that begins there or later
  bool is_infinite() const { return limit_ == MinibatchRequest::kUnlimited; }
  // Where it stands, to go back there.
  struct Place {
    std::shared_ptr<const Order> order;
    int64_t sweep, sweep_start, place, run;
  };
  Place place() const { return {order_, sweep_, sweep_start_, place_, run_}; }
  void go_back(const Place& p) {
    order_ = p.order;
    sweep_ = p.sweep, sweep_start_ = p.sweep_start, place_ = p.place, run_ = p.run;
  }

 private:
  void enter(int64_t sweep);
  DeserializerPtr data_;
  SourceOptions options_;
  ChunkCache cache_;
  std::shared_ptr<const Order> order_;  // of the sweep
  int64_t sweep_samples_ = 0, sweep_ = -1, sweep_start_ = 0, place_ = 0, run_ = 0,
          limit_ = MinibatchRequest::kUnlimited;
  Next next_;
};

}  // namespace cantik
