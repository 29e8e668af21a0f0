#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <cantik/feeds.h>
#include <cantik/session.h>

#include "base/text.h"
#include "graph/node.h"
#include "session/streams.h"

namespace cantik {

using runtime::Streams;

namespace {

Streams& alive(const std::unique_ptr<Streams>& streams) {
  if (!streams) throw value_error("the session is empty: it was moved from");
  return *streams;
}

}  // namespace

Session::Session(const Function& model, int64_t streams, const std::vector<Variable>& outputs)
    : streams_(std::make_unique<Streams>(model, streams, outputs)) {}
Session::Session(const Session& other) : streams_(std::make_unique<Streams>(alive(other.streams_))) {}
Session& Session::operator=(const Session& other) {
  if (this != &other) streams_ = std::make_unique<Streams>(alive(other.streams_));
  return *this;
}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

int64_t Session::streams() const { return alive(streams_).count(); }
const Function& Session::model() const { return alive(streams_).model(); }
const std::vector<Variable>& Session::outputs() const { return alive(streams_).outputs(); }
const std::vector<Variable>& Session::inputs() const { return alive(streams_).inputs(); }
void Session::reset() { alive(streams_).reset(); }
void Session::reset(int64_t stream) { alive(streams_).reset(stream); }
void Session::select(const std::vector<int64_t>& from) { alive(streams_).select(from); }

std::vector<Value> Session::run(const Feeds& feeds, const std::vector<int64_t>& of,
                                const RunOptions& options) {
  Streams& streams = alive(streams_);
  FeedMatcher matcher(streams.model(), streams.inputs());
  std::vector<Value> values(streams.inputs().size());
  for (const auto& [input, value] : feeds)
    if (const std::optional<size_t> place = matcher.place(input)) values[*place] = value;
  matcher.refuse_strangers();
  matcher.check_complete();
  return run_in_order(values, of, options);
}

std::vector<Value> Session::run_in_order(std::span<Value> values, const std::vector<int64_t>& of,
                                         const RunOptions& options) {
  Streams& streams = alive(streams_);
  if (values.size() != streams.inputs().size())
    throw value_error(
        cat("the session has ", streams.inputs().size(), " inputs, ", values.size(), " values came"))
        .node(streams.model().text())
        .remedy("give a value for each of inputs(), in their order");
  for (size_t i = 0; i < values.size(); ++i) check_feed(streams.inputs()[i], values[i]);
  return streams.run(values, of, options);
}

std::shared_ptr<const Layout> Session::one_step(int64_t streams) { return alive(streams_).one_step(streams); }

Tensor Session::step(const Tensor& x, const std::vector<int64_t>& of, const RunOptions& options) {
  std::vector<Variable> arguments = alive(streams_).model().arguments();
  if (arguments.size() != 1 || alive(streams_).outputs().size() != 1)
    throw value_error(cat("step(x) needs a model with one input and one output; this one has ",
                          arguments.size(), " and ", alive(streams_).outputs().size()))
        .node(alive(streams_).model().text())
        .remedy("use run, which takes and gives several values");
  if (x.shape().empty())
    throw value_error("a step needs a first axis that counts the streams")
        .remedy("give a tensor [streams, shape...]");
  return run({{arguments[0], Value(x, one_step(x.shape()[0]))}}, of, options)[0].data;
}

}  // namespace cantik
