// Facts of an operator that plans and files ask for, as its file states them; the C structs of plugin.h point
// into these.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <cantik/op/builder.h>
#include <cantik/op/infer.h>
#include <cantik/op/keeper.h>
#include <cantik/plugin.h>

namespace cantik {

// How the operator stands in CNTK's files, where its attributes do not say everything.
struct CntkForm {
  // Entries that tell the operator from others of the same number.
  std::vector<std::pair<const char*, std::variant<bool, int64_t, const char*>>> fixed = {};
  // Entries that may be there and change nothing.
  std::vector<const char*> ignored = {};
  // Which of our operands stand where in the file.
  std::vector<int32_t> order = {};
  // Operands of the file, constant numbers, that are attributes here.
  std::vector<cantik_operand_field> operand_fields = {};
  // Attributes that are not in the file: each is 0, or plus or minus the offset of a delay in the block.
  std::vector<const char*> delays = {};
  // What a convolution leaves to be filled in is spelled out in the file.
  cantik_windows windows = CANTIK_NO_WINDOWS;
  // Axes count along the result, not along the first operand.
  bool axes_of_result = false;
};

// n / d, with a positive d.
struct Ratio {
  int64_t n = 0, d = 1;  // n / d
};

// Which operand has the pixels of the result, and where: along the last axis but k, the pixel p of the result
// lies over the position scale * p + shift of the operand. Without a word: over the same place.
class Pixels {
 public:
  // Over the question that the host asks.
  explicit Pixels(cantik_pixels* c) : c_(c) {}
  // How many operands there are.
  int inputs() const { return c_->inputs; }
  // The shape of operand i; a negative size is not known yet.
  Shape shape(int i) const { return TypeView(c_->in[index_below(i, c_->inputs, "shape")]).shape; }
  // Operand i has them; without a call, the first.
  void operand(int i) { c_->operand = index_below(i, c_->inputs, "operand"); }
  // Along the last axis but k, 0 or 1.
  void along(int k, Ratio scale, Ratio shift) {
    c_->line[index_below(k, 2, "along")] = {{scale.n, scale.d}, {shift.n, shift.d}};
  }
  // A size that the positions depend on is not known yet.
  void open() { c_->open = 1; }

 private:
  cantik_pixels* c_;
};

// The operands and results that are images, [channels, pixels...], or, where the truth value `last` among the
// attributes is true, [pixels..., channels]. Without `last`, the operator does not ask which way they lie.
struct Images {
  const char* last = nullptr;                    // the attribute that says where the channels are
  std::vector<int> operands = {}, results = {};  // which of them are images
  bool preferred = false;                        // its kernels want channels last: images are turned for it
  // For the boundary.
  cantik_images c() const {
    cantik_images images{last, 0, 0, preferred, 0};
    for (int i : operands) images.operands |= 1u << i;
    for (int i : results) images.results |= 1u << i;
    return images;
  }
};

// Which part of a whole the other side is: positions from `begin` on along one static axis.
class RowPart {
 public:
  // Over the question that the host asks.
  explicit RowPart(cantik_part* c) : c_(c) {}
  // The shape of the whole.
  Shape whole() const { return TypeView(*c_->whole).shape; }
  // The axis, counted from the front, and the first position on it. Without a call, the parts do not lie side
  // by side along one axis.
  void along(int axis, int64_t begin = 0) {
    c_->axis = index_below(axis, whole().rank(), "along");
    c_->begin = begin;
  }

 private:
  cantik_part* c_;
};

// Which axes of operands and results are one.
class AxisNames {
 public:
  // Axes that stand side by side, by their numbers.
  using List = std::vector<int32_t>;

  // Over the question that the host asks.
  explicit AxisNames(cantik_axis_names* c) : c_(c) {}
  // The shape of operand i.
  Shape shape(int i) const { return TypeView(c_->in[index_below(i, c_->inputs, "shape")]).shape; }
  // So many axes that nothing has yet.
  List axes(int count) {
    List made;
    for (int i = 0; i < count; ++i) made.push_back(next_++);
    return made;
  }
  // The axes of operand i, in their order: one list behind the other.
  void operand(int i, std::initializer_list<List> lists) {
    const List all = joined(lists);
    check(c_->operand(c_->self, i, all.data(), static_cast<int32_t>(all.size())));
  }
  // The axes of result i.
  void result(int i, std::initializer_list<List> lists) {
    const List all = joined(lists);
    check(c_->result(c_->self, i, all.data(), static_cast<int32_t>(all.size())));
  }

 private:
  static List joined(std::initializer_list<List> lists) {
    List all;
    for (const List& list : lists) all.insert(all.end(), list.begin(), list.end());
    return all;
  }
  static void check(cantik_status s) {
    if (s) throw Failure(s, "");
  }
  cantik_axis_names* c_;
  int32_t next_ = 0;
};

// Which operand kernels want packed, and by which operator.
class Packing {
 public:
  // Over the question that the host asks.
  explicit Packing(cantik_packing* c) : c_(c) {}
  // The shape of operand i.
  Shape shape(int i) const { return TypeView(c_->in[index_below(i, c_->inputs, "shape")]).shape; }
  // Operand i, as this operator makes it of it. Without a call, no operand.
  void pack(int i, const char* op, std::initializer_list<Argument> arguments) {
    std::vector<cantik_argument> given;
    for (const Argument& a : arguments) given.push_back({a.name, a.value});
    if (cantik_status s = c_->pack(c_->self, i, op, given.data(), static_cast<int32_t>(given.size())))
      throw Failure(s, "");
  }

 private:
  cantik_packing* c_;
};

// Sizes that the type rule leaves open, told in a run from the numbers of the operands.
class LateSizes {
 public:
  // Over the question that the host asks.
  explicit LateSizes(cantik_sizes* c) : c_(c) {}
  // How many operands there are.
  int inputs() const { return c_->inputs; }
  // The type of operand i; its sizes are numbers.
  TypeView in(int i) const { return TypeView(c_->in[index_below(i, c_->inputs, "in")]); }
  // The type of result i, as the type rule set it.
  TypeView out(int i = 0) const { return TypeView(c_->out[index_below(i, c_->outputs, "out")]); }
  // The rows of operand i.
  const cantik_operand& rows(int i) const { return c_->rows[index_below(i, c_->inputs, "rows")]; }
  // Row r of operand i.
  template <class T>
  const T* row(int i, int64_t r = 0) const {
    const cantik_operand& o = rows(i);
    return static_cast<const T*>(o.data) + (o.map ? o.map[r] : r) * o.stride;
  }
  // Whether the run is one of training.
  bool training() const { return c_->training != 0; }
  // What is kept here is there for the kernels of the same call: it need not be computed twice.
  Keeper keeper() const { return Keeper(c_->keeper); }
  // The shape of result i, which has no batch axis.
  void set(int i, const Shape& shape) { set_all(i, shape); }
  // The number of rows of result i, and their shape.
  void set(int i, int64_t rows, const Shape& shape) { set_all(i, Shape{rows} + shape); }

 private:
  void set_all(int i, const Shape& shape) {
    if (cantik_status s = c_->set(c_->self, i, shape.rank(), shape.data())) throw Failure(s, "");
  }
  cantik_sizes* c_;
};

// What a definition keeps of them until it is handed over.
class Facts {
 public:
  // No facts at all.
  Facts() {
    c.size = sizeof c;
    form_.size = sizeof form_;
    form_.number = -1;
  }
  Facts(const Facts&) = delete;

  cantik_facts c{};                    // as they cross the boundary
  std::vector<cantik_reuse> reuses;    // which results may lie where operands do
  CntkForm form;                       // in CNTK's files
  std::string block, module, factory;  // texts that the form points to
  int64_t number = -1;                 // lists that the form points to

  // All of them for the boundary; what it points to lives as long as this object.
  const cantik_facts* handed_over() {
    c.reuses = reuses.data();
    c.reuse_count = static_cast<int32_t>(reuses.size());
    form_.number = number;
    form_.block = block.empty() ? nullptr : block.c_str();
    form_.module = module.empty() ? nullptr : module.c_str();
    form_.factory = factory.empty() ? nullptr : factory.c_str();
    fixed_.clear();
    for (const auto& [key, value] : form.fixed) fixed_.push_back({key, packed(value)});
    form_.fixed = fixed_.data();
    form_.fixed_count = static_cast<int32_t>(fixed_.size());
    form_.ignored = form.ignored.data();
    form_.ignored_count = static_cast<int32_t>(form.ignored.size());
    form_.order = form.order.data();
    form_.order_count = static_cast<int32_t>(form.order.size());
    form_.operand_fields = form.operand_fields.data();
    form_.operand_field_count = static_cast<int32_t>(form.operand_fields.size());
    form_.delays = form.delays.data();
    form_.delay_count = static_cast<int32_t>(form.delays.size());
    form_.windows = form.windows;
    form_.axes_of_result = form.axes_of_result;
    c.cntk = &form_;
    return &c;
  }

 private:
  static cantik_attribute packed(const std::variant<bool, int64_t, const char*>& value) {
    cantik_attribute a{};
    if (auto* truth = std::get_if<bool>(&value)) {
      a.kind = CANTIK_BOOL;
      a.as.integer = *truth;
    } else if (auto* whole = std::get_if<int64_t>(&value)) {
      a.kind = CANTIK_INT;
      a.as.integer = *whole;
    } else {
      a.kind = CANTIK_TEXT;
      a.as.text = std::get<const char*>(value);
    }
    return a;
  }

  cantik_cntk_form form_{};
  std::vector<cantik_argument> fixed_;
};

}  // namespace cantik
