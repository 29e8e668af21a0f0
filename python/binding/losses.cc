// Losses that are networks.
#include <optional>

#include <cantik/losses.h>

#include "binding/arguments.h"
#include "binding/numpy.h"

namespace cantik::python {

void bind_losses(nb::module_& m) {
  m.def(
      "nce_loss",
      [](nb::object weights, nb::object biases, nb::object x, nb::object labels, nb::object noise,
         int64_t samples, bool allow_duplicates, nb::object seed, const std::string& name) {
        CallSite here;
        const Variable* leaf = variable_in(noise);
        Tensor t = leaf && (leaf->is_constant() || leaf->is_parameter())
                       ? leaf->value().cast(DType::float64)
                       : tensor_of_array(array_of(noise), DType::float64);
        if (t.shape().rank() != 1)
          throw value_error("noise_distribution must be one number for each class, and has the shape " +
                            t.shape().text());
        std::vector<double> q(t.data<double>(), t.data<double>() + t.elements());
        NceLossOptions o{samples, allow_duplicates, {}, name};
        if (!seed.is_none()) o.seed = seed_in(seed);
        return wrap(nce_loss(as_variable(weights), as_variable(biases), as_variable(x), as_variable(labels),
                             q, o, {}));
      },
      nb::arg("weights"), nb::arg("biases"), nb::arg("inputs"), nb::arg("labels"),
      nb::arg("noise_distribution"), nb::arg("num_samples") = 32, nb::arg("allow_duplicates") = true,
      nb::arg("seed") = nb::none(), nb::arg("name") = "");
  m.def(
      "hierarchical_softmax",
      [](nb::object x, nb::object label, int64_t labels, std::optional<int64_t> classes) {
        CallSite here;
        HierarchicalSoftmax h =
            hierarchical_softmax(as_variable(x), as_variable(label), labels, {.classes = classes}, {});
        nb::list each;
        for (const Variable& v : h.in_class) each.append(wrap(v.owner().as_composite()));
        return nb::make_tuple(wrap(h.label.owner().as_composite()), wrap(h.classes.owner().as_composite()),
                              each);
      },
      nb::arg("input_var"), nb::arg("label_index"), nb::arg("label_dim"),
      nb::arg("label_classes") = nb::none());
}

}  // namespace cantik::python
