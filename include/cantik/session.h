// Session: a model fed as its input comes, a step or a few at a time. What recurrences carry is kept between
// calls, so the results are those of whole sequences, bit for bit.
//
//   Session s(model, 3);                        // three streams, each in a state of its own
//   Tensor y = s.step(x);                       // x, y: [3, shape...], a step of each
//   s.run({{input, Value::sequences(parts)}});  // a few steps of each, as many as there are
//   s.step(x, {0, 2});                          // x: [2, shape...], of streams 0 and 2; stream 1 waits
//   s.reset(1);                                 // stream 1 begins anew
//   s.select({0, 0, 2});                        // two streams go on where 0 was: hypotheses of a search
//   Session other = s;                          // and all of it once more, cheaply
//
// Models that look ahead (future_value, a recurrence that goes backwards) or at whole sequences
// (sequence.last, a sum or a softmax over the steps) are refused by name. A session is used by one thread at
// a time; sessions of one model run side by side.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <cantik/function.h>

namespace cantik {

namespace runtime {
class Streams;
}

// A model and the states of its streams. Copies share the model and have states of their own.
class CANTIK_API Session {
 public:
  // Streams that begin. `outputs`: the outputs wanted; empty: those of the model. A model that looks ahead is
  // an error that names the function.
  explicit Session(const Function& model, int64_t streams = 1, const std::vector<Variable>& outputs = {});
  Session(const Session& other);
  Session& operator=(const Session& other);
  Session(Session&&) noexcept;
  // Takes over the states of another session.
  Session& operator=(Session&&) noexcept;
  ~Session();

  // How many streams there are.
  int64_t streams() const;
  // The model.
  const Function& model() const;
  // The outputs that each run gives.
  const std::vector<Variable>& outputs() const;
  // The inputs that each run reads.
  const std::vector<Variable>& inputs() const;
  // A value for each output. `of`: the streams that the sequences, or the rows of a batch, belong to, in this
  // order; empty: all. Where a run fails, no state has changed.
  std::vector<Value> run(const Feeds& feeds, const std::vector<int64_t>& of = {},
                         const RunOptions& options = {});
  // The same with a value for each of inputs(), in their order. Layouts of sequences become those of the
  // streams' parts.
  std::vector<Value> run_in_order(std::span<Value> values, const std::vector<int64_t>& of = {},
                                  const RunOptions& options = {});
  // The layout of one step of each of so many streams; made once.
  std::shared_ptr<const Layout> one_step(int64_t streams);
  // One step of each, of a model with one input and one output: [streams, shape...] in and out.
  Tensor step(const Tensor& x, const std::vector<int64_t>& of = {}, const RunOptions& options = {});

  // Every stream begins anew, or one of them.
  void reset();
  void reset(int64_t stream);
  // Stream i goes on where stream from[i] was; -1: it begins. There are as many as the list has.
  void select(const std::vector<int64_t>& from);

 private:
  std::unique_ptr<runtime::Streams> streams_;
};

}  // namespace cantik
