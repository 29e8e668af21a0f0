#include "runtime/bound_plan.h"

#include <algorithm>
#include <optional>

#include "graph/node.h"
#include "execute/draws.h"
#include "execute/keeper.h"
#include "runtime/known.h"

namespace cantik::runtime {

BoundPlan::BoundPlan(std::shared_ptr<const Plan> plan, std::vector<Variable> leaves, Sources sources,
                     std::shared_ptr<Draws> draws, ir::Request request)
    : plan_(std::move(plan)),
      request_(std::move(request)),
      leaves_(std::move(leaves)),
      sources_(std::move(sources)),
      draws_(std::move(draws)) {
  if (!plan_->is_open())
    fixed_ = plan_->program({}, sources_);
  else
    inquiry_ = std::make_unique<Inquiry>(request_, draws_), needs_ = plan_->needs();
  // Inputs that stand for gradients are replaced by them when the gradients are taken, which an open plan
  // leaves to its programs.
  const std::vector<Variable>& gradients = request_.gradients;
  for (size_t i = 0; i < leaves_.size(); ++i)
    if (leaves_[i].is_input() &&
        std::find(gradients.begin(), gradients.end(), leaves_[i]) == gradients.end()) {
      inputs_.push_back(leaves_[i]);
      input_leaves_.push_back(i);
      all_are_read_ &= plan_->reads(i) && !plan_->is_open();
    }
  charge_.set(sizeof(BoundPlan) + leaves_.size() * sizeof(Variable) +
              sources_.size() * sizeof(std::shared_ptr<Node>));
}

BoundPlan::~BoundPlan() = default;

Sizes BoundPlan::sizes_of(const std::vector<const Value*>& feeds, RunKeeper* keeper) {
  Sizes s;
  for (int32_t leaf : plan_->free_inputs()) {
    const Variable& v = leaves_[leaf];
    const Shape& given = feeds[leaf]->data.shape();
    const Shape shape = v.axes().has_batch() ? given.sub(1, given.rank()) : given;
    s.add(shape);
    s.shapes.emplace_back(v, shape);
  }
  ir::Needs needs;
  {
    std::lock_guard lock(mutex_);
    needs = needs_;
  }
  if (needs.samples) s.known.samples = samples_fed(leaves_, feeds);
  for (const auto& [axes, n] : s.known.samples) s.add(Shape{axes.size(), axes.sequence_id(), n});
  if (!needs.longest.empty() || !needs.results.empty()) {
    Feeds fed;
    for (size_t i = 0; i < leaves_.size(); ++i)
      if (leaves_[i].is_input() && feeds[i]) fed.emplace_back(leaves_[i], *feeds[i]);
    std::optional<RunKeeper> own;
    inquiry_->ask(needs, sources_, fed, keeper ? *keeper : own.emplace(), s.known);
  }
  for (const auto& [axes, n] : s.known.longest) s.add(Shape{n});
  for (const auto& [source, shapes] : s.known.results)
    for (const Shape& shape : shapes) s.add(shape);
  s.found = true;
  return s;
}

std::shared_ptr<const Program> BoundPlan::program(const std::vector<const Value*>& feeds, RunKeeper* keeper,
                                                  Sizes* sizes) {
  if (fixed_) return fixed_;
  for (;;) {
    const Sizes s = sizes && sizes->found ? *sizes : sizes_of(feeds, keeper);
    std::vector<ir::SourceId> more;
    auto make = [&] {
      ir::Graph g = ir::imported(request_, s.shapes, s.known);
      more = g.needs.results;
      if (more.empty()) ir::run_passes(g, request_);
      return g;
    };
    if (std::shared_ptr<const Program> p = plan_->program(s.key, sources_, make)) {
      if (sizes) *sizes = s;
      return p;
    }
    // Functions whose operands had open sizes too, until others were asked.
    std::lock_guard lock(mutex_);
    for (ir::SourceId source : more)
      if (std::find(needs_.results.begin(), needs_.results.end(), source) == needs_.results.end())
        needs_.results.push_back(source), needs_.samples = true;
  }
}

std::shared_ptr<Frame> BoundPlan::take_frame(const std::shared_ptr<const Program>& program) {
  std::shared_ptr<Frame> f = frames_.take(program.get());
  const bool fresh = !f;
  if (fresh) {
    f = std::make_shared<Frame>(program);
    for (const Patch& s : program->stored) f->operands[s.operand].data = leaves_[s.index].value().raw();
  }
  if (!fixed_) {
    std::lock_guard lock(mutex_);
    if (spare_.get()) f->use(std::move(spare_));
  }
  if (fresh) Shelf::made();
  return f;
}

void BoundPlan::give_back(std::shared_ptr<Frame> f) {
  if (!fixed_) {  // a program for each size that came, but they do not run at once
    CountedMemory memory = f->give_up();
    f->dismiss_workers();
    std::lock_guard lock(mutex_);
    if (memory.size() >= spare_.size()) std::swap(spare_, memory);
  }
  const Program* program = f->program.get();
  frames_.give_back(program, std::move(f));
}

}  // namespace cantik::runtime
