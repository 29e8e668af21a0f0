#include "serve/served_model.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <cantik/error.h>
#include <cantik/inspect.h>

#include "base/text.h"

namespace cantik::serve {
namespace {

Port port_of(const Variable& v, const std::string& other_name) {
  const DType dtype = v.dtype() == DType::unknown ? v.presumed_dtype() : v.dtype();
  return {.name = v.name().empty() ? other_name : v.name(),
          .variable = v,
          .dtype = dtype == DType::unknown ? DType::float32 : dtype,
          .sample = v.shape(),
          .has_batch = v.axes().has_batch(),
          .has_sequence = v.axes().has_sequence(),
          .is_sparse = v.is_sparse()};
}

// Names of their own: variables without a name are input0, output1, ...; a name that is taken gets a number.
std::vector<Port> ports_of(const std::vector<Variable>& variables, const std::string& kind) {
  std::vector<Port> ports;
  for (const Variable& v : variables) {
    Port port = port_of(v, kind + std::to_string(ports.size()));
    const auto taken = [&](const Port& p) { return p.name == port.name; };
    if (std::any_of(ports.begin(), ports.end(), taken)) port.name += "_" + std::to_string(ports.size());
    ports.push_back(std::move(port));
  }
  return ports;
}

}  // namespace

std::vector<int64_t> Port::shape() const {
  std::vector<int64_t> dims;
  if (has_batch) dims.push_back(-1);
  if (has_sequence) dims.push_back(-1);
  for (const int64_t d : sample) dims.push_back(d < 0 ? -1 : d);
  return dims;
}

char* FeedRows::copy_to(char* to, size_t row_bytes) const {
  const auto copy = [&](const char* from, int64_t count) {
    const size_t bytes = static_cast<size_t>(count) * row_bytes;
    if (bytes) std::memcpy(to, from, bytes);
    to += bytes;
  };
  if (starts.size() == 1)
    copy(starts[0], rows);
  else
    for (size_t i = 0; i < starts.size(); ++i) copy(starts[i], lengths[i]);
  return to;
}

ServedModel::ServedModel(std::string name, std::string version, std::string path)
    : name_(std::move(name)),
      version_(std::move(version)),
      path_(std::move(path)),
      function_(Function::load(path_)),
      evaluation_(function_),
      inputs_(ports_of(evaluation_.inputs(), "input")),
      outputs_(ports_of(evaluation_.question().outputs, "output")) {
  for (const Port& p : inputs_)
    if (p.is_sparse && !p.has_batch)
      throw unsupported(cat("the input ", p.name, " is sparse and has no batch axis, which is not served"))
          .remedy("give the input a batch axis, or make it dense");
  const auto batch = [](const Port& p) { return p.has_batch; };
  batchable_ = !inputs_.empty() && std::all_of(inputs_.begin(), inputs_.end(), batch) &&
               std::all_of(outputs_.begin(), outputs_.end(), batch) && !mixes_samples(function_);
}

bool ServedModel::has_sequence() const {
  return std::any_of(inputs_.begin(), inputs_.end(), [](const Port& p) { return p.has_sequence; });
}

}  // namespace cantik::serve
