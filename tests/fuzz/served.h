// A model as requests see it, for the fuzzers of requests: samples, sequences, indices and a size that
// requests choose.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include <cantik/error.h>
#include <cantik/operators.h>
#include <cantik/ops.h>

#include "serve/served_model.h"

namespace cantik {

inline const serve::ServedModel& served_model() {
  static const serve::ServedModel model = [] {
    const Variable x = input({2}, {.name = "x"});
    const Variable s = input({2}, {.dtype = DType::float32, .axes = Axes::sequence(), .name = "s"});
    const Variable w = input({3}, {.sparse = true, .axes = Axes::sequence(), .name = "w"});
    const Variable f = input({kFree, 2}, {.name = "f"});
    const auto path = std::filesystem::temp_directory_path() / "cantik_fuzz_served.cntk";
    combine({x + 1.0, s + 1.0, times(w, constant(Tensor::full(DType::float32, {3, 1}, 1))), f + 1.0})
        .save(path.string());
    return serve::ServedModel("m", "1", path.string());
  }();
  return model;
}

// Whatever a request asks for, it gets an answer or a Refusal; a run may say what does not fit.
inline void serve_request(serve::InferRequest request) {
  const serve::PreparedRequest prepared = served_model().prepare(std::move(request), 4096);
  const serve::PreparedRequest* const list[] = {&prepared, &prepared};
  const bool alone = !served_model().is_batchable() || prepared.key.empty();
  const std::span<const serve::PreparedRequest* const> requests(list, alone ? 1 : 2);
  try {
    const std::vector<Value> values = served_model().join(requests);
    const std::vector<Value> results = served_model().evaluation().run(values, {.threads = 1}).outputs;
    for (size_t i = 0; i < requests.size(); ++i)
      for (const serve::AnswerTensor& output :
           served_model().answer(prepared, results, prepared.samples * static_cast<int64_t>(i)).outputs) {
        int64_t count = 1;
        for (const int64_t d : output.shape) count *= d;
        if (static_cast<size_t>(count) * size_of(output.datatype) != output.bytes().size()) std::abort();
      }
  } catch (const Error&) {
  }
}

}  // namespace cantik
