// Running a program: feeds are bound to the rows they have, a frame is taken, operands are pointed at memory.
#include "runtime/executable.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "graph/node.h"
#include "graph/object.h"
#include "runtime/draws.h"
#include "runtime/engine.h"
#include "runtime/frame.h"
#include "runtime/known.h"
#include "runtime/largest.h"
#include "runtime/packs.h"

namespace cantik::runtime {

namespace {

constexpr size_t kMostFrames = 32;

// Points an operand at dense memory or at the rows of a sparse tensor.
void point_at(cantik_operand& o, const Tensor& t) {
  o.data = t.raw();
  o.starts = t.starts();
  o.columns = t.columns();
}

}  // namespace

Executable::Executable(std::shared_ptr<const Plan> plan, std::vector<Variable> leaves,
                       std::vector<std::shared_ptr<Node>> sources, std::shared_ptr<Draws> draws,
                       ir::Request request)
    : plan_(std::move(plan)),
      request_(std::move(request)),
      leaves_(std::move(leaves)),
      sources_(std::move(sources)),
      draws_(std::move(draws)) {
  if (!plan_->is_open())
    fixed_ = plan_->program({}, sources_);
  else
    inquiry_ = std::make_unique<Inquiry>(request_, draws_), needs_ = plan_->needs();
}

Executable::~Executable() = default;

Sizes Executable::sizes_of(const std::vector<const Value*>& feeds, ObjectStates* objects) {
  Sizes s;
  for (int32_t leaf : plan_->free_inputs()) {
    const Variable& v = leaves_[static_cast<size_t>(leaf)];
    const Shape& shape = feeds[static_cast<size_t>(leaf)]->data.shape();
    s.key.push_back(v.axes().has_batch() ? shape.sub(1, shape.rank()) : shape);
    s.shapes.emplace_back(v, s.key.back());
  }
  ir::Needs needs;
  {
    std::lock_guard lock(mutex_);
    needs = needs_;
  }
  if (needs.samples) s.known.samples = samples_fed(leaves_, feeds);
  for (const auto& [axes, n] : s.known.samples) s.key.push_back(Shape{axes.size(), axes.sequence_id(), n});
  if (!needs.longest.empty() || !needs.results.empty()) {
    Feeds fed;
    for (size_t i = 0; i < leaves_.size(); ++i)
      if (leaves_[i].is_input() && feeds[i]) fed.emplace_back(leaves_[i], *feeds[i]);
    std::optional<ObjectStates> own;
    inquiry_->ask(needs, fed, objects ? *objects : own.emplace(), s.known);
  }
  for (const auto& [axes, n] : s.known.longest) s.key.push_back(Shape{n});
  for (const auto& [object, shapes] : s.known.results)
    s.key.insert(s.key.end(), shapes.begin(), shapes.end());
  s.found = true;
  return s;
}

std::shared_ptr<const Program> Executable::choose(const std::vector<const Value*>& feeds,
                                                  ObjectStates* objects, Sizes* sizes) {
  if (fixed_) return fixed_;
  const Sizes s = sizes && sizes->found ? *sizes : sizes_of(feeds, objects);
  if (sizes) *sizes = s;
  std::vector<const ObjectOperator*> more;
  auto make = [&] {
    ir::Graph g = ir::imported(request_, s.shapes, s.known);
    more = g.needs.results;
    if (more.empty()) ir::run_passes(g, request_);
    return g;
  };
  if (std::shared_ptr<const Program> p = plan_->program(s.key, sources_, make)) return p;
  // Objects whose operands had open sizes too, until others were called.
  {
    std::lock_guard lock(mutex_);
    for (const ObjectOperator* object : more)
      if (std::find(needs_.results.begin(), needs_.results.end(), object) == needs_.results.end())
        needs_.results.push_back(object), needs_.samples = true;
  }
  if (sizes) sizes->found = false;
  return choose(feeds, objects, sizes);
}

// Inputs that the user's graph does not have: gradients of the roots, then values of the first part.
void Executable::check_further(const Program& p, const std::vector<const Value*>& feeds) const {
  const std::vector<Variable>& further = p.graph.leaves;
  if (further.empty()) return;
  if (feeds.size() != leaves_.size() + further.size())
    throw value_error("the function is not as it was in the forward run whose state is given")
        .remedy("call forward again");
  for (const Patch& s : p.feeds) {
    const size_t index = static_cast<size_t>(s.index);
    if (index < leaves_.size()) continue;
    const size_t k = index - leaves_.size();
    if (!feeds[index])
      throw value_error(cat("no gradient was given for the root ", request_.roots[k].text()));
    check_feed(further[k], *feeds[index]);
  }
}

std::unique_ptr<Frame> Executable::take_frame(const std::shared_ptr<const Program>& program) {
  {
    std::lock_guard lock(mutex_);
    for (size_t i = frames_.size(); i-- > 0;)
      if (frames_[i]->program == program) {
        std::unique_ptr<Frame> f = std::move(frames_[i]);
        frames_.erase(frames_.begin() + static_cast<std::ptrdiff_t>(i));
        if (!fixed_) f->use(std::move(spare_));
        return f;
      }
  }
  auto f = std::make_unique<Frame>(program);
  for (const Patch& s : program->stored)
    f->operands[static_cast<size_t>(s.operand)].data = leaves_[static_cast<size_t>(s.index)].value().raw();
  return f;
}

void Executable::give_back(std::unique_ptr<Frame> f) {
  std::lock_guard lock(mutex_);
  if (!fixed_) {  // a program for each size that came, but they do not run at once
    MemoryBlock memory = f->give_up();
    if (memory && (!spare_ || memory.get_deleter().bytes >= spare_.get_deleter().bytes))
      spare_ = std::move(memory);
  }
  // used longest ago: of a program, perhaps, that nobody asks for again
  if (frames_.size() >= kMostFrames) frames_.erase(frames_.begin());
  frames_.push_back(std::move(f));
}

Outputs Executable::rehearse(const Feeds& feeds, ObjectStates& objects) {
  std::vector<const Value*> values(leaves_.size(), nullptr);
  for (size_t i = 0; i < values.size(); ++i)
    for (const auto& [input, value] : feeds)
      if (input == leaves_[i]) values[i] = &value;
  const DrawsKept kept_draws(*choose(values, &objects), sources_, *draws_, true);
  Outputs out;
  run(values, out, {}, nullptr, &objects);
  kept_draws.restore();
  return out;
}

// Whoever was shown the run's memory, and still holds it, keeps it: after an error, too, and where the run
// begins anew with more.
struct Executable::KeepShown {
  ObjectStates* objects;
  std::unique_ptr<Frame>& frame;
  Outputs& out;
  const std::vector<const Value*>& feeds;

  bool hand_over() const {
    if (!objects) return false;
    objects->go_out();
    std::shared_ptr<Lease> lease = objects->let_go();
    if (!lease) return false;
    lease->kept = {out.block_, std::shared_ptr<Frame>(std::move(frame))};
    for (const Value* v : feeds)
      if (v && v->data.owner()) lease->kept.push_back(v->data.owner());
    return true;
  }
  ~KeepShown() {
    hand_over();
    if (objects) objects->end();
  }
};

void Executable::run(const std::vector<const Value*>& feeds, Outputs& out, const RunOptions& given,
                     CarriedStates* states, ObjectStates* objects, Sizes* sizes) {
  RunOptions options = given;
  options.check_nan |= request_.checked;
  has_run_.store(true, std::memory_order_relaxed);
  std::optional<ObjectStates> own;
  if (!objects && plan_->calls_objects()) objects = &own.emplace();
  std::shared_ptr<const Program> program = choose(feeds, objects, sizes);
  const Program& p = *program;
  check_further(p, feeds);
  std::unique_ptr<Frame> f = take_frame(program);
  const DrawsKept kept_draws(p, sources_, *draws_);
  if (!states) states = &states_;
  if (p.objects.empty()) objects = nullptr;
  auto enter_objects = [&] {
    f->objects = objects;
    for (int32_t i : p.objects) f->runs[static_cast<size_t>(i)].draws = objects;
  };
  enter_objects();
  const KeepShown keep{objects, f, out, feeds};
  std::shared_ptr<const Carried> before;
  std::shared_ptr<Carried> after;
  if (!p.carriers.empty()) before = states->last(), after = states->spare();
  for (;;) {
    bind(p, feeds, f->grown, f->wanted);
    if (!p.whole.empty()) refuse_parts(p, *f);
    if (after) begin_carrying(p, *f, before.get(), *after);
    try {
      run_bound(program, *f, feeds, out, options);
      break;
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::memory && !e.has("node")) rethrow_with_largest(e, p, f->wanted, sources_);
      throw;
    } catch (const MoreRows& m) {
      // Sequences made in the run are longer than was thought: once more, from the same random numbers.
      // Effects come last.
      kept_draws.restore();
      std::vector<int64_t> grown = std::move(f->grown);
      grown.resize(p.spaces.size());
      grown[static_cast<size_t>(m.space)] = m.rows;
      if (objects) objects->begin_anew();
      if (keep.hand_over()) f = take_frame(program), enter_objects();
      f->grown = std::move(grown);
    }
  }
  const std::vector<RowSpace>& spaces = f->wanted;
  out.layouts_.clear();
  for (size_t i = 0; i < spaces.size(); ++i)
    out.layouts_.push_back(spaces[i].layout ? spaces[i].layout : f->spaces[i].layout);
  for (const OperandRef& r : p.outputs)
    if (r.has_rows() && !out.layouts_[static_cast<size_t>(r.space)])
      throw runtime_error(cat("nothing says how long the sequences on ",
                              p.spaces[static_cast<size_t>(r.space)].axes.text(), " are"))
          .remedy("feed an input that lies on this axis");
  if (after) states->keep(std::move(after));
  for (int32_t leaf : p.changed) leaves_[static_cast<size_t>(leaf)].add_to_version();
  keep.hand_over();
  if (f) give_back(std::move(f));
}

void Executable::run_bound(const std::shared_ptr<const Program>& program, Frame& frame,
                           const std::vector<const Value*>& feeds, Outputs& out, const RunOptions& options) {
  const Program& p = *program;
  Frame* f = &frame;
  f->lay_out();
  for (const Patch& s : p.feeds) {
    cantik_operand& o = f->operands[static_cast<size_t>(s.operand)];
    point_at(o, feeds[static_cast<size_t>(s.index)]->data);
    o.data = p.operands[static_cast<size_t>(s.operand)].in(o.data);
  }
  prepare_outputs(program, f->wanted, out);
  for (const Patch& s : p.output_patches)
    f->operands[static_cast<size_t>(s.operand)].data =
        p.operands[static_cast<size_t>(s.operand)].in(out.data(static_cast<size_t>(s.index)));
  std::shared_ptr<const Packs> kept;
  if (!p.setup.empty()) {
    kept = packs(p, options);
    for (const Patch& s : p.setup_patches)
      f->operands[static_cast<size_t>(s.operand)].data = kept->memory[static_cast<size_t>(s.index)].get();
  }
  for (size_t i = 0; i < p.graph.lives.size(); ++i) {
    const ir::Live& l = p.graph.lives[i];
    double x = sources_[static_cast<size_t>(l.source)]->attributes[static_cast<size_t>(l.field)].real();
    DType dtype = DType::float32;
    for (const Patch& s : p.lives)
      if (s.index == static_cast<int32_t>(i)) dtype = p.operands[static_cast<size_t>(s.operand)].dtype;
    copy_numbers(DType::float64, &x, dtype, f->lives[i].bytes, 1);
  }
  for (size_t i = 0; i < p.live_fields.size(); ++i) {
    const LiveField& l = p.live_fields[i];
    f->live_fields[i] =
        l.source < 0
            ? l.value
            : sources_[static_cast<size_t>(l.source)]->attributes[static_cast<size_t>(l.field)].real();
  }
  if (!p.schedule.sparse.empty()) place_sparse(p, *f, feeds, out);
  if (f->objects) {
    ObjectStates& objects = *f->objects;
    const auto [memory, bytes] = f->memory();
    objects.lend(memory, bytes);
    objects.lend(out.block_.get(), out.bytes_);
    for (const Value* v : feeds)
      if (v && v->data.owner() && !v->data.is_sparse()) objects.lend(v->data.raw(), v->data.bytes());
  }
  execute(p, *f, options);
}

}  // namespace cantik::runtime
