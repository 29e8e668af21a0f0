// Any bytes as a message ModelInferRequest are a request or a Refusal.
#include <cstdint>
#include <memory>
#include <string>

#include "serve/infer_grpc.h"
#include "served.h"

using namespace cantik;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    auto message = std::make_shared<const std::string>(reinterpret_cast<const char*>(data), size);
    serve_request(serve::read_model_infer(std::move(message), 0).request);
  } catch (const serve::Refusal&) {
  }
  return 0;
}
