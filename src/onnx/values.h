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

namespace cantik::onnx {

// A value is a variable here, numbers that are known, or both.
struct ReadValue {
  Variable variable;
  std::shared_ptr<KnownNumbers> known;
  int32_t element = kFloat;            // ONNX's element type
  bool constant = false;               // no run changes it
  bool evaluated = false;              // `known` has been tried
  int64_t batch = CANTIK_ONNX_SYMBOL;  // what its batch axis is as a size, and its sequence axis
  int64_t steps = CANTIK_ONNX_SYMBOL;
  std::vector<int64_t> sizes;  // of the static axes, with symbols; empty: not asked yet
  int plain = -1, rows = -1;   // the same without dynamic axes, and with a batch
  int sequence = -1;           // the same as sequences of one length
};

class Values {
 public:
  explicit Values(ModelFolder place) : place_(std::move(place)) {}

  int add(ReadValue v);
  int add_known(KnownNumbers k, int32_t element);
  ReadValue& at(cantik_value v, const char* what);

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
  int reshape(int v, std::vector<int64_t> dims);
  // The numbers of a value that no run changes.
  Tensor tensor(int v);
  // [steps, batch, ...] as sequences; `lengths` (-1: all the same): one for each.
  int to_sequence(int v, int lengths = -1);
  // The same with sizes of 1 repeated, also over a batch or the steps of a sequence.
  int expand(int v, const std::vector<int64_t>& dims);
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
  int64_t new_symbol() { return --last_symbol_; }
  // While it lives, a graph inside of a node is read whose values share no axis with those outside.
  class Inside {
   public:
    explicit Inside(Values& values) : values_(values) { std::swap(outside_, values_.whole_sequences_); }
    ~Inside() { std::swap(outside_, values_.whole_sequences_); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    Values& values_;
    std::map<std::pair<int64_t, int64_t>, int> outside_;
  };
  const ModelFolder& place() const { return place_; }

 private:
  int reshape_static(int v, std::vector<int64_t> to, size_t leading);
  int on_common_axis(int v);
  // The operator that computes what ONNX says.
  const Operator& counterpart(const Operator& op) const;
  // The element type in which an operator takes whole numbers; unknown: each in its own.
  DType common_type(const std::vector<int>& in);

  ModelFolder place_;
  std::deque<ReadValue> values_;
  // Sequences whose lengths are all the same, by steps and batch: they share one axis.
  std::map<std::pair<int64_t, int64_t>, int> whole_sequences_;
  std::map<std::pair<int, DType>, Variable> constants_;  // of known numbers
  int64_t last_symbol_ = CANTIK_ONNX_SYMBOL;
};

}  // namespace cantik::onnx
