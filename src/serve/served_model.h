// A version of a model as requests see it: named inputs and outputs, and what a request has to be like.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <cantik/evaluation.h>
#include <cantik/function.h>

#include "serve/request.h"

namespace cantik::serve {

// An input or an output.
struct Port {
  std::string name;
  Variable variable;
  DType dtype = DType::float32;
  Shape sample;  // kFree where requests choose
  bool has_batch = false, has_sequence = false, is_sparse = false;

  // As metadata say it: -1 for an axis that requests choose.
  std::vector<int64_t> shape() const;
};

// What a request brings for one input, ready to stand beside that of other requests.
struct FeedRows {
  Shape sample;                       // with numbers for free axes
  std::vector<int64_t> lengths;       // of sequences
  int64_t rows = 0;                   // all of them; 1 without a batch axis
  std::vector<const char*> starts;    // where each sequence begins; one place where all lie side by side
  std::vector<char> converted = {};   // the numbers, where they had another type
  std::vector<int32_t> classes = {};  // of sparse inputs that came as indices
  Tensor csr = {};                    // of sparse inputs that came as numbers

  // Copies the rows side by side, without the padding between sequences; returns the end of the copy.
  char* copy_to(char* to, size_t row_bytes) const;
};

// A request whose tensors suit the model.
struct PreparedRequest {
  InferRequest request;
  std::vector<FeedRows> feeds;  // one for each input
  int64_t samples = 1, rows = 1;
  bool has_lengths = false, is_packed = false;  // how its sequences came
  std::vector<int> outputs;                     // which, in the order asked for

  // Requests may stand in one minibatch where these agree: the numbers for free axes.
  std::vector<int64_t> key;
};

class ServedModel {
 public:
  ServedModel(std::string name, std::string version, std::string path);

  const std::string& name() const { return name_; }
  const std::string& version() const { return version_; }
  const std::string& path() const { return path_; }
  const Function& function() const { return function_; }
  const Evaluation& evaluation() const { return evaluation_; }
  const std::vector<Port>& inputs() const { return inputs_; }
  const std::vector<Port>& outputs() const { return outputs_; }
  // Whether a sample's results do not depend on the samples beside it, by the axes of the graph.
  bool is_batchable() const { return batchable_; }
  bool has_sequence() const;

  // The request in the form that minibatches are made of; a Refusal says what does not suit the model.
  // `most_rows`: of a request.
  PreparedRequest prepare(InferRequest request, int64_t most_rows) const;
  // The values of a minibatch of these requests, one for each input.
  std::vector<Value> join(std::span<const PreparedRequest* const> requests) const;
  // What belongs to one of the requests, whose first sample is `first`.
  InferAnswer answer(const PreparedRequest& request, std::span<const Value> results, int64_t first) const;

 private:
  std::string name_, version_, path_;
  Function function_;
  Evaluation evaluation_;
  std::vector<Port> inputs_, outputs_;
  bool batchable_ = false;
};

}  // namespace cantik::serve
