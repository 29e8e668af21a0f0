// Values of a file while it is read, and what rules in operators' files ask of them.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cantik/function.h>
#include <cantik/op/onnx.h>

#include "graph/operator.h"
#include "onnx/numbers.h"
#include "onnx/sizes.h"

namespace cantik::onnx {

// A sequence of tensors, which is never a value of a run: its tensors are known one by one, or lie one behind
// the other along the first axis of `stacked`. In the body of a loop that a run decides, the sequence that
// the round was given is not known; what the round adds is.
struct TensorList {
  std::vector<int> tensors;
  int stacked = -1;
  bool grows = false;  // behind what the round was given
};

// A value is a variable here, numbers that are known, or both; or a list.
struct ReadValue {
  Variable variable;
  std::shared_ptr<KnownNumbers> known;
  int32_t element = kFloat;            // ONNX's element type
  bool constant = false;               // no run changes it
  bool evaluated = false;              // `known` has been tried
  int64_t batch = CANTIK_ONNX_SYMBOL;  // what its batch axis is as a size, and its sequence axis
  int64_t steps = CANTIK_ONNX_SYMBOL;
  // The steps and the batch of sequences may be one axis for ONNX, of the size `batch`: then the batch alone.
  std::optional<int64_t> sequences;
  std::vector<int64_t> sizes;  // of the static axes, with symbols; empty: not asked yet
  int plain = -1, rows = -1;   // the same without dynamic axes, and with a batch
  int sequence = -1;           // the same as sequences of one length
  std::shared_ptr<const TensorList> list = nullptr;
};

class Values {
 public:
  explicit Values(ModelFolder place) : place_(std::move(place)) {}

  int add(ReadValue v);
  int add_known(KnownNumbers k, int32_t element);
  // The same of numbers that the file does not hold; count_made() counts them.
  int add_made(KnownNumbers k, int32_t element);
  ReadValue& at(cantik_value v, const char* what);
  int add_list(TensorList list);
  const TensorList* list(cantik_value v) const;  // null: it is a tensor, or not there

  // Numbers become a constant when a run needs them.
  const Variable& variable(int v);
  // The same in another element type.
  Variable variable_as(int v, DType dtype);
  // Numbers that no run changes, if they are few; null otherwise.
  const KnownNumbers* known(int v);
  std::vector<int64_t> dims(int v);  // with symbols
  void set_dims(int v, const std::vector<int64_t>& dims);
  bool rank_is_known(int v);
  int with_lead(int v, int lead);
  // The rows of sequences that are one axis for ONNX are a static axis.
  int with_axes_apart(int v);
  int reshape(int v, std::vector<int64_t> dims);
  // Numbers that a run computes as those of an element type of whole ones: without what is behind the point,
  // and without the bits above the type's width.
  int as_whole(int v, int32_t element);
  // The numbers of a value that no run changes.
  Tensor tensor(int v);
  // [steps, batch, ...] as sequences; `lengths` (-1: all the same): one for each.
  int to_sequence(int v, int lengths = -1);
  // The same with sizes of 1 repeated, also over a batch or the steps of a sequence.
  int expand(int v, const std::vector<int64_t>& dims);
  // Counts numbers that the file asks for, but does not hold: a few bytes must not fill the memory.
  void count_made(int64_t numbers);
  // Arithmetic is ONNX's, without CNTK's guards: 1 / 0 is infinite.
  bool exact = false;
  // A batch that becomes a static axis stays open, also where its size is known.
  bool open_batches = false;
  // While the body of a loop is read, the steps of sequences are no axis.
  bool in_steps = false;
  int lead(int v);
  int call(const std::string& op, const std::vector<int>& in, const std::vector<NamedAttribute>& attributes);
  std::vector<int> call_all(const std::string& op, const std::vector<int>& in,
                            const std::vector<NamedAttribute>& attributes);
  int64_t new_symbol() { return sizes_.new_symbol(); }
  SizeAlgebra& sizes() { return sizes_; }
  // -1 among `to` as what the other sizes leave of `from`.
  std::vector<int64_t> resolved(std::vector<int64_t> to, const std::vector<int64_t>& from);
  // The size behind a symbol as a number that a run computes, without axes.
  int size(int64_t symbol);
  // While it lives, a graph inside of a node is read whose values share no axis with those outside.
  class Inside {
   public:
    explicit Inside(Values& values) : values_(values), first_(values.values_.size()) { exchange(); }
    ~Inside() { exchange(); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    void exchange() {
      std::swap(outside_, values_.whole_sequences_);
      std::swap(run_sizes_, values_.run_sizes_);
      std::swap(first_, values_.first_inside_);
    }
    Values& values_;
    size_t first_;
    std::map<std::pair<int64_t, int64_t>, int> outside_;
    std::map<int64_t, int> run_sizes_;
  };
  const ModelFolder& place() const { return place_; }

 private:
  void join_steps(std::vector<int>& in);
  std::vector<int> on_same_rows(std::vector<int> in);
  // The steps and the batch as one axis, and the way back.
  int rows_of_sequences(int v);
  int sequences_of_rows(int v);
  int reshape_static(int v, std::vector<int64_t> to, size_t leading);
  int on_common_axis(int v);
  // Whether it is the size of some batch axis.
  bool is_batch(int64_t size) const;
  // The operator that computes what ONNX says.
  const Operator& counterpart(const Operator& op) const;
  // The element type in which an operator takes whole numbers; unknown: each in its own.
  DType common_type(const std::vector<int>& in);

  ModelFolder place_;
  std::deque<ReadValue> values_;
  int64_t made_ = 0;  // what count_made() has counted
  // Sequences whose lengths are all the same, by steps and batch: they share one axis.
  std::map<std::pair<int64_t, int64_t>, int> whole_sequences_;
  std::map<std::pair<int, DType>, Variable> constants_;  // of known numbers
  // Known numbers with symbols among them, as a run computes them.
  Variable computed_numbers(const KnownNumbers& k, DType dtype);
  // The size of an axis of a value that a run computes.
  int size_of_axis(int v, size_t axis);

  SizeAlgebra sizes_;
  std::map<int64_t, int> run_sizes_;  // symbols as values
  size_t first_inside_ = 0;           // the first value of the graph that is read
};

}  // namespace cantik::onnx
