// Arrays in NumPy's files, and texts with columns.
#include <cantik/table.h>

#include "binding/training.h"

namespace cantik::python {
namespace {

// streams: [(name, path, classes), ...]
DeserializerBox npy_of(const nb::list& streams, int64_t chunk_bytes) {
  std::vector<NpyStream> all;
  for (nb::handle h : streams) {
    nb::tuple t = nb::cast<nb::tuple>(nb::borrow(h));
    all.push_back({nb::cast<std::string>(t[0]), nb::cast<std::string>(t[1]), nb::cast<int64_t>(t[2])});
  }
  Unlocked unlock;
  return {npy(std::move(all), {.chunk_bytes = chunk_bytes})};
}

// streams: [(name, columns, classes, labels), ...]
DeserializerBox csv_of(const std::string& path, const nb::list& streams, const std::string& separator,
                       bool header, std::optional<double> missing, int64_t chunk_bytes, int64_t max_errors) {
  std::vector<CsvStream> all;
  for (nb::handle h : streams) {
    nb::tuple t = nb::cast<nb::tuple>(nb::borrow(h));
    all.push_back({nb::cast<std::string>(t[0]), nb::cast<std::vector<std::string>>(t[1]),
                   nb::cast<int64_t>(t[2]), nb::cast<std::vector<std::string>>(t[3])});
  }
  CsvOptions options{
      .separator = separator.at(0), .header = header, .chunk_bytes = chunk_bytes, .max_errors = max_errors};
  if (missing) options.missing = static_cast<float>(*missing);
  Unlocked unlock;
  return {csv(path, std::move(all), options)};
}

}  // namespace

void bind_tables(nb::module_& m) {
  m.def("npy", &npy_of, nb::arg("streams"), nb::arg("chunk_bytes"),
        "Arrays in NumPy's files, as the streams (name, path, classes).");
  m.def(
      "arrays_of_npz",
      [](const std::string& path) {
        nb::list all;
        for (const NpyStream& s : arrays_of_npz(path)) all.append(nb::make_tuple(s.name, s.path));
        return all;
      },
      nb::arg("path"), "The arrays of a file.npz: (name, path).");
  m.def("csv", &csv_of, nb::arg("path"), nb::arg("streams"), nb::arg("separator"), nb::arg("header"),
        nb::arg("missing").none(), nb::arg("chunk_bytes"), nb::arg("max_errors"),
        "A text with columns, as the streams (name, columns, classes, labels).");
}

}  // namespace cantik::python
