#include "session/streams.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/memory.h"
#include "base/text.h"
#include "graph/node.h"
#include "runtime/bound_plans.h"
#include "runtime/run.h"

namespace cantik::runtime {

namespace {

// Rows `to` of `into` become rows `from` of s.
void copy_rows(const Carried& s, int64_t from, Carried& into, int64_t to) {
  for (size_t i = 0; i < s.delays.size(); ++i) {
    const CarriedRows& rows = s.delays[i];
    std::memcpy(into.delays[i].of(to), rows.of(from), rows.sequence_bytes());
    if (rows.unknown.empty() && into.delays[i].unknown.empty()) continue;
    into.delays[i].unknown.resize(static_cast<size_t>(into.delays[i].sequences), 0);
    into.delays[i].unknown[to] = rows.unknown.empty() ? 0 : rows.unknown[from];
  }
}

// Room for so many sequences of the same delays.
std::shared_ptr<Carried> room_like(const Carried& s, int64_t sequences) {
  auto made = std::make_shared<Carried>();
  for (const CarriedRows& rows : s.delays) {
    CarriedRows& r = made->delays.emplace_back();
    r.delay = rows.delay;
    r.dtype = rows.dtype;
    r.steps = rows.steps;
    r.row_bytes = rows.row_bytes;
    r.resize(sequences);
  }
  return made;
}

}  // namespace

void check_steps(const ir::Graph& g) {
  for (ir::NodeId id : g.order()) {
    const ir::Node& n = g.node(id);
    if (n.kind == ir::NodeKind::map) continue;
    bool rows =
        std::any_of(n.in.begin(), n.in.end(), [&](ir::ValueId v) { return g.type(v).axes.has_batch(); });
    bool ahead = ir::is_delay(n) && n.op->facts.delay != CANTIK_PAST;
    bool by_step = n.op->has(CANTIK_ROW_WISE | CANTIK_ALIAS | CANTIK_TAKES_ROWS | CANTIK_DELAY |
                             CANTIK_STEP_BY_STEP | CANTIK_DRAWS) &&
                   !n.op->has(CANTIK_EFFECT);
    if (!ahead && (by_step || !rows)) continue;
    const char* why =
        ahead ? "a session cannot look ahead: what comes is not known yet"
        : n.op->has(CANTIK_EFFECT)
            ? "a session cannot change parameters"
            : "a session cannot look at whole sequences, or at all samples: it sees some steps at a time";
    Error e = value_error(why).remedy(
        "evaluate whole sequences with eval, or make the session of a part of the model");
    if (n.source) rethrow_with(e, *g.sources[n.source]);
    throw e;
  }
}

namespace {

ir::Request request_for(const std::vector<Variable>& outputs) {
  ir::Request r{outputs, {}, {}, ir::Mode::evaluation};
  r.device = Device::used();
  return r;
}

}  // namespace

Streams::Streams(const Function& model, int64_t count, std::vector<Variable> outputs)
    : model_(model.as_composite()),
      outputs_(outputs.empty() ? model_.outputs() : std::move(outputs)),
      plan_(bound_plans_of(model_).of(request_for(outputs_))) {
  if (count < 1) throw value_error(cat("a session needs at least 1 stream, and was given ", count));
  check_steps(ir::imported(request_for(outputs_)));
  const std::vector<Variable>& leaves = plan_->leaves();
  if (std::none_of(leaves.begin(), leaves.end(),
                   [](const Variable& v) { return v.is_input() && v.axes().has_sequence(); }))
    throw value_error("the model has no input with a sequence axis: there are no steps to follow")
        .node(model_.text())
        .remedy("declare the input with sequence.input_variable, or use eval");
  needed_for([&] { return cat("a session of ", count, " streams"); },
             [&] { begun_.assign(static_cast<size_t>(count), 0); });
  waiting_ = count;
}

Streams::Streams(const Streams& other)
    : model_(other.model_),
      outputs_(other.outputs_),
      plan_(other.plan_),
      begun_(other.begun_),
      waiting_(other.waiting_) {
  states_.put(std::const_pointer_cast<Carried>(other.states_.last()), nullptr);
}

void Streams::check_stream(int64_t stream, const char* what) const {
  if (stream < 0 || stream >= count())
    throw value_error(cat("there is no stream ", stream, " ", what, ": the session has ", count(),
                          count() == 1 ? " stream" : " streams", ", counted from 0"));
}

void Streams::check_of(std::span<const int64_t> of) {
  seen_.assign(begun_.size(), 0);
  for (int64_t s : of) {
    check_stream(s, "to feed");
    if (seen_[s]++)
      throw value_error(cat("stream ", s, " is fed twice at once"))
          .remedy("give the stream's steps in one sequence");
  }
}

std::shared_ptr<const Layout> Streams::parts(const Layout& given, std::span<const int64_t> of,
                                             const Variable& v) {
  int64_t fed = of.empty() ? count() : static_cast<int64_t>(of.size());
  if (given.sequences() != fed)
    throw value_error(cat("the data have ", given.sequences(),
                          given.sequences() == 1 ? " sequence" : " sequences", " for ", fed,
                          fed == 1 ? " stream" : " streams"))
        .node(v.text())
        .remedy(
            "give a sequence for each stream, an empty one where nothing has come, or say which streams they "
            "belong to");
  bool all_one = given.rows() == fed && given.longest() == 1;
  if (all_one && of.empty() && waiting_ == 0 && going_on_ && going_on_->sequences() == fed) return going_on_;
  std::vector<int64_t> lengths;
  std::vector<int32_t> from;
  for (int64_t i = 0; i < fed; ++i) {
    int64_t stream = of.empty() ? i : of[i];
    lengths.push_back(given.length(i));
    from.push_back(begun_[stream] ? static_cast<int32_t>(stream) : -1);
  }
  std::shared_ptr<const Layout> made = Layout::of_parts(lengths, from);
  if (all_one && of.empty() && waiting_ == 0) going_on_ = made;
  return made;
}

const std::shared_ptr<const Layout>& Streams::one_step(int64_t n) {
  if (!one_step_ || one_step_->sequences() != n)
    one_step_ = Layout::of_lengths(std::vector<int64_t>(static_cast<size_t>(n), 1));
  return one_step_;
}

std::vector<Value> Streams::run(std::span<Value> feeds, std::span<const int64_t> of,
                                const RunOptions& options) {
  bool in_order = static_cast<int64_t>(of.size()) == count();
  for (size_t i = 0; i < of.size() && in_order; ++i) in_order = of[i] == static_cast<int64_t>(i);
  if (in_order) of = {};
  if (!of.empty()) check_of(of);
  list_.assign(plan_->leaves().size(), nullptr);
  for (size_t i = 0; i < feeds.size(); ++i) {
    const Variable& input = inputs()[i];
    if (input.axes().has_sequence() && feeds[i].layout) feeds[i].layout = parts(*feeds[i].layout, of, input);
    list_[plan_->input_leaves()[i]] = &feeds[i];
  }
  GraphRun run(*plan_, list_, out_);
  run.options = options;
  run.states = &states_;
  run.go();
  if (!of.empty()) spread(of);
  if (waiting_ > 0) begin(of);
  return out_.values();
}

void Streams::begin(std::span<const int64_t> of) {
  for (int64_t i = 0, n = of.empty() ? count() : static_cast<int64_t>(of.size()); i < n; ++i)
    begun_[of.empty() ? i : of[i]] = 1;
  waiting_ = std::count(begun_.begin(), begun_.end(), 0);
}

// The run has left the rows of the streams it was fed with; the others keep theirs.
void Streams::spread(std::span<const int64_t> of) {
  auto [made, old] = states_.take();
  if (!made) return;  // the model carries nothing
  if (!old || !alone(old) || (!old->delays.empty() && old->delays[0].sequences != count())) {
    std::shared_ptr<Carried> all = room_like(*made, count());
    if (old)
      for (int64_t s = 0; s < count(); ++s)
        if (begun_[s]) copy_rows(*old, s, *all, s);
    old = std::move(all);
  }
  for (size_t i = 0; i < of.size(); ++i) copy_rows(*made, static_cast<int64_t>(i), *old, of[i]);
  states_.put(std::move(old), std::move(made));
}

void Streams::reset() {
  std::fill(begun_.begin(), begun_.end(), 0);
  waiting_ = count();
}

void Streams::reset(int64_t stream) {
  check_stream(stream, "to begin anew");
  waiting_ += begun_[stream];
  begun_[stream] = 0;
}

void Streams::select(std::span<const int64_t> from) {
  if (from.empty()) throw value_error("a session needs at least 1 stream, and 0 were selected");
  std::vector<char> begun;
  for (int64_t s : from) {
    if (s != -1) check_stream(s, "to go on with");
    begun.push_back(s < 0 ? 0 : begun_[s]);
  }
  if (std::shared_ptr<const Carried> now = states_.last()) {
    std::shared_ptr<Carried> next = room_like(*now, static_cast<int64_t>(from.size()));
    for (size_t i = 0; i < from.size(); ++i)
      if (begun[i]) copy_rows(*now, from[i], *next, static_cast<int64_t>(i));
    states_.put(std::move(next), nullptr);
  }
  begun_ = std::move(begun);
  waiting_ = std::count(begun_.begin(), begun_.end(), 0);
  going_on_ = nullptr;
}

}  // namespace cantik::runtime
