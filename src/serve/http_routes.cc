#include "serve/http_routes.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "serve/json.h"
#include "serve/page.h"

namespace cantik::serve {
namespace {

std::string decoded(std::string_view text) {
  std::string to;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      to += text[i];
      continue;
    }
    unsigned byte = 0;
    const char* digits = text.data() + i + 1;
    if (i + 2 >= text.size() || std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2)
      throw Refusal(kBadRequest, "the path has a % without two digits behind it");
    to += static_cast<char>(byte);
    i += 2;
  }
  return to;
}

void need_method(std::string_view method, std::string_view wanted) {
  if (method != wanted && !(wanted == "GET" && method == "HEAD"))
    throw Refusal(kNotAllowed, cat("this address is asked by ", wanted, ", not by ", method));
}

std::string ports_json(const std::vector<Port>& ports) {
  return "[" +
         join(ports, ",",
              [](const Port& p) {
                return "{\"name\":" + json_string(p.name) + ",\"datatype\":\"" +
                       std::string(name_of(datatype_of(p.dtype))) + "\",\"shape\":" + shape_text(p.shape()) +
                       "}";
              }) +
         "]";
}

std::string strings_json(const auto& list) {
  return "[" + join(list, ",", [](std::string_view s) { return json_string(s); }) + "]";
}

std::string model_json(ServerHost& host, const ServedModel& model) {
  return "{\"name\":" + json_string(model.name()) +
         ",\"versions\":" + strings_json(host.repository.versions(model.name())) +
         ",\"platform\":\"cantik\",\"inputs\":" + ports_json(model.inputs()) +
         ",\"outputs\":" + ports_json(model.outputs()) + "}";
}

std::string index_json(const std::vector<IndexEntry>& index) {
  return "[" +
         join(index, ",",
              [](const IndexEntry& e) {
                return "{\"name\":" + json_string(e.name) +
                       (e.version.empty() ? "" : ",\"version\":" + json_string(e.version)) +
                       ",\"state\":" + (e.ready ? "\"READY\"" : "\"UNAVAILABLE\"") +
                       ",\"reason\":" + json_string(e.reason) + "}";
              }) +
         "]";
}

HttpReply ready_reply(bool ready) {
  return ready ? HttpReply{} : HttpReply{kOverloaded, error_body("not ready")};
}

[[noreturn]] void no_such_address() { throw Refusal(kNotFound, "there is nothing at this address"); }

HttpReply health(ServerHost& host, std::string_view method, const std::string& what) {
  need_method(method, "GET");
  if (what == "live") return {};
  if (what != "ready") no_such_address();
  return ready_reply(host.ready && !host.closing);
}

HttpReply model_reply(ServerHost& host, std::string_view method, const std::vector<std::string>& parts) {
  const bool has_version = parts.size() >= 5 && parts[3] == "versions";
  const size_t rest = has_version ? 5 : 3;
  need_method(method, "GET");
  if (parts.size() > rest + 1 || (parts.size() == rest + 1 && parts[rest] != "ready")) no_such_address();
  const auto loaded = host.repository.find(parts[2], has_version ? parts[4] : "");
  if (parts.size() == rest + 1) return {};
  return {200, model_json(host, loaded->model())};
}

HttpReply repository_reply(ServerHost& host, std::string_view method, const std::vector<std::string>& parts) {
  if (parts.size() == 3 && parts[2] == "index") {
    need_method(method, "POST");
    return {200, index_json(host.repository.index())};
  }
  if (parts.size() != 5 || parts[2] != "models" || (parts[4] != "load" && parts[4] != "unload"))
    no_such_address();
  need_method(method, "POST");
  if (parts[4] == "load")
    host.repository.load(parts[3]);
  else
    host.repository.unload(parts[3]);
  host.log(parts[4], "\"model\":" + json_string(parts[3]));
  return {};
}

// The text format of Prometheus knows these three escapes and no other.
std::string label(std::string_view name, std::string_view value) {
  std::string to = cat(name, "=\"");
  for (const char c : as_utf8(value)) {
    if (c == '"' || c == '\\') to += '\\';
    to += c == '\n' ? std::string_view("\\n") : std::string_view(&c, 1);
  }
  return to + '"';
}

HttpReply metrics_reply(ServerHost& host) {
  const auto loaded = host.repository.loaded();
  std::vector<LabelledMetrics> list;
  for (const auto& m : loaded)
    list.push_back(
        {label("model", m->model().name()) + "," + label("version", m->model().version()), &m->metrics()});
  return {200, prometheus_text(host.metrics, list), "text/plain; version=0.0.4; charset=utf-8"};
}

}  // namespace

std::string error_body(std::string_view text) { return "{\"error\":" + json_string(text) + "}"; }

std::vector<std::string> path_parts(std::string_view path) {
  path = path.substr(0, path.find('?'));
  std::vector<std::string> parts;
  while (!path.empty()) {
    path.remove_prefix(1);
    const size_t end = std::min(path.find('/'), path.size());
    if (end) parts.push_back(decoded(path.substr(0, end)));
    path.remove_prefix(end);
  }
  return parts;
}

std::optional<InferTarget> infer_target(const std::vector<std::string>& parts) {
  if (parts.size() < 4 || parts.back() != "infer" || parts[0] != "v2" || parts[1] != "models") return {};
  if (parts.size() == 4) return InferTarget{parts[2], ""};
  if (parts.size() == 6 && parts[3] == "versions") return InferTarget{parts[2], parts[4]};
  return {};
}

HttpReply answer(ServerHost& host, std::string_view method, const std::vector<std::string>& parts) {
  if (parts.empty() || parts[0] == "metrics") {
    if (parts.size() > 1) no_such_address();
    need_method(method, "GET");
    return parts.empty() ? HttpReply{200, std::string(kPage), "text/html; charset=utf-8"}
                         : metrics_reply(host);
  }
  if (parts[0] != "v2") no_such_address();
  if (parts.size() == 1) {
    need_method(method, "GET");
    return {200, cat("{\"name\":\"cantik\",\"version\":\"", CANTIK_VERSION_MAJOR, ".", CANTIK_VERSION_MINOR,
                     ".", CANTIK_VERSION_PATCH, "\",\"extensions\":", strings_json(kExtensions), "}")};
  }
  if (parts.size() == 3 && parts[1] == "health") return health(host, method, parts[2]);
  if (parts.size() >= 3 && parts[1] == "models") return model_reply(host, method, parts);
  if (parts.size() >= 3 && parts[1] == "repository") return repository_reply(host, method, parts);
  no_such_address();
}

}  // namespace cantik::serve
