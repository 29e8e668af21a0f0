// What the rule of a node sees while a file is read, behind the plain C of <cantik/op/onnx.h>.
#pragma once

#include <algorithm>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <cantik/error.h>
#include <cantik/op/onnx.h>

#include "base/text.h"
#include "graph/boundary.h"
#include "graph/types.h"
#include "onnx/values.h"

namespace cantik::onnx {

// The attributes of a call of a function of the file, which nodes inside refer to.
using Bindings = std::unordered_map<std::string_view, const AttributeRecord*>;

// One node and the values of the graph so far.
struct ReadHost {
  Values& values;
  const NodeRecord& node;
  const Bindings* bindings;
  const Operator& op;
  std::vector<cantik_value> results;
  std::vector<int32_t> elements;
  Boundary boundary;
  Type typed;
  const ModelFolder& place;
  std::deque<std::vector<int64_t>> kept_integers;
  std::deque<std::vector<double>> kept_reals;
  std::deque<std::string> kept_texts;

  template <class F>
  static cantik_status guard(void* self, F&& f) {
    ReadHost& h = *static_cast<ReadHost*>(self);
    return h.boundary.serve([&] { f(h); });
  }

  // ---- the builder
  static cantik_status call(void* self, const char* op, const cantik_value* in, int32_t count,
                            const cantik_argument* arguments, int32_t argument_count, cantik_value* out,
                            int32_t out_count) {
    return guard(self, [&](ReadHost& h) {
      std::vector<NamedAttribute> given;
      for (int32_t i = 0; i < argument_count; ++i)
        given.push_back({arguments[i].name, from_c(arguments[i].value)});
      const std::vector<int> made = h.values.call_all(op, {in, in + count}, given);
      if (static_cast<size_t>(out_count) > made.size())
        throw runtime_error(
            cat(h.op.name, " asks ", op, " for ", out_count, " results, but it has ", made.size()));
      for (int32_t i = 0; i < out_count; ++i) out[i] = made[i];
    });
  }
  static cantik_status expression(void* self, cantik_expression, const cantik_value*, int32_t,
                                  cantik_value*) {
    return guard(
        self, [&](ReadHost&) { throw unsupported("expressions in place cannot be saved: call operators"); });
  }
  static cantik_status number(void* self, double value, cantik_value like, int32_t rank, const int64_t* dims,
                              const char*, cantik_value* out) {
    return guard(self, [&](ReadHost& h) {
      const DType dtype = h.values.variable(like).dtype();
      ReadValue v;
      v.variable = cantik::constant(Shape(dims, static_cast<size_t>(rank)), Initializer(value), dtype);
      v.element = h.values.at(like, "a constant").element;
      v.constant = true;
      *out = h.values.add(std::move(v));
    });
  }
  static cantik_status type(void* self, cantik_value v, cantik_type* out) {
    return guard(self, [&](ReadHost& h) {
      h.typed = h.values.variable(v).type();
      if (h.values.in_steps && h.typed.axes.has_sequence()) h.typed.axes = Axes::batch();
      *out = to_c(h.typed);
    });
  }
  static void fail(void* self, int32_t kind, const char* text, const char* remedy) {
    static_cast<ReadHost*>(self)->boundary.fail(kind, text, remedy);
  }

  // ---- the node
  cantik_attribute packed(const KnownNumbers& k) {
    if (k.whole) return pack(kept_integers.emplace_back(k.integers));
    return pack(kept_reals.emplace_back(k.reals));
  }
  const AttributeRecord* find(std::string_view name) const {
    const AttributeRecord* a = node.find(name);
    if (!a || a->reference.empty()) return a;
    const auto bound = bindings ? bindings->find(a->reference) : Bindings::const_iterator{};
    return bindings && bound != bindings->end() ? bound->second : nullptr;
  }
  static cantik_status attribute(void* self, const char* name, cantik_attribute* out) {
    return guard(self, [&](ReadHost& h) {
      using Kind = AttributeRecord::Kind;
      *out = {};
      const AttributeRecord* a = h.find(name);
      if (!a) return;
      switch (a->kind) {
        case Kind::real: *out = pack(a->real); break;
        case Kind::integer: *out = pack(a->integer); break;
        case Kind::text: *out = pack(h.kept_texts.emplace_back(a->text)); break;
        case Kind::reals: *out = pack(h.kept_reals.emplace_back(a->reals)); break;
        case Kind::integers: *out = pack(h.kept_integers.emplace_back(a->integers)); break;
        case Kind::texts:
          *out = pack(h.kept_texts.emplace_back(join(a->texts, ";", [](std::string_view s) { return s; })));
          break;
        case Kind::tensor: *out = h.packed(known_of(a->tensors[0], h.place)); break;
        default: throw unsupported(cat("the attribute ", name, " is of a kind that is not read"));
      }
    });
  }
  static cantik_status numbers(void* self, cantik_value v, cantik_attribute* out) {
    return guard(self, [&](ReadHost& h) {
      *out = {};
      if (v < 0) return;
      if (const KnownNumbers* k = h.values.known(v)) *out = h.packed(*k);
    });
  }
  static cantik_status set_numbers(void* self, int32_t output, int32_t rank, const int64_t* dims,
                                   const int64_t* numbers) {
    return guard(self, [&](ReadHost& h) {
      KnownNumbers k;
      k.dims.assign(dims, dims + rank);
      k.whole = true;
      const int64_t n = Shape(k.dims).elements();
      k.integers.assign(numbers, numbers + n);
      h.results.at(static_cast<size_t>(output)) = h.values.add_made(std::move(k), kInt64);
      h.elements.at(static_cast<size_t>(output)) = kInt64;
    });
  }
  static cantik_status shape(void* self, cantik_value v, int32_t* rank, const int64_t** dims) {
    return guard(self, [&](ReadHost& h) {
      *rank = -1;
      if (!h.values.rank_is_known(v)) return;
      const std::vector<int64_t>& d = h.kept_integers.emplace_back(h.values.dims(v));
      *rank = static_cast<int32_t>(d.size());
      *dims = d.data();
    });
  }
  static cantik_status with_lead(void* self, cantik_value v, int32_t lead, cantik_value* out) {
    return guard(self, [&](ReadHost& h) {
      // operators of samples take the rows of sequences, too
      *out = h.values.lead(v) == lead ? v : h.values.with_lead(v, lead);
    });
  }
  static cantik_status reshape(void* self, cantik_value v, int32_t rank, const int64_t* dims,
                               cantik_value* out) {
    return guard(self, [&](ReadHost& h) { *out = h.values.reshape(v, {dims, dims + rank}); });
  }
  static cantik_status set_shape(void* self, cantik_value v, int32_t rank, const int64_t* dims) {
    return guard(self, [&](ReadHost& h) { h.values.set_dims(v, {dims, dims + rank}); });
  }
  static cantik_status constant(void* self, int32_t rank, const int64_t* dims, const double* numbers,
                                cantik_value like, cantik_value* out) {
    return guard(self, [&](ReadHost& h) {
      const DType dtype = like < 0 ? DType::float32 : h.values.variable(like).dtype();
      const Shape shape(dims, static_cast<size_t>(rank));
      h.values.count_made(shape.elements());
      Tensor t(DType::float64, shape);
      std::copy_n(numbers, t.elements(), t.data<double>());
      ReadValue v;
      v.variable = cantik::constant(t.cast(dtype == DType::unknown ? DType::float32 : dtype));
      if (like >= 0) v.element = h.values.at(like, "a constant").element;
      v.constant = true;
      *out = h.values.add(std::move(v));
    });
  }
  static cantik_status whole(void* self, cantik_value v, int32_t* out) {
    return guard(self, [&](ReadHost& h) { *out = is_whole(h.values.at(v, "its type").element); });
  }
  static cantik_status element(void* self, cantik_value v, int32_t* out) {
    return guard(self, [&](ReadHost& h) { *out = h.values.at(v, "its type").element; });
  }
  static cantik_status set_element(void* self, int32_t output, int32_t type) {
    return guard(self, [&](ReadHost& h) { h.elements.at(static_cast<size_t>(output)) = type; });
  }
};

}  // namespace cantik::onnx
