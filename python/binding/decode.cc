// Decoding of sequences by a step function.
#include <cantik/decode.h>

#include "binding/feeds.h"
#include "binding/numpy.h"

namespace cantik::python {
namespace {

// Arrays with a row for each sequence; lists of arrays are sequences.
std::vector<Value> values_in(nb::handle list) {
  std::vector<Value> values;
  for (nb::handle h : nb::borrow(list)) {
    if (const ValueBox* b = value_in(h)) {
      values.push_back(b->get());
      continue;
    }
    bool sequences = PyList_Check(h.ptr());
    nb::object first = sequences ? nb::borrow(nb::borrow(h)[0]) : array_of(h);
    DType t = dtype_of_numpy(array_of(first).attr("dtype"));
    Shape shape = as_shape(array_of(first).attr("shape"));
    Variable v = input(shape.sub(1, shape.rank()), {.dtype = t == DType::float64 ? t : DType::float32,
                                                    .axes = sequences ? Axes::sequence() : Axes::batch()});
    values.push_back(feed_of(v, h));
  }
  return values;
}

}  // namespace

void bind_decode(nb::module_& m) {
  m.def(
      "beam_search",
      [](nb::object step, nb::object states, nb::object context, int64_t vocabulary, int64_t start,
         int64_t end, int64_t max_length, int64_t beam, int64_t best, double length_penalty) {
        DecodeOptions o{.vocabulary = vocabulary,
                        .start = start,
                        .end = end,
                        .max_length = max_length,
                        .beam = beam,
                        .best = best,
                        .length_penalty = length_penalty};
        layers::Step f = as_function(step, "a step");
        std::vector<Value> begin = values_in(states);
        o.context = values_in(context);
        std::vector<std::vector<Hypothesis>> found;
        {
          Unlocked release;
          found = beam_search(f, begin, o);
        }
        nb::list all;
        for (const std::vector<Hypothesis>& of_sequence : found) {
          nb::list list;
          for (const Hypothesis& h : of_sequence) list.append(nb::make_tuple(nb::cast(h.symbols), h.score));
          all.append(list);
        }
        return all;
      },
      nb::arg("step"), nb::arg("states"), nb::arg("context"), nb::arg("vocabulary"), nb::arg("start"),
      nb::arg("end"), nb::arg("max_length"), nb::arg("beam"), nb::arg("best"), nb::arg("length_penalty"),
      "For each sequence its best results, as pairs of symbols and a score.");
}

}  // namespace cantik::python
