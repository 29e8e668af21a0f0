// Any bytes as a request over HTTP are a request or a Refusal. The first two bytes say how much of the rest
// is JSON.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "serve/infer_json.h"
#include "served.h"

using namespace cantik;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const size_t json_size = size_t{data[0]} << 8 | data[1];
  auto body = std::make_shared<std::string>(reinterpret_cast<const char*>(data) + 2, size - 2);
  try {
    const auto limit = json_size == 0xffff ? std::nullopt : std::optional<size_t>(json_size);
    serve_request(serve::read_infer(std::move(body), limit));
  } catch (const serve::Refusal&) {
  }
  return 0;
}
