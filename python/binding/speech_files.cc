// HTK's files of speech: features, labels, lattices.
#include <cantik/htk.h>

#include "binding/training.h"

namespace cantik::python {

void bind_speech_files(nb::module_& m) {
  m.def(
      "htk_features",
      [](const std::string& script, const std::string& name, int64_t dim, int64_t left, int64_t right,
         bool broadcast) {
        Unlocked unlock;
        return DeserializerBox{htk_features(
            script, {.name = name, .dim = dim, .left = left, .right = right, .broadcast = broadcast})};
      },
      nb::arg("script"), nb::arg("name"), nb::arg("dim"), nb::arg("left"), nb::arg("right"),
      nb::arg("broadcast"), "Features of the utterances that a script file lists.");
  m.def(
      "htk_labels",
      [](const std::vector<std::string>& files, const std::string& name, int64_t dim,
         const std::string& names, bool phone_boundaries, int64_t max_errors) {
        Unlocked unlock;
        return DeserializerBox{htk_labels(files, {.name = name,
                                                  .dim = dim,
                                                  .names = names,
                                                  .phone_boundaries = phone_boundaries,
                                                  .max_errors = max_errors})};
      },
      nb::arg("files"), nb::arg("name"), nb::arg("dim"), nb::arg("names"), nb::arg("phone_boundaries"),
      nb::arg("max_errors"), "Labels from master label files in text.");
  m.def(
      "htk_labels_binary",
      [](const std::vector<std::string>& files, const std::string& name, int64_t dim, int64_t max_errors) {
        Unlocked unlock;
        return DeserializerBox{
            htk_labels_binary(files, {.name = name, .dim = dim, .max_errors = max_errors})};
      },
      nb::arg("files"), nb::arg("name"), nb::arg("dim"), nb::arg("max_errors"),
      "Labels from binary master label files.");
  m.def(
      "htk_lattices",
      [](const std::string& index, const std::string& name) {
        Unlocked unlock;
        return DeserializerBox{htk_lattices(index, name)};
      },
      nb::arg("index"), nb::arg("name"), "Lattices of the tables of contents that a file lists.");
}

}  // namespace cantik::python
