// What the server answers over HTTP to everything but requests to models.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/host.h"

namespace cantik::serve {

struct HttpReply {
  int status = 200;
  std::string body = {};
  std::string_view type = "application/json";
};

// The parts of a path between slashes, with %20 and its like replaced, without what follows a question mark.
// A Refusal where they are not valid.
std::vector<std::string> path_parts(std::string_view path);

// The model and the version that a path /v2/models/NAME[/versions/VERSION]/infer names.
struct InferTarget {
  std::string model, version;
};
std::optional<InferTarget> infer_target(const std::vector<std::string>& parts);

// Throws a Refusal for what is not there.
HttpReply answer(ServerHost& host, std::string_view method, const std::vector<std::string>& parts);

// {"error": text}
std::string error_body(std::string_view text);

}  // namespace cantik::serve
