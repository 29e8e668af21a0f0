// Requests and answers of the protocol over HTTP: JSON, or JSON with the tensors' bytes behind it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "serve/request.h"

namespace cantik::serve {

// The largest text of JSON that is read. Larger tensors are sent as bytes.
inline constexpr size_t kLargestJson = size_t{16} << 20;

// The request of a body. `json_size`: how much of the body is JSON, where bytes follow. Tensors may point
// into the body, which the request keeps. Anything that is not as the protocol says is a Refusal.
InferRequest read_infer(std::shared_ptr<std::string> body, std::optional<size_t> json_size);

struct InferText {
  std::string body;
  size_t json_size = 0;
  bool has_bytes = false;  // behind the JSON
};
// The body of an answer; `asked` and `binary_outputs`: what the request says of outputs.
InferText write_infer(const std::vector<AskedOutput>& asked, bool binary_outputs, const InferAnswer& answer);

}  // namespace cantik::serve
