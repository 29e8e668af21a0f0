// The built-in source: limits, minibatches of whole sequences or of parts of them, its state.
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/slots.h"

namespace cantik {
namespace {

constexpr int64_t kWorkPerTakenSequence = 20;

constexpr const char* kSlots = "truncatedSequences";

void check(const SourceOptions& o) {
  if (o.max_samples && o.max_sweeps)
    throw runtime_error(
        "MinibatchSourceConfig: max samples and max sweeps are mutually exclusive options "
        "and cannot have non-default values at the same time.");
  if (o.truncation_length > 0 && o.frame_mode)
    throw runtime_error("MinibatchSourceConfig: truncation and frame mode are mutually exclusive options.");
  if (o.truncation_length < 0)
    throw value_error(cat("truncation_length must be at least 0, and is ", o.truncation_length));
  if (o.randomize && o.window_samples <= 0 && o.window_chunks < 1)
    throw value_error(cat("the window for the random order is empty: window_chunks is ", o.window_chunks,
                          " and window_samples is ", o.window_samples))
        .remedy("give a window of at least 1 chunk or sample, or set randomize to false");
  if ((o.max_samples && *o.max_samples < 0) || (o.max_sweeps && *o.max_sweeps < 0))
    throw value_error(cat("max_samples and max_sweeps must not be negative, and are ",
                          o.max_samples.value_or(0), " and ", o.max_sweeps.value_or(0)));
}

class ReadSource final : public Source {
 public:
  ReadSource(DeserializerPtr data, const SourceOptions& options)
      : options_(options),
        streams_(std::make_shared<const std::vector<Stream>>(numbered(data->streams()))),
        has_steps_(streams_->size()),
        leaves_out_(data->may_leave_out()),
        reader_(std::move(data), options),
        slots_(options.truncation_length) {
    for (const Stream& s : *streams_) {
      left_ = std::max(left_, s.left);
      right_ = std::max(right_, s.right);
    }
    has_neighbours_ = options.frame_mode && left_ + right_ > 0;
  }

  const std::vector<Stream>& streams() const override { return *streams_; }
  bool is_infinite() const override { return reader_.is_infinite(); }

  Minibatch next(const MinibatchRequest& q) override {
    const int64_t share = share_of(q);
    if (std::min(q.samples, q.sequences) == MinibatchRequest::kUnlimited && !q.within_sweep && is_infinite())
      throw value_error("a minibatch of all that a source without an end gives was asked for")
          .remedy("ask for so many samples or sequences, or within_sweep, or give the source max_sweeps");
    const Timeline::Place before = reader_.place();
    const Slots slots = slots_;
    try {
      reader_.set_share({q.partitions, q.partition});
      Minibatch m = needed_for([&] { return "a minibatch of " + reader_.data().name(); },
                               [&] { return taken(q, share); });
      reader_.read_ahead();
      return m;
    } catch (...) {  // nothing has been taken
      reader_.go_back(before);
      slots_ = slots;
      throw;
    }
  }

  std::optional<int64_t> minibatches_of_sweep(const MinibatchRequest& asked) override {
    MinibatchRequest q = asked;
    q.within_sweep = true;
    const int64_t share = share_of(q);
    if (options_.truncation_length > 0 || !reader_.data().index()) return std::nullopt;
    if (reader_.at_end()) return std::nullopt;  // else it stands at a sequence
    const Timeline::Place before = reader_.place();
    struct Return {
      Reader& reader;
      const Timeline::Place& place;
      ~Return() { reader.go_back(place); }
    } back{reader_, before};
    reader_.set_share({q.partitions, q.partition});
    reader_.rewind_sweep();
    int64_t count = 0;
    for (bool ended = false; !ended && !reader_.at_end();)
      if (walk(q, share, ended, [](const Reader::Next&) {}) > 0) ++count;
    return count;
  }

  Dictionary state() const override {
    Dictionary d;
    reader_.timeline().describe(reader_.place(), d);
    if (options_.truncation_length > 0) d[kSlots] = slots_.state(reader_.timeline());
    return d;
  }

  void restore(const Dictionary& d) override {
    reader_.go_back(reader_.timeline().find(d));
    slots_.clear();
    if (const DictionaryValue* slots = d.find(kSlots); slots && options_.truncation_length > 0)
      slots_.restore(slots->as<DictionaryVector>(), reader_, Slots::Neighbours::same);
  }

  // Sequences in parts that have begun go on in the slots of all workers, dealt out anew.
  void restore_from_workers(std::span<const Dictionary> states, int64_t partitions,
                            int64_t partition) override {
    if (states.empty()) throw value_error("there are no states of workers to go on from");
    const Share share{partitions, partition};
    reader_.go_back(reader_.timeline().find_first(states, share));
    reader_.set_share(share);
    slots_.clear();
    if (options_.truncation_length == 0) return;
    DictionaryVector own;
    int64_t seen = 0;
    for (const Dictionary& state : states) {
      const DictionaryValue* slots = state.find(kSlots);
      if (!slots) continue;
      for (const DictionaryValue& slot : slots->as<DictionaryVector>()) {
        if (slot.as<DictionaryVector>().empty() || seen++ % partitions != partition) continue;
        own.push_back(slot);
      }
    }
    slots_.restore(own, reader_, Slots::Neighbours::others);
  }

  std::vector<std::string> take_warnings() override {
    std::vector<std::string> all;
    reader_.take_warnings(all);
    return all;
  }

 private:
  Minibatch taken(const MinibatchRequest& q, int64_t share) {
    Minibatch m;
    std::vector<SequencePart> parts;
    if (int64_t length = options_.truncation_length; length > 0) {
      const int64_t slots = std::max<int64_t>(1, std::min(share / length, q.sequences));
      parts = slots_.next(reader_, slots, m.sweep_end);
    } else {
      do parts = whole(q, share, m.sweep_end);
      while (parts.empty() && leaves_out_ && !(q.within_sweep && m.sweep_end) && !reader_.at_end());
    }
    if (parts.empty()) return {};
    m.streams = streams_;
    for (size_t s = 0; s < streams_->size(); ++s)
      for (const SequencePart& p : parts)
        if (has_steps((*p.chunk)[s])) {
          has_steps_[s] = true;
          break;
        }
    m.has_steps = has_steps_;
    m.values = batch_of(*streams_, parts, options_.truncation_length > 0);
    return m;
  }

  // Sequences that are left out make no steps of samples.
  bool has_steps(const Value& v) const {
    if (v.layout->is_batch()) return false;
    if (!leaves_out_) return true;
    for (int64_t i = 0; i < v.layout->sequences(); ++i)
      if (steps_of(v, i) > 1) return true;
    return false;
  }

  // How many samples this worker takes; the remainder goes to the first ones.
  static int64_t share_of(const MinibatchRequest& q) {
    if (q.samples < 1 || q.sequences < 1)
      throw value_error("GetNextMinibatch: Requested minibatch size must be > 0.");
    if (q.partitions < 1 || q.partition < 0 || q.partition >= q.partitions)
      throw value_error(
          cat("partition must be from 0 to partitions - 1 = ", q.partitions - 1, ", and is ", q.partition));
    if (q.samples == MinibatchRequest::kUnlimited) return q.samples;
    return std::max<int64_t>(1, q.samples / q.partitions + (q.partition < q.samples % q.partitions));
  }

  // Goes over sequences while none of the counts is passed, at least one, and calls `take` for them. Those of
  // other workers are passed over and not counted. Returns how many it has taken.
  template <class Take>
  int64_t walk(const MinibatchRequest& q, int64_t share, bool& sweep_end, Take&& take) {
    int64_t samples = 0, taken = 0;
    const int64_t last_sweep = reader_.sweep() + 1;  // behind it the worker has no share
    for (bool ended = false; !ended; reader_.skip()) {
      may_end(kWorkPerTakenSequence);
      const bool full = samples == share || taken == q.sequences;
      // in a random order, the others' that follow are passed over at once
      if (full && (q.partitions == 1 || !options_.randomize)) break;
      if (reader_.at_end()) break;
      const Reader::Next& next = reader_.peek();
      if (next.is_share && (full || (taken > 0 && next.info.samples > share - samples))) break;
      if (!next.is_share && taken == 0 && reader_.sweep() > last_sweep) break;
      sweep_end |= next.sweep_end;
      ended = q.within_sweep && next.sweep_end && (next.is_share || taken > 0);
      if (!next.is_share) continue;
      samples += std::min(next.info.samples, share - samples);
      ++taken;
      take(next);
    }
    return taken;
  }

  std::vector<SequencePart> whole(const MinibatchRequest& q, int64_t share, bool& sweep_end) {
    std::vector<SequencePart> parts;
    std::vector<SequenceInfo> wanted;  // parts to come, of one sweep
    std::vector<SequenceInfo> frames;
    int64_t sweep = 0, chunk = -1;
    walk(q, share, sweep_end, [&](const Reader::Next& next) {
      if (has_neighbours_) frames.push_back(next.info);
      if (!reader_.is_concurrent()) {
        // Most sequences lie in the chunk of the last one.
        const bool is_same = !parts.empty() && next.info.chunk == chunk && reader_.sweep() == sweep;
        parts.push_back({is_same ? parts.back().chunk : reader_.chunk_of(next.info), next.info.in_chunk});
        chunk = next.info.chunk;
        sweep = reader_.sweep();
        return;
      }
      if (!wanted.empty() && reader_.sweep() != sweep) load(wanted, sweep, parts);
      sweep = reader_.sweep();
      wanted.push_back(next.info);
    });
    if (!wanted.empty()) load(wanted, sweep, parts);
    if (has_neighbours_) find_neighbours(parts, frames);
    if (leaves_out_)
      std::erase_if(parts, [](const SequencePart& p) { return is_without_steps(*p.chunk, p.in_chunk); });
    return parts;
  }

  // Frames of an utterance have its key, and lie side by side.
  void find_neighbours(std::vector<SequencePart>& parts, const std::vector<SequenceInfo>& frames) const {
    const SequenceIndex& index = *reader_.data().index();
    for (size_t i = 0; i < parts.size(); ++i) {
      const SequenceInfo& frame = frames[i];
      const auto [first, last] = index.of_chunk(frame.chunk);
      const size_t at = first + static_cast<size_t>(frame.in_chunk);
      const int64_t in_front = std::min<int64_t>(left_, frame.in_chunk),
                    behind = std::min<int64_t>(right_, static_cast<int64_t>(last - at) - 1);
      SequencePart& p = parts[i];
      while (p.before < in_front && index.key(at - static_cast<size_t>(p.before) - 1) == frame.key)
        ++p.before;
      while (p.after < behind && index.key(at + static_cast<size_t>(p.after) + 1) == frame.key) ++p.after;
    }
  }

  // Together, on several threads.
  void load(std::vector<SequenceInfo>& wanted, int64_t sweep, std::vector<SequencePart>& parts) {
    const std::vector<ChunkPtr> chunks = reader_.chunks_of(wanted, sweep);
    for (size_t i = 0; i < wanted.size(); ++i) parts.push_back({chunks[i], wanted[i].in_chunk});
    wanted.clear();
  }

  SourceOptions options_;
  std::shared_ptr<const std::vector<Stream>> streams_;
  std::vector<bool> has_steps_;  // so far
  bool leaves_out_;
  Reader reader_;
  Slots slots_;
  int64_t left_ = 0, right_ = 0;  // the most samples that stand beside one
  bool has_neighbours_ = false;   // frames are sequences, beside which others stand
};

// A value's rows under the type of an input.
Value fitted(const Variable& input, const Value& v, const std::string& stream) {
  const Type& type = input.type();
  Tensor data = v.data;
  if (data.is_sparse() && type.storage == Storage::dense) data = data.to_dense();
  if (!data.is_sparse() && type.storage == Storage::csr)
    throw value_error(cat("Dense input data supplied for sparse input Variable '", input.text(), "'."))
        .line("stream", stream);
  const Shape& s = data.shape();
  if (!(s.sub(1, s.rank()) == type.shape)) {
    if (!type.shape.is_known() || s.sub(1, s.rank()).elements() != type.shape.elements())
      throw shape_error(cat("the stream's samples have the shape ", s.sub(1, s.rank()).text(),
                            ", but the input has the shape ", type.shape.text()))
          .node(input.text())
          .line("stream", stream);
    data = data.reshape(Shape{s[0]} + type.shape);
  }
  if (type.axes.has_sequence()) return {data, v.layout};
  if (!type.axes.has_batch())
    throw value_error("the input has no batch axis, and cannot take a minibatch")
        .node(input.text())
        .line("stream", stream);
  for (size_t i = 0; i + 1 < v.layout->offsets().size(); ++i)
    if (int64_t n = v.layout->offsets()[i + 1] - v.layout->offsets()[i]; n != 1)
      throw value_error(
          cat("sequence ", i, " of the minibatch has ", n, " steps, but the input has no sequence axis"))
          .node(input.text())
          .line("stream", stream)
          .remedy("declare the input with sequence.input_variable");
  return {data, Layout::batch(v.layout->sequences())};
}

}  // namespace

const Value& Minibatch::operator[](std::string_view stream) const {
  if (streams)
    for (const Stream& s : *streams)
      if (s.name == stream) return values[s.id];
  throw key_error(cat("the minibatch has no stream ", stream))
      .line("streams", streams ? join(*streams, ", ", [](const Stream& s) { return s.name; })
                               : "none: the source has come to its end");
}

Feeds Minibatch::feeds(const InputStreams& inputs) const {
  Feeds all;
  for (const auto& [input, stream] : inputs) all.emplace_back(input, fitted(input, (*this)[stream], stream));
  return all;
}

SourcePtr minibatch_source(std::vector<DeserializerPtr> deserializers, const SourceOptions& options) {
  check(options);
  if (deserializers.empty())
    throw value_error("Could not find deserializers in the reader config.").remedy("give at least one");
  for (const DeserializerPtr& d : deserializers)
    if (!d)
      throw value_error("one of the deserializers is a null pointer")
          .remedy("give what ctf returns, or a Deserializer of your own");
  for (const Stream& s : deserializers[0]->streams())
    if (s.broadcast)
      throw value_error(cat("Cannot expand utterances of the primary stream ", s.name,
                            ", please change your configuration."));
  DeserializerPtr data =
      deserializers.size() == 1 ? deserializers[0] : joined(deserializers, options.cache_bytes);
  if (options.frame_mode && data->has_frames()) data = frames_of(std::move(data));
  return std::make_shared<ReadSource>(std::move(data), options);
}

}  // namespace cantik
