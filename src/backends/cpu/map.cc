#include "backends/host/maps.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cantik/error.h>

#include "backends/cpu/columns.h"
#include "backends/cpu/list_bytes.h"
#include "backends/cpu/tile_program.h"

namespace cantik::host {

using namespace cpu;

namespace {

// How an operand's numbers meet the columns of a row of the result.
enum class Reading : uint8_t {
  full,      // column for column
  single,    // one number serves the row
  scattered  // by runs of columns: static axes broadcast
};

struct MapOperand {
  Reading reading = Reading::full;
  bool rows = true;                // its own row for each row of the result
  std::optional<ColumnRuns> runs;  // scattered
  int64_t period = 0;              // columns after which the numbers come again, if they do
  bool uniform = false;            // one number in each tile
  bool is_fixed() const { return reading == Reading::single && !rows; }
};

// columns: of rows that lie apart, several such are brought together in a tile; a number that serves more is
// spread once for all of them
constexpr int64_t kNarrow = 128;
// columns of a long row that are one thread's at least
constexpr int64_t kPiece = 16384;

template <class T>
class MapKernel final : public Kernel {
 public:
  MapKernel(const Expression& e, std::span<const Type> in, std::span<const Type> out)
      : columns_(out[0].shape.elements()),
        segment_(columns_),
        operands_(operands_of(in.first(static_cast<size_t>(e.inputs())), out[0].shape)) {
    find_uniform();
    find_step();
    TileOperands known;
    for (const MapOperand& o : operands_) {
      known.uniform.push_back(o.uniform);
      if (o.runs) state_bytes += bytes_of_list(o.runs->starts);
    }
    program_.emplace(e, known);
    rows_per_tile_ = columns_ > 0 && columns_ <= kTile / 2 && !moves_ ? kTile / columns_ : 1;
    piece_ = (kPiece + step_ - 1) / step_ * step_;
    pieces_ = std::max<int64_t>(1, columns_ / piece_);
    scratch_bytes = static_cast<int64_t>(sizeof(T)) *
                    (program_->scratch() + program_->spacing() * (program_->inputs() + program_->results()));
  }

  // A long row is several pieces. Units go with rows: those of the rows i .. j are units(i) .. units(j).
  int64_t units(int64_t rows) const override { return rows * pieces_; }

  void run(const Run& r) const override {
    constexpr int kMostSlots = 96;
    T* slot[kMostSlots];
    T* memory = r.scratch<T>();
    if (program_->slots() > kMostSlots)
      throw Failure(CANTIK_RUNTIME, "an elementwise chain needs too many slots");
    if (columns_ == 0) return;
    const int64_t widest = std::min(kTile, ((r.end() - r.begin()) * columns_ + 15) / 16 * 16);
    program_->start(slot, memory, widest);
    T* own = memory + program_->scratch();  // a tile for each operand and result that cannot be used in place
    if (rows_per_tile_ > 1 && (columns_ <= kNarrow || rows_are_dense(r))) {
      fill_shared(r, own);
      start_uniform(slot, own, widest);
      for (int64_t row = r.begin(); row < r.end(); row += rows_per_tile_)
        several_rows(r, slot, own, row, std::min(rows_per_tile_, r.end() - row));
    } else {
      for (int i = 0; i < program_->inputs(); ++i)
        if (const MapOperand& o = operands_[i]; o.is_fixed() || is_repeated(o))
          spread(o, static_cast<const T*>(r.in(i).data), tile(own, i), 0,
                 o.is_fixed() ? TileProgram<T>::kSome : std::min(step_, columns_));
      if (!moves_) start_uniform(slot, own, widest);
      for (int64_t unit = r.begin(); unit < r.end(); ++unit) {
        const int64_t piece = unit % pieces_, end = piece + 1 < pieces_ ? (piece + 1) * piece_ : columns_;
        for (int64_t c = piece * piece_; c < end;) {
          const int64_t stop = std::min(end, (c / segment_ + 1) * segment_);
          if (moves_)
            spread_uniform(r, slot, own, unit / pieces_, c, std::min(widest, (stop - c + 15) / 16 * 16));
          for (; c < stop; c += std::min(step_, stop - c))
            one_row(r, slot, own, unit / pieces_, c, std::min(step_, stop - c));
        }
      }
    }
  }

 private:
  static std::vector<MapOperand> operands_of(std::span<const Type> in, const Shape& result) {
    std::vector<MapOperand> operands;
    for (const Type& t : in) {
      MapOperand o;
      o.rows = t.axes.has_batch();
      if (t.shape.elements() == result.elements()) {
        o.reading = Reading::full;
      } else if (t.shape.elements() == 1) {
        o.reading = Reading::single;
      } else {
        o.reading = Reading::scattered;
        o.runs.emplace(result, t.shape);
        if (o.runs->repeats) o.period = o.runs->run;
      }
      operands.push_back(std::move(o));
    }
    return operands;
  }

  // A number that serves many columns is spread over a tile once for all of them, and what depends on such
  // numbers alone is computed once: for the whole run, for each row, or for each run of columns.
  void find_uniform() {
    for (MapOperand& o : operands_) {
      const bool serves_run = o.runs && !o.runs->advances && o.runs->run > kNarrow;
      const bool moves = columns_ > kNarrow && ((o.reading == Reading::single && o.rows) || serves_run);
      o.uniform = moves || o.is_fixed();
      moves_ |= moves;
      if (serves_run && moves) segment_ = std::gcd(segment_, o.runs->run);
    }
    if (segment_ > kNarrow || segment_ == columns_) return;
    // runs of several lengths have little in common
    segment_ = columns_, moves_ = false;
    for (MapOperand& o : operands_) {
      o.uniform = o.uniform && o.reading == Reading::single;
      moves_ |= o.uniform && o.rows;
    }
  }

  // Rows lie one behind the other, so that a tile may run over their borders.
  bool rows_are_dense(const Run& r) const {
    for (int i = 0; i < program_->inputs(); ++i) {
      const MapOperand& o = operands_[i];
      if (o.rows && o.reading == Reading::full && (r.in(i).map || r.in(i).stride != columns_)) return false;
    }
    for (int i = 0; i < program_->results(); ++i)
      if (r.out(i).stride != columns_) return false;
    return true;
  }
  T* tile(T* own, int i) const { return own + i * program_->spacing(); }
  T* result_tile(T* own, int i) const { return tile(own, program_->inputs() + i); }

  // Tiles of one row begin where what repeats begins again, so that one tile of it serves all.
  void find_step() {
    int64_t step = 16;
    for (const MapOperand& o : operands_)
      if (o.period && !o.rows && step <= kTile) step = std::lcm(step, std::min(o.period, kTile + 1));
    if (step <= kTile) step_ = kTile / step * step;
  }
  bool is_repeated(const MapOperand& o) const {
    return o.period && !o.rows && step_ % o.period == 0 && segment_ % o.period == 0;
  }
  const T* row(const Run& r, int i, int64_t row) const {
    return operands_[i].rows ? r.row<T>(i, row) : static_cast<const T*>(r.in(i).data);
  }

  // Computes what depends on uniform operands only, once these are in their tiles.
  void start_uniform(T** slot, T* own, int64_t n) const {
    for (int i = 0; i < program_->inputs(); ++i)
      if (operands_[i].uniform) slot[i] = tile(own, i);
    program_->run_uniform(slot, n);
  }
  void spread_uniform(const Run& r, T** slot, T* own, int64_t at, int64_t column, int64_t n) const {
    for (int i = 0; i < program_->inputs(); ++i) {
      const MapOperand& o = operands_[i];
      if (!o.uniform || o.is_fixed()) continue;
      const T* x = row(r, i, at);
      std::fill_n(tile(own, i), TileProgram<T>::kSome,
                  o.runs ? x[o.runs->starts[static_cast<size_t>(column / o.runs->run)]] : *x);
    }
    start_uniform(slot, own, n);
  }

  // Operands without rows: the same tile for every tile of rows.
  void fill_shared(const Run& r, T* own) const {
    for (int i = 0; i < program_->inputs(); ++i) {
      const MapOperand& o = operands_[i];
      if (o.rows) continue;
      const T* x = static_cast<const T*>(r.in(i).data);
      T* d = tile(own, i);
      int64_t rows = std::min(rows_per_tile_, r.end() - r.begin());
      for (int64_t k = 0; k < rows; ++k, d += columns_) spread(o, x, d, 0, columns_);
    }
  }
  void spread(const MapOperand& o, const T* x, T* d, int64_t column, int64_t n) const {
    if (o.reading == Reading::full)
      std::memcpy(d, x + column, static_cast<size_t>(n) * sizeof(T));
    else if (o.reading == Reading::single)
      kernels<T>().fill(d, x[0], n);
    else
      spread_runs(*o.runs, x, d, column, n);
  }
  void spread_runs(const ColumnRuns& runs, const T* x, T* d, int64_t column, int64_t n) const {
    int64_t run = column / runs.run, skip = column % runs.run;
    for (T* const end = d + n; d < end; ++run, skip = 0) {
      const int64_t some = std::min(runs.run - skip, static_cast<int64_t>(end - d));
      const T* from = runs.repeats ? x : x + runs.starts[static_cast<size_t>(run)];
      d = runs.advances ? std::copy_n(from + skip, some, d) : (kernels<T>().fill(d, *from, some), d + some);
    }
  }

  void several_rows(const Run& r, T** slot, T* own, int64_t first, int64_t rows) const {
    int64_t n = rows * columns_, whole = n / 16 * 16;
    for (int i = 0; i < program_->inputs(); ++i) {
      const MapOperand& o = operands_[i];
      if (!o.rows)
        slot[i] = tile(own, i);
      else if (o.reading == Reading::full && !r.in(i).map && r.in(i).stride == columns_)
        slot[i] = const_cast<T*>(r.row<T>(i, first));
      else {
        slot[i] = tile(own, i);
        if (o.reading == Reading::full && !r.in(i).map)
          kernels<T>().copy_lines(slot[i], columns_, r.row<T>(i, first), r.in(i).stride, rows, columns_);
        else
          for (int64_t k = 0; k < rows; ++k)
            spread(o, r.row<T>(i, first + k), slot[i] + k * columns_, 0, columns_);
      }
    }
    for (int i = 0; i < program_->results(); ++i)
      slot[program_->result_slot(i)] =
          r.out(i).stride == columns_ ? r.result<T>(i, first) : result_tile(own, i);
    run_tile(slot, own, n, whole);
    for (int i = 0; i < program_->results(); ++i)
      if (r.out(i).stride != columns_)
        kernels<T>().copy_lines(r.result<T>(i, first), r.out(i).stride, result_tile(own, i), columns_, rows,
                                columns_);
  }

  void one_row(const Run& r, T** slot, T* own, int64_t at, int64_t column, int64_t n) const {
    for (int i = 0; i < program_->inputs(); ++i) {
      const MapOperand& o = operands_[i];
      const T* x = row(r, i, at);
      if (o.reading == Reading::full)
        slot[i] = const_cast<T*>(x + column);
      else if (o.uniform || is_repeated(o))
        slot[i] = tile(own, i);
      else
        slot[i] = tile(own, i), spread(o, x, slot[i], column, n);
    }
    for (int i = 0; i < program_->results(); ++i)
      slot[program_->result_slot(i)] = r.result<T>(i, at) + column;
    run_tile(slot, own, n, n / 16 * 16);
  }

  // n elements; those past the last full vector through memory of our own, so that nothing is read or written
  // beyond the end.
  void run_tile(T** slot, T* own, int64_t n, int64_t whole) const {
    if (whole) program_->run(slot, whole);
    int64_t rest = n - whole;
    if (!rest) return;
    constexpr int kMost = 64;
    T* result[kMost];
    for (int i = 0; i < program_->inputs(); ++i) {
      if (operands_[i].uniform) continue;
      T* d = tile(own, i);
      T* x = slot[i] + whole;
      if (slot[i] == d) {  // already ours: it may be read beyond
        slot[i] = x;
        continue;
      }
      std::memcpy(d, x, static_cast<size_t>(rest) * sizeof(T));
      slot[i] = d;
    }
    for (int i = 0; i < program_->results(); ++i) {
      int s = program_->result_slot(i);
      result[i] = slot[s] + whole;
      slot[s] = slot[s] == result_tile(own, i) ? result[i] : result_tile(own, i);
    }
    program_->run(slot, 16);
    for (int i = 0; i < program_->results(); ++i)
      if (slot[program_->result_slot(i)] != result[i])
        std::memcpy(result[i], slot[program_->result_slot(i)], static_cast<size_t>(rest) * sizeof(T));
  }

  int64_t columns_, rows_per_tile_ = 1, step_ = kTile;
  int64_t segment_;                 // columns that the same uniform operands serve
  int64_t piece_ = 0, pieces_ = 1;  // columns of a piece but for the last; pieces of a row
  bool moves_ = false;              // uniform operands differ from row to row or from segment to segment
  std::vector<MapOperand> operands_;
  std::optional<TileProgram<T>> program_;
};

// Rows as they are, of numbers that there is no arithmetic on.
template <class T>
struct CopyMap final : Kernel {
  int64_t elements;
  explicit CopyMap(int64_t n) : elements(n) {}
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row)
      std::copy_n(r.row<T>(0, row), elements, r.result<T>(0, row));
  }
};

bool is_copy(const Expression& e, std::span<const Type> in, std::span<const Type> out) {
  return e.results.size() == 1 && e.codes[e.results[0]].op == CANTIK_X_INPUT && in[0].shape == out[0].shape &&
         in[0].dtype == out[0].dtype;
}

std::unique_ptr<Kernel> make_copy(const Type& t) {
  const int64_t elements = t.shape.elements();
  switch (size_of(t.dtype)) {
    case 1: return std::make_unique<CopyMap<int8_t>>(elements);
    case 2: return std::make_unique<CopyMap<int16_t>>(elements);
    default: return std::make_unique<CopyMap<int32_t>>(elements);
  }
}

}  // namespace

std::unique_ptr<Kernel> make_map(const Expression& e, std::span<const Type> in, std::span<const Type> out) {
  switch (out[0].dtype) {
    case DType::float32: return std::make_unique<MapKernel<float>>(e, in, out);
    case DType::float64: return std::make_unique<MapKernel<double>>(e, in, out);
    default:
      if (is_copy(e, in, out)) return make_copy(out[0]);
      throw unsupported("there is no elementwise arithmetic on " + std::string(name_of(out[0].dtype)))
          .remedy("cast the operands to float32, and the result back");
  }
}

}  // namespace cantik::host
