#include "runtime/run.h"

#include <vector>

#include "base/text.h"
#include "graph/node.h"
#include "runtime/feeds.h"
#include "execute/largest.h"
#include "execute/stages.h"

namespace cantik::runtime {

void GraphRun::go() {
  begin();
  for (;;) {
    try {
      execute();
      break;
    } catch (const MoreRows& more) {
      begin_anew(more);
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::memory && !e.has("node"))
        rethrow_with_largest(e, *program_, frame_->wanted, plan_.sources());
      throw;
    }
  }
  finish();
}

void GraphRun::begin() {
  options.check_nan |= plan_.request().checked;
  if (options.device && *options.device != plan_.request().device)
    throw value_error(cat("a run on ", options.device->text(), " was asked of a program for ",
                          plan_.request().device.text()))
        .remedy("name the device where the evaluation or the session is made, or with Device::use");
  if (options.threads < 0)
    throw value_error(cat("a run on ", options.threads, " threads was asked for"))
        .remedy("give 0 for as many as set_thread_limit says");
  plan_.begin_run();
  if (!keeper && plan_.plan().needs_keeper()) keeper = &own_.emplace();
  program_ = plan_.program(feeds_, keeper, sizes);
  if (!program_->graph.leaves.empty()) check_further();
  frame_ = plan_.take_frame(program_);
  draws_.emplace(*program_, plan_.sources(), plan_.draws(), rehearses);
  if (!states) states = &plan_.states();
  if (!program_->keeping.empty()) kept_ = keeper;
  enter();
  if (!program_->carriers.empty()) before_ = states->last(), after_ = states->spare();
}

// Inputs that the user's graph does not have: gradients of the roots, then values of the first part.
void GraphRun::check_further() const {
  const std::vector<Variable>& further = program_->graph.leaves;
  const size_t first = plan_.leaves().size();
  if (feeds_.size() != first + further.size())
    throw value_error("the function has changed since the forward run whose state is given")
        .remedy("call forward again");
  for (const Patch& s : program_->feeds) {
    const size_t index = static_cast<size_t>(s.index);
    if (index < first) continue;
    if (!feeds_[index])
      throw value_error(
          cat("no gradient was given for the root ", plan_.request().roots[index - first].text()));
    check_feed(further[index - first], *feeds_[index]);
  }
}

void GraphRun::enter() {
  frame_->keeper = kept_;
  for (int32_t i : program_->keeping) frame_->runs[i].keeper = kept_ ? kept_->c() : nullptr;
}

void GraphRun::execute() {
  Frame& f = *frame_;
  find_rows(*program_, plan_.leaves(), feeds_, f.grown, f.wanted);
  if (!program_->whole.empty()) refuse_parts(f, plan_.sources());
  if (after_) begin_carrying(f, plan_.sources(), before_.get(), *after_);
  f.lay_out();
  point_operands();
  if (!program_->graph.lives.empty() || !program_->live_fields.empty()) read_live();
  if (!program_->schedule.sparse.empty()) out_.place_sparse(f, feeds_);
  if (kept_) {
    kept_->lend(f.memory().get(), f.memory().size());
    kept_->lend(out_.memory().first.get(), out_.memory().second);
    for (const Value* v : feeds_)
      if (v && v->data.owner() && !v->data.is_sparse()) kept_->lend(v->data.raw(), v->data.bytes());
  }
  Listening listening{listener, {}};
  if (listener) {
    listening.finals = finals(*program_);
    std::vector<size_t> order;
    for (const Final& x : listening.finals) order.push_back(x.output);
    listener->begins(out_, order);
  }
  run_stages(f, plan_.sources(), plan_.draws(), options, listening);
}

// To the caller's memory and that of the parameters.
void GraphRun::point_operands() {
  const Program& p = *program_;
  auto point = [&](const Patch& s, void* memory) {
    frame_->operands[s.operand].data = p.operands[s.operand].in(memory);
  };
  for (const Patch& s : p.feeds) {
    const Tensor& t = feeds_[s.index]->data;
    cantik_operand& o = frame_->operands[s.operand];
    o.starts = t.starts();
    o.columns = t.columns();
    point(s, t.raw());
  }
  out_.prepare(program_, frame_->wanted);
  for (const Patch& s : p.output_patches) point(s, out_.data(static_cast<size_t>(s.index)));
  if (p.setup.empty()) return;
  packs_ = plan_.packs(program_, options);
  for (const Patch& s : p.setup_patches) frame_->operands[s.operand].data = packs_->of(s.index);
}

// Attributes of the user's functions that may have changed since the last run.
void GraphRun::read_live() {
  const Program& p = *program_;
  auto now = [&](ir::SourceId source, int32_t field) {
    return plan_.sources()[source]->attributes[field].real();
  };
  for (size_t i = 0; i < p.graph.lives.size(); ++i) {
    const double x = now(p.graph.lives[i].source, p.graph.lives[i].field);
    DType dtype = DType::float32;
    for (const Patch& s : p.lives)
      if (s.index == static_cast<int32_t>(i)) dtype = p.operands[s.operand].dtype;
    copy_numbers(DType::float64, &x, dtype, frame_->lives[i].bytes, 1);
  }
  for (size_t i = 0; i < p.live_fields.size(); ++i) {
    const LiveField& l = p.live_fields[i];
    frame_->live_fields[i] = l.source ? now(l.source, l.field) : l.value;
  }
}

// Sequences made in the run are longer than was thought: once more, from the same random numbers. Effects
// come last, so that nothing has changed.
void GraphRun::begin_anew(const MoreRows& more) {
  draws_->restore();
  std::vector<int64_t> grown = std::move(frame_->grown);
  grown.resize(program_->spaces.size());
  grown[more.space] = more.rows;
  if (hand_over()) frame_ = plan_.take_frame(program_), enter();
  frame_->grown = std::move(grown);
}

void GraphRun::finish() {
  out_.set_layouts(*frame_);
  if (after_) states->keep(std::move(after_));
  for (int32_t leaf : program_->changed) plan_.leaves()[leaf].add_to_version();
  if (rehearses) draws_->restore();
  hand_over();
  if (frame_) plan_.give_back(std::move(frame_));
}

// Somebody may still hold memory that an operator borrowed, when the run ends, fails or begins anew: then the
// memory, with all that is in it, is theirs.
bool GraphRun::hand_over() {
  if (!kept_) return false;
  std::shared_ptr<Lease> lease = kept_->let_go_of_memory();
  if (!lease) return false;
  lease->kept = {out_.memory().first, std::move(frame_)};
  for (const Value* v : feeds_)
    if (v && v->data.owner()) lease->kept.push_back(v->data.owner());
  return true;
}

GraphRun::~GraphRun() {
  hand_over();
  if (kept_) kept_->end();
}

}  // namespace cantik::runtime
