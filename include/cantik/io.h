// Data sources: samples and sequences from files, a minibatch at a time.
//
//   CtfStream query{.name = "query", .field = "S0", .dim = 943, .sparse = true};
//   CtfStream slots{.name = "slots", .field = "S2", .dim = 129, .sparse = true};
//   SourcePtr source = minibatch_source({ctf("train.ctf", {query, slots})});
//   while (Minibatch m = source->next({.samples = 70}))
//     trainer.train_minibatch(m.feeds({{x, "query"}, {y, "slots"}}));
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cantik/api.h>
#include <cantik/deserializer.h>
#include <cantik/function.h>
#include <cantik/stateful.h>
#include <cantik/value.h>

namespace cantik {

// Which input of a network gets which stream.
using InputStreams = std::vector<std::pair<Variable, std::string>>;

// One minibatch, a value for each stream: rows side by side, with the lengths of the sequences in the layout.
// Streams whose sequences have the same lengths share one layout. False where the source has come to its end.
struct CANTIK_API Minibatch {
  std::shared_ptr<const std::vector<Stream>> streams;  // what each value is
  std::vector<Value> values;                           // by Stream::id
  bool sweep_end = false;                              // a sweep over the data ends in it
  // By Stream::id: whether sequences may have several steps, also where all of these have one.
  std::vector<bool> has_steps = {};

  // Whether it holds data; false at the end of the source.
  explicit operator bool() const { return !values.empty(); }
  const Value& operator[](std::string_view stream) const;  // a KeyError names the streams that are there
  // How many sequences, or samples, the first stream has in it.
  int64_t sequences() const {
    return values.empty() || !values[0].layout ? 0 : values[0].layout->sequences();
  }
  // Its values as the inputs' types want them: sequences of one step as samples for an input without a
  // sequence axis, sparse rows densely for a dense one.
  Feeds feeds(const InputStreams& inputs) const;
};

// How much a minibatch is to hold. Sequences are taken in order while none of the counts is passed, at least
// one.
struct MinibatchRequest {
  // A count that is not limited.
  static constexpr int64_t kUnlimited = INT64_MAX;
  // of the stream that defines the size, otherwise of each sequence's longest stream
  int64_t samples = kUnlimited;
  int64_t sequences = kUnlimited;  // of the first stream
  // the share of one of several workers, whose requests are all the same
  int64_t partitions = 1, partition = 0;
  // A minibatch ends with the sweep at the latest. Parts of sequences go on into the next sweep all the same.
  bool within_sweep = false;
};

// Where minibatches come from. Its state is its position in the data: a restored source goes on with the
// minibatches that the saved one would have gone on with.
struct CANTIK_API Source : Stateful {
  // The streams, each at the place of its id.
  virtual const std::vector<Stream>& streams() const = 0;
  // The next minibatch. Data that cannot be read are a RuntimeError with the place in the file.
  virtual Minibatch next(const MinibatchRequest& request) = 0;
  // Whether the data never end.
  virtual bool is_infinite() const { return false; }
  // Goes on where the workers of a training were, with each one's state, in the order of ranks, as one of
  // another number of workers: together they bring what nobody has taken yet. By itself the first state is
  // taken for that of all.
  virtual void restore_from_workers(std::span<const Dictionary> states, int64_t partitions,
                                    int64_t partition) {
    (void)partitions, (void)partition;
    restore(states.front());
  }
  // How many such minibatches the sweep has from its beginning, where it is known before the data are read.
  virtual std::optional<int64_t> minibatches_of_sweep(const MinibatchRequest&) { return std::nullopt; }
  // What was odd in the data but no error, each kind once, with its place; told once.
  virtual std::vector<std::string> take_warnings() { return {}; }
};
// How sources are handed on.
using SourcePtr = std::shared_ptr<Source>;

// A stream of a file in CNTK's text format.
struct CtfStream {
  std::string name = {};      // in the source
  std::string field = {};     // what stands behind the | of its samples
  int64_t dim = 1;            // numbers of a sample
  bool sparse = false;        // only what is not zero is written
  bool defines_size = false;  // minibatches are counted in its samples
};

// How a file in CNTK's text format is read.
struct CtfOptions {
  int64_t chunk_bytes = 32 << 20;  // of text, read at a time
  bool skip_sequence_ids = false;  // every line is a sequence of its own
  // So many damaged samples are left out, with a warning; the next one is an error. So is a sequence that has
  // lost all its samples of a stream.
  int64_t max_errors = 0;
  // The index is kept in a file beside the text, and taken from there as long as it fits the text.
  bool cache_index = false;
};

// A file in CNTK's text format; docs/reference/text_format.md says what is in it. Opens and indexes the file.
CANTIK_API DeserializerPtr ctf(const std::string& path, std::vector<CtfStream> streams,
                               const CtfOptions& options = {});

// Writes the sequences of the data, joined as minibatch_source joins them, as a file in CNTK's text format.
// The numbers are the shortest that are read back as the same ones. The file is there when it is complete.
CANTIK_API void write_ctf(const std::string& path, std::vector<DeserializerPtr> data);

// The order in which a source brings its data, and where it ends.
struct SourceOptions {
  bool randomize = true;        // sequences come in a random order
  uint64_t seed = 0;            // of sweep 0; sweep k has the order of sweep 0 with seed + k
  int64_t window_chunks = 128;  // sequences change places within so many chunks
  int64_t window_samples = 0;   // or within so many samples; then window_chunks is not used
  // it ends where the next sequence would begin at or after this sample
  std::optional<int64_t> max_samples = {};
  std::optional<int64_t> max_sweeps = {};  // it ends after so many sweeps
  // Sequences come in parts of so many steps, minibatches of parts that lie side by side; Layout::continues
  // says which go on.
  int64_t truncation_length = 0;
  // Several workers share out sequences one by one, and each reads all chunks. By itself a random order is
  // shared out by chunks, as CNTK does: each worker reads its own, and may have none.
  bool balanced_shares = false;
  bool frame_mode = false;  // every sequence is one sample; those of speech are cut, others are an error
  // data of several sweeps that take no more than this are kept once they have been read; of others, what the
  // window needs
  int64_t cache_bytes = int64_t{1} << 30;
  // Chunks are read ahead, on a thread of the source's own, and several at once where the data allow it. The
  // minibatches are the same.
  bool multithreaded = true;
};

// A source over one deserializer, or over several whose sequences are joined by their keys: the first says
// which sequences there are and in which order, those that another one lacks are left out. A joined
// deserializer without an index is read through once, and its sequences have the keys 0, 1, ...
CANTIK_API SourcePtr minibatch_source(std::vector<DeserializerPtr> deserializers,
                                      const SourceOptions& options = {});

}  // namespace cantik
