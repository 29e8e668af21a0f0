// y[i...] = reference[indices[i...]]: rows of a table, by number.
#include <algorithm>

#include <cantik/op.h>

#include "backends/host/row_sparse.h"
#include "backends/host/loops.h"
#include "ops/data_index.h"
#include "ops/shape/onnx_elements.h"
#include "ops/shape/onnx_places.h"

using namespace cantik;

namespace {

struct Gather {
  int64_t axis = axis_code::kNone;
  static constexpr auto fields() {
    return list(
        field("axis", &Gather::axis, "the axis of the reference that is looked up; without one, the first")
            .key("axis")
            .role(CANTIK_AXIS));
  }
};

struct GatherTable {
  Shape shape;
  static constexpr auto fields() {
    return list(field("shape", &GatherTable::shape, "shape of the table").role(CANTIK_SHAPE_OF));
  }
};

template <class T>
int64_t checked(T x, int64_t rows, int64_t sample) {
  const int64_t i = data_index(x);
  if (i < 0 || i >= rows)
    throw value_failure("the index " + text_of_index(x) + " in row " + std::to_string(sample) +
                        " is outside the table, which has " + std::to_string(rows) + " rows");
  return i;
}

template <class T>
struct Lookup final : Kernel {
  int64_t rows, width, count;
  Lookup(const Shape& table, const Shape& indices)
      : rows(table[0]), width(rows ? table.elements() / rows : 0), count(indices.elements()) {}
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      const T *table = r.row<T>(0, row), *index = r.row<T>(1, row);
      T* y = r.result<T>(0, row);
      for (int64_t i = 0; i < count; ++i)
        std::copy_n(table + checked(index[i], rows, row) * width, width, y + i * width);
    }
  }
};

template <class T>
struct FromFront final : Kernel {
  int64_t rows, count;
  FromFront(const Shape& table, const Shape& indices) : rows(table[0]), count(indices.elements()) {}
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      const T* x = r.row<T>(0, row);
      T* y = r.result<T>(0, row);
      for (int64_t i = 0; i < count; ++i) y[i] = x[i] < 0 ? x[i] + static_cast<T>(rows) : x[i];
    }
  }
};

// The gradient of a table without samples: only rows that were read get something.
template <class T>
struct GatheredRows final : Kernel {
  int64_t rows, width, count;
  GatheredRows(const Shape& table, const Shape& indices)
      : rows(table[0]), width(rows ? table.elements() / rows : 0), count(indices.elements()) {
    scratch_bytes = host::RowSet::scratch_bytes(rows);
  }
  int64_t units(int64_t) const override { return 1; }
  void run(const Run& r) const override {
    host::RowSet set(r.scratch<char>(), rows);
    int64_t samples = std::max(r.in(0).rows, r.in(1).rows);
    for (int64_t row = 0; row < samples; ++row)
      for (int64_t i = 0; i < count; ++i) set.put(checked(r.row<T>(0, row)[i], rows, row));
    host::RowSparseOut out(r.out());
    *out.count = set.list(out.rows);
    T* y = static_cast<T*>(out.values);
    std::fill_n(y, *out.count * width, T(0));
    for (int64_t row = 0; row < samples; ++row)
      for (int64_t i = 0; i < count; ++i)
        host::loops<T>().add(y + set.place(data_index(r.row<T>(0, row)[i])) * width,
                             r.row<T>(1, row) + i * width, width);
  }
};

// Rows that go to places of a table, which each sample has for itself.
struct RowsToPlaces : Kernel {
  int64_t rows, elements, width, count;
  RowsToPlaces(const Shape& table, const Shape& indices)
      : rows(table[0]),
        elements(table.elements()),
        width(rows ? elements / rows : 0),
        count(indices.elements()) {}
};

// The gradient of such a table.
template <class T>
struct Scatter final : RowsToPlaces {
  using RowsToPlaces::RowsToPlaces;
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      T* y = r.result<T>(0, row);
      std::fill_n(y, elements, T(0));
      for (int64_t i = 0; i < count; ++i)
        host::loops<T>().add(y + checked(r.row<T>(0, row)[i], rows, row) * width,
                             r.row<T>(1, row) + i * width, width);
    }
  }
};

struct ScatterReduced {
  std::string reduction = "max";
  static constexpr auto fields() {
    return list(field("reduction", &ScatterReduced::reduction, "how numbers are joined"));
  }
};

template <class T>
struct JoinRows final : RowsToPlaces {
  std::string reduction;
  JoinRows(const Shape& table, const Shape& indices, std::string how)
      : RowsToPlaces(table, indices), reduction(std::move(how)) {}
  T joined(T a, T b) const {
    if (reduction == "mul") return a * b;
    return reduction == "max" ? std::max(a, b) : std::min(a, b);
  }
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      T* y = r.result<T>(0, row);
      std::copy_n(r.row<T>(0, row), elements, y);
      for (int64_t i = 0; i < count; ++i) {
        T* to = y + checked(r.row<T>(1, row)[i], rows, row) * width;
        const T* from = r.row<T>(2, row) + i * width;
        for (int64_t j = 0; j < width; ++j) to[j] = joined(to[j], from[j]);
      }
    }
  }
};

// Rows of the table become those of y; of several for one row the last one stays.
template <class T>
struct WriteRows final : RowsToPlaces {
  using RowsToPlaces::RowsToPlaces;
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      T* y = r.result<T>(0, row);
      std::copy_n(r.row<T>(0, row), elements, y);
      for (int64_t i = 0; i < count; ++i)
        std::copy_n(r.row<T>(2, row) + i * width, width, y + checked(r.row<T>(1, row)[i], rows, row) * width);
    }
  }
};

// The gradient of what was written: 0 for rows that a later one took the place of.
template <class T>
struct WrittenRows final : Kernel {
  int64_t rows, width, count;
  WrittenRows(const Shape& table, const Shape& indices)
      : rows(table[0]), width(rows ? table.elements() / rows : 0), count(indices.elements()) {
    scratch_bytes = rows;
  }
  void run(const Run& r) const override {
    auto* taken = r.scratch<char>();
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      std::fill_n(taken, rows, char{0});
      for (int64_t i = count; i-- > 0;) {
        const int64_t at = checked(r.row<T>(1, row)[i], rows, row);
        T* to = r.result<T>(0, row) + i * width;
        if (taken[at])
          std::fill_n(to, width, T(0));
        else
          std::copy_n(r.row<T>(0, row) + at * width, width, to);
        taken[at] = 1;
      }
    }
  }
};

// ONNX's: the axis is replaced by those of the indices, which count from the end where they are negative.
constexpr auto read_onnx_gather = [](OnnxNode& n) {
  Term x = n.x(0), indices = n.x(1);
  int64_t axis = n.axis_of(n.integer("axis"), n.rank(x));
  const std::vector<int64_t> at = n.dims(indices);
  const std::vector<int64_t> from = n.dims(x);
  const int64_t size = from[axis];
  std::vector<int64_t> places;
  if (n.known(indices)) places = n.sizes(1);
  // A size that only a run knows is a place that only a run knows.
  const bool known = n.known(indices) && std::none_of(places.begin(), places.end(),
                                                      [](int64_t p) { return p <= CANTIK_ONNX_SYMBOL; });
  if (!known) places.clear();
  if (known) {
    for (int64_t& p : places) {
      if (p < 0 && size >= 0) p += size;
      if (size >= 0 && (p < 0 || p >= size))
        throw value_failure("the index " + std::to_string(p) + " is outside of the axis");
    }
    if (n.known(x) && n.is_whole(x) && from.size() == 1) {
      const std::vector<int64_t> all = n.sizes(0);
      for (int64_t& p : places) p = all.at(static_cast<size_t>(p));
      n.result_numbers(0, at, places);
      return;
    }
  }
  std::vector<int64_t> dims(from.begin(), from.begin() + axis);
  dims.insert(dims.end(), at.begin(), at.end());
  dims.insert(dims.end(), from.begin() + axis + 1, from.end());
  x = n.with_static(x, axis);
  const int lead = n.lead(x);
  if (!places.empty() && places.size() == 1) {  // one place: a part of the axis
    std::vector<int64_t> one{axis}, begin{places[0]}, end{places[0] + 1};
    std::vector<int64_t> part = n.dims(x);
    part[axis + lead] = 1;
    const Term y = n.call("slice", {x}, {{"axis", one}, {"begin_index", begin}, {"end_index", end}});
    n.result(n.reshape(n.with_dims(y, part), dims));
    return;
  }
  if (known) {
    std::vector<double> whole(places.begin(), places.end());
    indices = n.constants(whole, at, x);
  } else if (n.lead(indices) != 0 && (axis != 0 || lead != 0)) {
    indices = n.plain(indices);
  }
  if (!known && size >= 0)  // negative ones count from the end
    indices = indices + n.constant(static_cast<double>(size), indices) *
                            n.call("less", {indices, n.constant(0, indices)});
  // the axis comes to the front, and what was looked up goes back behind those before it
  const int rank = n.rank(x) - lead;
  std::vector<int64_t> perm{axis};
  for (int i = 0; i < rank; ++i)
    if (i != axis) perm.push_back(i);
  const Term table = axis == 0 ? x : n.call("transpose", {x}, {{"perm", perm}});
  const bool from_end = std::any_of(places.begin(), places.end(), [](int64_t p) { return p < 0; });
  if (size < 0 && (!known || from_end)) indices = n.call("places_from_front", {indices, table});
  Term y = n.call("gather", {table, indices});
  if (axis != 0) {
    const int64_t k = n.rank(indices);
    std::vector<int64_t> back;
    for (int64_t i = 0; i < axis; ++i) back.push_back(k + i);
    for (int64_t i = 0; i < k; ++i) back.push_back(i);
    for (int64_t i = axis + 1; i < rank; ++i) back.push_back(k + i - 1);
    y = n.call("transpose", {y}, {{"perm", back}});
  }
  n.result(n.with_dims(y, dims));
};

// Rows that join those of a table, [rows, ...], where operand `where` says: as numbers of ONNX's, each with a
// place of its own along the axis of the rows.
void write_scattered(OnnxGraph& g, OnnxValue table, int table_lead, OnnxValue rows, int rows_at, int where,
                     const std::string& reduction) {
  const bool joins = reduction != "none";
  const int64_t since = reduction == "max" || reduction == "min" ? 18 : joins ? 16 : 11;
  if (g.version() < since)
    throw Failure(CANTIK_UNSUPPORTED, "rows are joined by '" + reduction +
                                          "' in ONNX's operators from version " + std::to_string(since) +
                                          " on");
  const Shape shape = g.out().shape, indices = g.shape(where);
  const int lead = g.out().axes;
  const int64_t width = shape[0] ? shape.elements() / shape[0] : 0, count = indices.elements();
  // [dynamic axes..., rows, width], with axes of size 1 where an operand has no dynamic axes
  auto flat = [&](OnnxValue v, int own, int64_t first, int64_t second) {
    std::vector<int64_t> dims(static_cast<size_t>(own), 0);
    dims.insert(dims.end(), {first, second});
    return g.inserted(g.node("Reshape", {v, g.integers(dims)}), 0, lead - own);
  };
  const OnnxValue at = flat(g.cast(g.x(where), OnnxGraph::kInt64), g.lead(where), count, 1);
  const OnnxValue updates =
      g.node("Expand", {flat(rows, g.lead(rows_at), count, width), g.node("Shape", {at})});
  const OnnxValue places = g.node("Expand", {at, g.node("Shape", {updates})});
  OnnxValue data = flat(table, table_lead, shape[0], width);
  if (table_lead < lead) {
    const OnnxValue front =
        g.node("Slice", {g.node("Shape", {updates}), g.integers({0}), g.integers({lead}), g.integers({0})});
    data = g.node("Expand", {data, g.node("Concat", {front, g.integers({shape[0], width})}, {{"axis", 0}})});
  }
  std::vector<Argument> arguments{{"axis", lead}};
  if (joins) arguments.push_back({"reduction", reduction.c_str()});
  const OnnxValue y = g.node("ScatterElements", {data, places, updates}, arguments);
  g.result(g.reshape(y, lead, shape));
}

}  // namespace

CANTIK_OP(gather) {
  op.attributes<Gather>("gather(reference, indices, axis=None, name='')")
      .named("arrays", "first")
      .doc(
          "Rows of reference by number: [5, 4] and indices [2] give [2, 4]. With an axis other than the "
          "first, that axis and the first change places before and behind. "
          "Indices are whole numbers, in the element type of the reference; one outside of the table is an "
          "error.")
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b, const Gather& a) {
        Shape table = b.x(0).type().shape;
        bool first = a.axis == axis_code::kNone || a.axis == 0 ||
                     (table.is_known() && axis_from_end(a.axis, table.rank()) == -table.rank());
        if (first)
          b.result(b.call("gather_rows", {b.x(0), b.x(1)}, {{"axis", a.axis}}));
        else
          b.result(b.call("gather_axis", {b.x(0), b.x(1)}, {{"axis", a.axis}}));
      })
      .sample_between(0, 3, {{3, 2}, {4}});

  op.attributes<Gather>("gather_rows(reference, indices, axis=None, name='')")
      .doc("Rows of a table by number.")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE)
      .type([](Infer& in, const Gather&) {
        Shape table = in.shape(0), indices = in.shape(1);
        if (!table.is_known() || !indices.is_known()) {
          in.set(in.join(0, 1, Shape::unknown()));
          return;
        }
        if (table.rank() == 0)
          throw Failure(CANTIK_RUNTIME, "the reference must have at least one axis, and is a single number");
        in.set(in.join(0, 1, indices + table.sub(1, table.rank())));
      })
      .gradient([](Gradient& g, const Gather&) {
        if (!g.wanted(0)) return;
        Shape table = g.x(0).shape();
        g.dx(0, g.call(g.x(0).type().has_batch() ? "scatter_rows" : "scatter_row_sparse", {g.x(1), g.dy()},
                       {{"shape", table}}));
      })
      .kernel("rows", [](const Prepare& p,
                         const Gather&) { return of_type<Lookup>(p.dtype(), p.in(0).shape, p.in(1).shape); })
      .cntk("Gather", 74)
      .cntk_form({.order = {1, 0}})
      .onnx_write("Gather",
                  [](OnnxGraph& g) {
                    const OnnxValue indices = g.cast(g.x(1), OnnxGraph::kInt64);
                    const int lead = g.lead(0);
                    if (lead > 0 && g.lead(1) > 0) {  // each sample's own table
                      const OnnxValue one_by_one = g.unsqueeze(indices, {g.lead(1) + g.shape(1).rank()});
                      g.result(g.node("GatherND", {g.x(0), one_by_one}, {{"batch_dims", lead}}));
                    } else {
                      g.result(g.node("Gather", {g.x(0), indices}, {{"axis", lead}}));
                    }
                  })
      .onnx_read("Gather", read_onnx_gather)
      .onnx_read("ReverseSequence", [](OnnxNode& n) { onnx_places::reverse(n); })
      .onnx_read("TensorScatter", [](OnnxNode& n) { onnx_places::write_cache(n); })
      .onnx_read("GatherElements",
                 [](OnnxNode& n) { onnx_elements::gather(n, onnx_elements::along_axis(n)); })
      .onnx_read("GatherND",
                 [](OnnxNode& n) {
                   onnx_elements::gather(n, onnx_elements::by_coordinates(n, n.integer("batch_dims")));
                 })
      .sample_between(0, 3, {{3, 2}, {4}});

  op.signature("places_from_front(indices, table)")
      .doc("The indices, of which negative ones count from the last row of the table.")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE | CANTIK_NO_GRADIENT)
      .layout_and_type_only(1)
      .type([](Infer& in) { in.set(in.like(0, in.shape(0))); })
      .kernel("each",
              [](const Prepare& p, const NoAttributes&) {
                return of_type<FromFront>(p.dtype(), p.in(1).shape, p.in(0).shape);
              })
      .onnx_write("Identity", [](OnnxGraph& g) { g.result(g.node("Identity", {g.x()})); });

  op.attributes<Gather>("gather_axis(reference, indices, axis=1, name='')")
      .doc("The same along another axis.")
      .traits(CANTIK_HIDDEN)
      .composite([](Builder& b, const Gather& a) {
        int rank = b.x(0).shape().rank();
        Term table =
            b.call("transpose", {b.x(0)}, {{"axis1", -rank}, {"axis2", axis_from_end(a.axis, rank)}});
        Term y = b.call("gather_rows", {table, b.x(1)}, {{"name", "_inner"}});
        // The first axis of what was found, and the one that the axis is there.
        int all = b.x(1).shape().rank() + rank - 1;
        b.result(b.call("transpose", {y}, {{"axis1", -all}, {"axis2", axis_from_end(a.axis, all)}}));
      })
      .cntk_block("GatherOp")
      .sample_between(0, 3, {{2, 3}, {4}}, {.axis = 1});

  op.attributes<GatherTable>("scatter_row_sparse(indices, dy, shape)")
      .traits(CANTIK_HIDDEN | CANTIK_SUMS_ROWS)
      .type([](Infer& in, const GatherTable& a) {
        TypeView t = in.like(1, a.shape);
        t.axes = CANTIK_NO_AXES;
        t.storage = CANTIK_ROW_SPARSE;
        t.entries = in.shape(0).is_static() ? in.shape(0).elements() : 0;
        in.set(t);
      })
      .kernel("rows", [](const Prepare& p, const GatherTable& a) {
        return of_type<GatheredRows>(p.dtype(), a.shape, p.in(0).shape);
      });

  op.attributes<GatherTable>("scatter_rows(indices, dy, shape)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE)
      .type([](Infer& in, const GatherTable& a) { in.set(in.join(0, 1, a.shape)); })
      .gradient([](Gradient& g, const GatherTable&) {
        if (g.wanted(1)) g.dx(1, g.call("gather_rows", {g.dy(), g.x(0)}));
      })
      .onnx_read("ScatterElements",
                 [](OnnxNode& n) { onnx_elements::scatter(n, onnx_elements::along_axis(n)); })
      .onnx_read("Scatter", [](OnnxNode& n) { onnx_elements::scatter(n, onnx_elements::along_axis(n)); })
      .onnx_read("ScatterND",
                 [](OnnxNode& n) { onnx_elements::scatter(n, onnx_elements::by_coordinates(n, 0, true)); })
      .kernel("rows",
              [](const Prepare& p, const GatherTable& a) {
                return of_type<Scatter>(p.dtype(), a.shape, p.in(0).shape);
              })
      .onnx_write("ScatterElements", [](OnnxGraph& g, const GatherTable& a) {
        const std::vector<double> zeros(static_cast<size_t>(a.shape.elements()), 0.0);
        write_scattered(g, g.reals(g.out().dtype, zeros, a.shape), 0, g.x(1), 1, 0, "add");
      });

  op.signature("scatter_written(table, indices, y, name='')")
      .doc("The table with other rows where the indices say; of several for one row the last one stays.")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE)
      .type([](Infer& in) { in.set(in.join(0, 1, in.shape(0))); })
      .gradient([](Gradient& g) {
        if (g.wanted(0)) {
          const Term none = g.call("constant_like", {g.x(2)}, {{"fill", 0.0}});
          g.dx(0, g.call("scatter_written", {g.dy(), g.x(1), none}));
        }
        if (g.wanted(2)) g.dx(2, g.call("gather_written", {g.dy(), g.x(1)}));
      })
      .kernel("rows",
              [](const Prepare& p, const NoAttributes&) {
                return of_type<WriteRows>(p.dtype(), p.in(0).shape, p.in(1).shape);
              })
      .onnx_write("ScatterElements",
                  [](OnnxGraph& g) { write_scattered(g, g.x(0), g.lead(0), g.x(2), 2, 1, "none"); });

  op.signature("gather_written(table, indices)")
      .doc("The rows of a table that the indices say, but 0 where a later index is the same.")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE)
      .type([](Infer& in) {
        const Shape table = in.shape(0), indices = in.shape(1);
        in.set(in.join(0, 1, indices + table.sub(1, table.rank())));
      })
      .gradient([](Gradient& g) {
        const Term none = g.call("constant_like", {g.x(0)}, {{"fill", 0.0}});
        if (g.wanted(0)) g.dx(0, g.call("scatter_written", {none, g.x(1), g.dy()}));
      })
      .kernel("rows", [](const Prepare& p, const NoAttributes&) {
        return of_type<WrittenRows>(p.dtype(), p.in(0).shape, p.in(1).shape);
      });

  op.attributes<ScatterReduced>("scatter_reduced(table, indices, y, reduction='max', name='')")
      .doc(
          "The table with numbers at the rows that the indices say: each is joined with what is there, by "
          "'max', 'min' or 'mul'.")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE | CANTIK_NO_GRADIENT)
      .type([](Infer& in, const ScatterReduced& a) {
        if (a.reduction != "max" && a.reduction != "min" && a.reduction != "mul")
          throw value_failure("the reduction must be 'max', 'min' or 'mul', and is '" + a.reduction + "'");
        in.set(in.join(0, 1, in.shape(0)));
      })
      .kernel("rows",
              [](const Prepare& p, const ScatterReduced& a) {
                return of_type<JoinRows>(p.dtype(), p.in(0).shape, p.in(1).shape, a.reduction);
              })
      .onnx_write("ScatterElements", [](OnnxGraph& g, const ScatterReduced& a) {
        write_scattered(g, g.x(0), g.lead(0), g.x(2), 2, 1, a.reduction);
      });
}
