#include "execute/outputs.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/text.h"
#include "execute/carried.h"
#include "execute/frame.h"

namespace cantik::runtime {

void Outputs::prepare(const std::shared_ptr<const Program>& p, const std::vector<RowSpace>& spaces) {
  bool reuse = program_ == p && alone(block_) && most_.size() == spaces.size();
  for (size_t s = 0; s < spaces.size() && reuse; ++s) reuse = most_[s] == spaces[s].most;
  if (reuse) return;
  program_ = p;
  most_.clear();
  for (const RowSpace& s : spaces) most_.push_back(s.most);
  offsets_.clear();
  size_t total = 0;
  for (const OperandRef& r : p->outputs) {
    offsets_.push_back(total);
    const size_t row = bytes_of(r.stride, size_of(r.dtype));
    if (r.place.where == ir::Where::output) total += round_up(bytes_of(spaces[r.space].most, row));
  }
  if (!alone(block_) || bytes_ < total) {
    block_ = allocate(total);
    bytes_ = total;
  }
}

// Memory for sparse rows: where the rows start, the columns, the values, one behind the other.
void Outputs::place_sparse(Frame& f, const std::vector<const Value*>& feeds) {
  const Program& p = *f.program;
  sparse_.assign(p.outputs.size(), nullptr);
  operands_.assign(p.outputs.size(), {});
  std::vector<cantik_operand> where(p.schedule.sparse.size());
  for (size_t k = 0; k < where.size(); ++k) {
    const ir::SparseSlot& s = p.schedule.sparse[k];
    const Type& t = p.graph.type(s.value);
    int64_t rows = f.spaces[p.schedule.space[s.value]].most;
    int64_t entries = s.fixed + s.per_row * (t.axes.has_batch() ? rows : f.most_rows());
    for (int32_t leaf : s.feeds) entries += feeds[leaf]->data.nonzeros();
    if (s.most >= 0) entries = std::min(entries, s.most);
    bool few = t.storage == Storage::row_sparse;
    int64_t width = few && t.shape[0] > 0 ? t.shape.elements() / t.shape[0] : 1, starts = few ? 2 : rows + 1;
    size_t columns_at = round_up(static_cast<size_t>(starts) * sizeof(int64_t)),
           values_at = columns_at + round_up(static_cast<size_t>(entries) * sizeof(int32_t));
    size_t bytes = values_at + bytes_of(entries, bytes_of(width, size_of(t.dtype)));
    char* memory = nullptr;
    if (s.output >= 0) {
      sparse_[s.output] = allocate(bytes);
      memory = static_cast<char*>(sparse_[s.output].get());
    } else if (s.on_device) {
      memory = f.device->sparse(k, bytes);
    } else {
      if (f.sparse_bytes[k] < bytes) f.sparse[k] = allocate_block(bytes), f.sparse_bytes[k] = bytes;
      memory = static_cast<char*>(f.sparse[k].get());
    }
    where[k].starts = reinterpret_cast<int64_t*>(memory);
    where[k].columns = reinterpret_cast<int32_t*>(memory + columns_at);
    where[k].data = memory + values_at;
    if (s.output >= 0) operands_[s.output] = where[k];
  }
  for (const Patch& s : p.sparse_patches) {
    cantik_operand& o = f.operands[s.operand];
    o.starts = where[s.index].starts;
    o.columns = where[s.index].columns;
    o.data = where[s.index].data;
  }
}

void Outputs::set_layouts(const Frame& f) {
  layouts_.clear();
  for (size_t i = 0; i < f.wanted.size(); ++i)
    layouts_.push_back(f.wanted[i].layout ? f.wanted[i].layout : f.spaces[i].layout);
  for (const OperandRef& r : program_->outputs)
    if (r.has_rows() && !layouts_[r.space])
      throw runtime_error(
          cat("the lengths of the sequences on ", program_->spaces[r.space].axes.text(), " are unknown"))
          .remedy("feed an input that has this axis");
}

Outputs::RowSparse Outputs::row_sparse(size_t i) const {
  const cantik_operand& o = operands_[i];
  return {o.starts[1], o.columns, o.data};
}

Value Outputs::value(size_t i) const {
  const OperandRef& r = program_->outputs[i];
  const Type& t = program_->graph.type(program_->graph.outputs[i]);
  const std::shared_ptr<const Layout>& layout = layouts_[r.space];
  Shape shape = r.has_rows() ? Shape{layout->rows()} + t.shape : t.shape;
  if (r.storage != Storage::dense) {
    const cantik_operand& o = operands_[i];
    const std::shared_ptr<void>& owner = sparse_[i];
    std::shared_ptr<const int32_t> columns(owner, o.columns);
    std::shared_ptr<const void> values(owner, o.data);
    if (r.storage == Storage::row_sparse)
      return Value(Tensor::row_sparse(t.dtype, shape, o.starts[1], columns, values), nullptr);
    if (!r.has_rows())
      return Value(Tensor::csr_matrix(t.dtype, shape, o.starts[1] - o.starts[0], o.columns, o.data), nullptr);
    return Value(
        Tensor::csr(t.dtype, shape, std::shared_ptr<const int64_t>(owner, o.starts), columns, values),
        layout);
  }
  return Value(Tensor::borrow(t.dtype, std::move(shape), const_cast<void*>(data(i)), block_),
               r.has_rows() ? layout : nullptr);
}

}  // namespace cantik::runtime
