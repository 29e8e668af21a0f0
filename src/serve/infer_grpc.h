// Messages of the protocol over gRPC (inference.GRPCInferenceService), in the wire format of protobuf.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "serve/repository.h"
#include "serve/request.h"

namespace cantik::serve {

// ModelInferRequest. Tensors may point into the message, which the request keeps. `typed`: the tensors came
// as lists of numbers, and not as bytes. Anything that is not as the protocol says is a Refusal.
struct GrpcInfer {
  InferRequest request;
  bool typed = false;
};
GrpcInfer read_model_infer(std::shared_ptr<const std::string> message, size_t begin);
// ModelInferResponse. `typed`: lists of numbers, where the protocol has one for each datatype.
std::string write_model_infer(const InferAnswer& answer, bool typed);

// A message whose fields are names: {1: name, 2: version} of models, {2: name} of loads.
std::string text_field(std::string_view message, uint32_t field);
// A message with one truth, which its first field says.
std::string write_truth(bool truth);
std::string write_server_metadata();
std::string write_model_metadata(const ServedModel& model, const std::vector<std::string>& versions);
std::string write_index(const std::vector<IndexEntry>& index, bool ready_only);
// RepositoryIndexRequest: whether models that are ready are asked for, and no others.
bool wants_ready_only(std::string_view message);

}  // namespace cantik::serve
