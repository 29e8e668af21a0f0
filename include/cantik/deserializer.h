// Deserializer: data cut into chunks that are read as they are needed. A file format is one; a program
// derives from it to bring data of its own, and gets order, windows, joining, truncation and checkpoints from
// the source.
//
//   class Halves final : public Deserializer {
//    public:
//     const std::vector<Stream>& streams() const override { return streams_; }
//     int64_t chunks() const override { return 10; }
//     Chunk load(int64_t chunk) override {  // 100 samples of one number
//       Tensor x(DType::float32, {100, 1});
//       for (int64_t i = 0; i < 100; ++i) x.data<float>()[i] = 0.5f * static_cast<float>(100 * chunk + i);
//       return {Value::batch(x)};
//     }
//
//    private:
//     std::vector<Stream> streams_{{.name = "x", .shape = {1}}};
//   };
//   SourcePtr source = minibatch_source({std::make_shared<Halves>()});
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <cantik/api.h>
#include <cantik/dtype.h>
#include <cantik/sequence_index.h>
#include <cantik/shape.h>
#include <cantik/tensor.h>
#include <cantik/value.h>

namespace cantik {

// What one of the streams of a source brings in each minibatch.
struct Stream {
  std::string name = {};             // by which programs ask for it
  int64_t id = 0;                    // its place in the source, and in its minibatches
  Storage storage = Storage::dense;  // dense, or sparse rows
  DType dtype = DType::float32;      // of its numbers
  Shape shape = {};                  // of a sample
  bool defines_size = false;         // minibatches are counted in its samples
  // the one sample of a sequence is repeated for each step of the sequence it is joined with
  bool broadcast = false;
  // So many samples of its sequence stand beside each one in minibatches, the outermost again beyond an end.
  // Chunks have the samples alone: [rows, shape[0] / (left + 1 + right)], dense.
  int64_t left = 0, right = 0;
};

// The sequences of a chunk, side by side: a value for each stream, [rows, shape...], whose layout says where
// each sequence begins; a layout without a sequence axis means sequences of one step. Samples of a dense
// stream may be there as sparse rows, those of a dense one of float32 also as int16, which takes half of the
// memory. All streams have as many sequences.
using Chunk = std::vector<Value>;

// Brings chunks. A source calls it on one thread at a time, unless it allows more.
class CANTIK_API Deserializer {
 public:
  virtual ~Deserializer() = default;

  // What it brings. Their ids are given by the source.
  virtual const std::vector<Stream>& streams() const = 0;
  // How many chunks there are.
  virtual int64_t chunks() const = 0;
  // Reads a chunk, from 0 on. Data that cannot be read are a RuntimeError with the place.
  virtual Chunk load(int64_t chunk) = 0;
  // All sequences, chunk after chunk, where they are known before the chunks are read; otherwise null. With
  // an index a random order exchanges sequences within a window around each one, as CNTK does for files;
  // without one the window moves on by its whole width, as CNTK does for a UserDeserializer.
  virtual const SequenceIndex* index() const { return nullptr; }
  // Chunks that random orders, their windows and the shares of workers take as one: the first chunk of each
  // such group, from 0 on. Empty: every chunk stands by itself.
  virtual std::vector<int64_t> groups() const { return {}; }
  // Whether frame mode cuts its sequences into samples, as those of speech; otherwise a sequence of several
  // samples is an error there.
  virtual bool has_frames() const { return false; }
  // A sweep over the data begins, from 0 on; what is loaded until the next one belongs to it. Data that are
  // changed at random take its number into their seed.
  virtual void begin_sweep(int64_t) {}
  // Whether a chunk may be another one in each sweep. It is then read again; otherwise it may be kept.
  virtual bool changes() const { return index() == nullptr; }
  // Whether sequences that `load` gives without any steps in a stream are left out of minibatches: what is
  // damaged, and was not known to be when the index was made.
  virtual bool may_leave_out() const { return false; }
  // Whether `load` may be called on several threads at once.
  virtual bool is_concurrent() const { return false; }
  // Whether a source may call `load` and `take_warnings` on a thread of its own, to read ahead; still one
  // call at a time unless is_concurrent(). For that it needs an index.
  virtual bool may_read_ahead() const { return is_concurrent(); }
  // Whether a thread that reads ahead may be left behind in `load` when its source goes, because a drive does
  // not answer. It holds the deserializer; `load` must use nothing that goes before.
  virtual bool may_be_left() const { return false; }
  // What errors call it.
  virtual std::string name() const { return "a deserializer of the program"; }
  // What was odd in the data but no error, each kind once; told once.
  virtual std::vector<std::string> take_warnings() { return {}; }
};

// How deserializers are handed on.
using DeserializerPtr = std::shared_ptr<Deserializer>;

}  // namespace cantik
