// What a request to a model is, and its answer, before any transport: JSON over HTTP and gRPC become these.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cantik/tensor.h>

#include "serve/datatype.h"
#include "serve/fair_share.h"

namespace cantik::serve {

inline constexpr int kBadRequest = 400, kNotFound = 404, kNotAllowed = 405, kTooLarge = 413,
                     kUnsupportedMedia = 415, kLongHead = 431, kFailed = 500, kNotImplemented = 501,
                     kOverloaded = 503, kTooLate = 504;

// What there is not enough of where a request or a connection is refused because of load.
enum class Shortage { places, overtaken, bytes, sequences, connections, ending };
inline constexpr std::string_view kShortageNames[] = {"places",    "overtaken",   "bytes",
                                                      "sequences", "connections", "ending"};

// Why a request is refused, as a status of HTTP; the text is for its sender.
class Refusal : public std::exception {
 public:
  Refusal(int status, std::string text) : status_(status), text_(std::move(text)) {}
  Refusal(Shortage shortage, std::string text)
      : status_(kOverloaded), shortage_(shortage), text_(std::move(text)) {}
  int status() const { return status_; }
  // Of refusals because of load.
  std::optional<Shortage> shortage() const { return shortage_; }
  // All of the text, which may have NULs.
  const std::string& text() const { return text_; }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  int status_;
  std::optional<Shortage> shortage_ = {};
  std::string text_;
};

// A tensor of a request, in row-major order, with the batch axis first.
struct RequestTensor {
  std::string name;
  Datatype datatype = Datatype::fp32;
  std::vector<int64_t> shape;
  const char* data = nullptr;  // in the memory of the request, or in `numbers`
  size_t bytes = 0;
  std::vector<char> numbers = {};
};

// An output that is asked for.
struct AskedOutput {
  std::string name;
  bool binary = false;  // of HTTP: as bytes behind the JSON
};

// A stream of steps that the request goes on with.
struct StreamPart {
  std::string id;
  bool start = false, end = false;
};

struct InferRequest {
  std::string model, version, id;  // version: empty for the newest one
  std::vector<RequestTensor> inputs;
  std::vector<AskedOutput> outputs;  // empty: all
  bool binary_outputs = false;       // of those that do not say it themselves
  std::optional<StreamPart> sequence = {};
  std::shared_ptr<const void> memory = {};                 // keeps the bytes of the tensors
  std::shared_ptr<Client> client = {};                     // who asks
  std::shared_ptr<const std::atomic<bool>> given_up = {};  // by who asked, where that can be seen
};

// A tensor of an answer.
struct AnswerTensor {
  std::string name;
  Datatype datatype = Datatype::fp32;
  std::vector<int64_t> shape;
  Tensor data = {};                   // what owns the numbers, where a model made them
  std::vector<int64_t> lengths = {};  // the numbers of NAME:lengths

  std::string_view bytes() const;
};

struct InferAnswer {
  std::string model, version, id;
  std::vector<AnswerTensor> outputs;
};

// A Refusal where the tensor has not as many bytes as its shape and its datatype say.
void check_size(const RequestTensor& tensor);
// The number of elements of a shape; a Refusal where an axis is negative or the product is beyond 64 bits.
int64_t count_of(std::string_view name, const std::vector<int64_t>& shape);
// "[1, 2]"
std::string shape_text(const std::vector<int64_t>& shape);

}  // namespace cantik::serve
