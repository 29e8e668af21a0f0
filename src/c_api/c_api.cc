// The calls of cantik/c_api.h. No exception leaves them.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cantik/c_api.h>
#include <cantik/error.h>
#include <cantik/evaluation.h>
#include <cantik/function.h>

#include "base/text.h"

namespace cantik {
namespace {

thread_local std::string last_error;

template <class Result, class Body>
Result guarded(Result failure, Body body) noexcept {
  try {
    last_error.clear();
    return body();
  } catch (const std::exception& e) {
    try {
      last_error = e.what();
    } catch (...) {  // no memory for the text
      last_error.clear();
    }
  } catch (...) {
    last_error.clear();
  }
  return failure;
}

// Where the shape of a port is kept.
struct PortText {
  std::string name;
  std::vector<int64_t> shape;
  cantik_port port{};

  explicit PortText(const Variable& v) : name(v.name()), shape(v.shape().begin(), v.shape().end()) {
    for (int64_t& d : shape) d = std::max<int64_t>(d, -1);
    const DType dtype = v.dtype() == DType::unknown ? v.presumed_dtype() : v.dtype();
    port = {.name = nullptr,
            .element = static_cast<int32_t>(dtype),
            .rank = static_cast<int32_t>(shape.size()),
            .shape = nullptr,
            .has_batch = v.axes().has_batch(),
            .has_sequence = v.axes().has_sequence(),
            .is_sparse = v.is_sparse()};
  }

  cantik_port view() const {
    cantik_port p = port;
    p.name = name.c_str();
    p.shape = shape.data();
    return p;
  }
};

std::vector<PortText> ports_of(const std::vector<Variable>& variables) {
  return {variables.begin(), variables.end()};
}

const void* present(const void* pointer, const char* what) {
  if (!pointer) throw value_error(cat(what, " is null"));
  return pointer;
}

const PortText& at(const std::vector<PortText>& ports, int32_t place, const char* what) {
  if (place < 0 || static_cast<size_t>(place) >= ports.size())
    throw value_error(cat("there is no ", what, " ", place, ": the model has ", ports.size()));
  return ports[place];
}

// Numbers of the caller's, without an owner: a run looks at them, and keeps none.
Tensor view_of(DType dtype, const Shape& shape, const void* data) {
  return Tensor::borrow(dtype, shape, const_cast<void*>(data), nullptr, true);
}

Tensor rows_of(const cantik_array& array, const Variable& input, const Shape& shape) {
  if (!input.is_sparse()) return view_of(static_cast<DType>(array.element), shape, array.data);
  if (array.element != CANTIK_INT32)
    throw type_error(cat("the value for ", input.text(), " has to be indices of classes, CANTIK_INT32"));
  const std::span<const int32_t> indices(static_cast<const int32_t*>(array.data),
                                         static_cast<size_t>(shape.elements()));
  // The library's own mark for a row without a class is no index of a caller's.
  const auto negative = std::find_if(indices.begin(), indices.end(), [](int32_t c) { return c < 0; });
  if (negative != indices.end())
    throw value_error(cat("the value for ", input.text(), " has the index ", *negative))
        .remedy("give indices of classes, which count from 0");
  const int64_t rows = shape.rank() ? shape[0] : 0;
  return Value::one_hot(indices, input.shape(), input.dtype()).data.reshape(Shape{rows} + input.shape());
}

bool is_element(int32_t code) {
  switch (code) {
    case CANTIK_FLOAT32:
    case CANTIK_FLOAT64:
    case CANTIK_FLOAT16:
    case CANTIK_INT8:
    case CANTIK_INT16:
    case CANTIK_INT32: return true;
    default: return false;
  }
}

Value value_of(const cantik_array& array, const Variable& input) {
  constexpr int32_t kMostAxes = 64;  // a rank beyond it is no rank: the shape is not read
  if (!is_element(array.element)) throw type_error(cat(array.element, " is no cantik_element"));
  if (array.rank < 0 || array.sequences < 0) throw value_error("a rank or a number of sequences is negative");
  if (array.rank > kMostAxes)
    throw value_error(cat("an array has at most ", kMostAxes, " axes, not ", array.rank));
  if (array.sequences > 0 && !input.axes().has_sequence())
    throw value_error(cat("the input ", input.text(), " has no sequences, and ", array.sequences, " came"))
        .remedy("give 0 as sequences, and one row for each sample");
  if (array.sequences > INT32_MAX) throw value_error(cat(array.sequences, " sequences are too many"));
  if (array.rank) present(array.shape, "the shape of an array");
  const Shape shape(array.shape, static_cast<size_t>(array.rank));
  if (!shape.is_static()) throw shape_error(cat("the shape of an array is ", shape.text()));
  if (shape.elements() > 0) present(array.data, "the data of an array");
  Tensor rows = rows_of(array, input, shape);
  if (!input.axes().has_batch()) return {rows, nullptr};
  if (!array.sequences) return Value::batch(rows);
  present(array.lengths, "the lengths of an array of sequences");
  return Value::sequences(rows, std::span(array.lengths, static_cast<size_t>(array.sequences)));
}

}  // namespace
}  // namespace cantik

struct cantik_model {
  explicit cantik_model(cantik::Function function)
      : network(std::move(function)),
        evaluation(network),
        inputs(cantik::ports_of(evaluation.inputs())),
        outputs(cantik::ports_of(evaluation.question().outputs)) {}

  cantik::Function network;
  cantik::Evaluation evaluation;
  std::vector<cantik::PortText> inputs, outputs;
};

struct cantik_result {
  struct Output {
    cantik::Tensor data;
    std::vector<int64_t> shape, lengths;
  };
  std::vector<Output> outputs;
};

using cantik::guarded;

extern "C" {

const char* cantik_last_error(void) { return cantik::last_error.c_str(); }

cantik_model* cantik_model_load(const char* path) {
  return guarded<cantik_model*>(nullptr, [&] {
    cantik::present(path, "the path");
    return std::make_unique<cantik_model>(cantik::Function::load(path)).release();
  });
}

void cantik_model_free(cantik_model* model) {
  guarded(0, [&] {
    const std::unique_ptr<cantik_model> owner(model);
    return 0;
  });
}

int32_t cantik_model_inputs(const cantik_model* model) {
  return guarded(-1, [&] {
    cantik::present(model, "the model");
    return static_cast<int32_t>(model->inputs.size());
  });
}

int32_t cantik_model_outputs(const cantik_model* model) {
  return guarded(-1, [&] {
    cantik::present(model, "the model");
    return static_cast<int32_t>(model->outputs.size());
  });
}

int cantik_model_input(const cantik_model* model, int32_t place, cantik_port* port) {
  return guarded(1, [&] {
    cantik::present(model, "the model");
    cantik::present(port, "the port");
    *port = cantik::at(model->inputs, place, "input").view();
    return 0;
  });
}

int cantik_model_output(const cantik_model* model, int32_t place, cantik_port* port) {
  return guarded(1, [&] {
    cantik::present(model, "the model");
    cantik::present(port, "the port");
    *port = cantik::at(model->outputs, place, "output").view();
    return 0;
  });
}

cantik_result* cantik_model_evaluate(const cantik_model* model, const cantik_array* inputs, int32_t count,
                                     int32_t threads) {
  return guarded<cantik_result*>(nullptr, [&] {
    cantik::present(model, "the model");
    const std::vector<cantik::Variable>& wanted = model->evaluation.inputs();
    if (count < 0 || static_cast<size_t>(count) != wanted.size())
      throw cantik::value_error(
          cantik::cat("the model reads ", wanted.size(), " values, and ", count, " came"));
    if (count) cantik::present(inputs, "the list of values");
    std::vector<cantik::Value> values;
    for (size_t i = 0; i < wanted.size(); ++i) values.push_back(cantik::value_of(inputs[i], wanted[i]));
    if (model->evaluation.may_keep_inputs())
      for (cantik::Value& v : values) v.data = v.data.clone();
    auto result = std::make_unique<cantik_result>();
    for (const cantik::Value& v : model->evaluation.run(values, {.threads = threads}).outputs) {
      cantik::Tensor data = v.data.is_sparse() ? v.data.to_dense() : v.data;
      if (!data.owner()) data = data.clone();  // the caller's own numbers, handed through
      cantik_result::Output output{data, {data.shape().begin(), data.shape().end()}, {}};
      if (v.layout && !v.layout->is_batch())
        for (int64_t s = 0; s < v.layout->sequences(); ++s) output.lengths.push_back(v.layout->length(s));
      result->outputs.push_back(std::move(output));
    }
    return result.release();
  });
}

int cantik_result_output(const cantik_result* result, int32_t place, cantik_array* output) {
  return guarded(1, [&] {
    cantik::present(result, "the result");
    cantik::present(output, "the array");
    if (place < 0 || static_cast<size_t>(place) >= result->outputs.size())
      throw cantik::value_error(
          cantik::cat("there is no output ", place, ": the result has ", result->outputs.size()));
    const cantik_result::Output& o = result->outputs[place];
    *output = {.element = static_cast<int32_t>(o.data.dtype()),
               .rank = static_cast<int32_t>(o.shape.size()),
               .shape = o.shape.data(),
               .data = o.data.raw(),
               .sequences = static_cast<int64_t>(o.lengths.size()),
               .lengths = o.lengths.empty() ? nullptr : o.lengths.data()};
    return 0;
  });
}

void cantik_result_free(cantik_result* result) {
  guarded(0, [&] {
    const std::unique_ptr<cantik_result> owner(result);
    return 0;
  });
}

}  // extern "C"
