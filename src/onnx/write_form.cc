// A function as the file of its operator says that it is written: what its rule sees, behind the plain C of
// <cantik/op/onnx.h>.
#include <algorithm>
#include <vector>

#include <cantik/error.h>
#include <cantik/op/onnx.h>

#include "base/text.h"
#include "graph/boundary.h"
#include "graph/compose.h"
#include "graph/types.h"
#include "onnx/catalog.h"
#include "onnx/writer.h"

namespace cantik::onnx {
namespace {

struct WriteHost {
  NodeWriter& writer;
  const Operator& op;
  Boundary boundary;
  template <class F>
  static cantik_status guard(void* self, F&& f) {
    WriteHost& h = *static_cast<WriteHost*>(self);
    return h.boundary.serve([&] { f(h); });
  }
  static cantik_status node(void* self, const char* op, const char* domain, const cantik_value* in,
                            int32_t count, const cantik_argument* arguments, int32_t argument_count,
                            cantik_value* out, int32_t out_count) {
    return guard(self, [&](WriteHost& h) {
      std::vector<AttributeRecord> attributes;
      for (int32_t i = 0; i < argument_count; ++i)
        if (arguments[i].value.kind != CANTIK_NONE)
          attributes.push_back(h.writer.attribute(arguments[i].name, arguments[i].value));
      const std::vector<int> made =
          h.writer.node(op, domain, {in, in + count}, std::move(attributes), out_count);
      std::copy(made.begin(), made.end(), out);
    });
  }
  static cantik_status integers(void* self, int32_t rank, const int64_t* dims, const int64_t* numbers,
                                cantik_value* out) {
    return guard(self, [&](WriteHost& h) {
      const std::vector<int64_t> d(dims, dims + rank);
      *out = h.writer.whole_numbers(d, {numbers, numbers + Shape(d).elements()});
    });
  }
  static cantik_status reals(void* self, int32_t dtype, int32_t rank, const int64_t* dims,
                             const double* numbers, cantik_value* out) {
    return guard(self, [&](WriteHost& h) {
      Tensor t(DType::float64, Shape(dims, static_cast<size_t>(rank)));
      std::copy_n(numbers, t.elements(), t.data<double>());
      const auto type = static_cast<DType>(dtype);
      *out = h.writer.tensor(t.cast(type == DType::unknown ? DType::float32 : type), "number");
    });
  }
  static void fail(void* self, int32_t kind, const char* text, const char* remedy) {
    static_cast<WriteHost*>(self)->boundary.fail(kind, text, remedy);
  }
};

void write_by_form(cantik_onnx_graph& c, const cantik_onnx_form& form, const Node& n) {
  OnnxGraph g(&c);
  std::vector<cantik_argument> given;
  for (int32_t i = 0; i < form.attribute_count; ++i) {
    const int at = n.op->field(form.attributes[i].field);
    if (at < 0)
      throw Failure(CANTIK_RUNTIME, cat(n.op->name, " has no attribute ", form.attributes[i].field));
    given.push_back({form.attributes[i].name, c.attributes[at]});
  }
  std::vector<cantik_value> in;
  for (const OnnxValue& v : g.aligned()) in.push_back(v.id);
  if (c.node(c.self, form.name, "", in.data(), static_cast<int32_t>(in.size()), given.data(),
             static_cast<int32_t>(given.size()), c.result, 1))
    throw Failure(CANTIK_VALUE, "");
}

}  // namespace

void OnnxWriter::write_form(const Node& n, const cantik_onnx_form& form) {
  const Operator& op = *n.op;
  if (form.since > options.version)
    throw unsupported(cat(op.name, " is in ONNX's operators from version ", form.since, " on"));
  const std::vector<Variable> operands = n.block ? arguments_of(n) : resolved_inputs(n);
  std::vector<Type> types = operand_types(op, operands), results = n.types;
  for (Type& t : types) t = as_seen(t);
  for (Type& t : results) t = as_seen(t);
  std::vector<cantik_type> in, out;
  std::vector<cantik_value> x, result(n.types.size() + kSpare, -1);
  for (size_t i = 0; i < operands.size(); ++i) {
    const DType dtype = types[i].dtype;
    x.push_back(lookup(operands[i], dtype == DType::unknown && i ? types[0].dtype : dtype));
    in.push_back(to_c(types[i]));
  }
  for (const Type& t : results) out.push_back(to_c(t));
  x.resize(operands.size() + kSpare, -1);
  WriteHost host{*this, op, {}};
  const AttributesInC attributes = to_c(n.attributes);
  cantik_onnx_graph g{};
  g.size = sizeof g;
  g.self = &host;
  g.inputs = static_cast<int32_t>(operands.size());
  g.outputs = static_cast<int32_t>(n.types.size());
  g.in = in.data();
  g.out = out.data();
  g.attributes = attributes.data();
  g.x = x.data();
  g.result = result.data();
  g.version = options.version;
  g.node = &WriteHost::node;
  g.integers = &WriteHost::integers;
  g.reals = &WriteHost::reals;
  g.fail = &WriteHost::fail;
  host.boundary.call(op, "writing to ONNX's files", [&] {
    if (form.write) return form.write(&g);
    return guarded([&] { write_by_form(g, form, n); },
                   [&](int32_t kind, const char* text, const char* remedy) {
                     WriteHost::fail(&host, kind, text, remedy);
                   });
  });
  std::vector<int> made;
  for (size_t i = 0; i < n.types.size(); ++i) {
    if (result[i] < 0)
      throw runtime_error(cat("the writing of ", op.name, " to ONNX's files did not set result ", i));
    made.push_back(result[i]);
  }
  keep(n, made);
}

}  // namespace cantik::onnx
