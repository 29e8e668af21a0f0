// Files in CNTK's binary format, read and written.
#include <cantik/cbf.h>

#include "binding/training.h"

namespace cantik::python {
namespace {

std::vector<DeserializerPtr> all_of(const std::vector<DeserializerBox>& parts) {
  std::vector<DeserializerPtr> all;
  for (const DeserializerBox& b : parts) all.push_back(b.deserializer);
  return all;
}

// streams: [(name, field), ...]
DeserializerBox cbf_of(const std::string& path, const nb::list& streams) {
  CbfOptions options;
  for (nb::handle h : streams) {
    nb::tuple t = nb::cast<nb::tuple>(nb::borrow(h));
    options.streams.push_back({nb::cast<std::string>(t[0]), nb::cast<std::string>(t[1])});
  }
  Unlocked unlock;
  return {cbf(path, options)};
}

}  // namespace

void bind_binary_files(nb::module_& m) {
  m.def("cbf", &cbf_of, nb::arg("path"), nb::arg("streams"),
        "A file in CNTK's binary format, with the streams (name, field) under names of the program's.");
  m.def(
      "write_cbf",
      [](const std::string& path, const std::vector<DeserializerBox>& data, int64_t chunk_bytes) {
        const std::vector<DeserializerPtr> all = all_of(data);
        Unlocked unlock;
        write_cbf(path, all, {.chunk_bytes = chunk_bytes});
      },
      nb::arg("path"), nb::arg("data"), nb::arg("chunk_bytes"),
      "Writes the sequences of deserializers in CNTK's binary format.");
  m.def(
      "write_ctf",
      [](const std::string& path, const std::vector<DeserializerBox>& data) {
        const std::vector<DeserializerPtr> all = all_of(data);
        Unlocked unlock;
        write_ctf(path, all);
      },
      nb::arg("path"), nb::arg("data"), "Writes the sequences of deserializers in CNTK's text format.");
}

}  // namespace cantik::python
