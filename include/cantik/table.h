// Tables as data: arrays in NumPy's files, and text with commas between its columns.
//
//   DeserializerPtr digits = npy({{.name = "image", .path = "images.npy"},
//                                 {.name = "digit", .path = "digits.npy", .classes = 10}});
//   DeserializerPtr houses = csv("houses.csv", {{.name = "x", .columns = {"area", "rooms"}},
//                                               {.name = "town", .labels = {"Bonn", "Kiel"}},
//                                               {.name = "price"}});
//   SourcePtr source = minibatch_source({houses});
//
// Every row is a sample, with its number as key, from 0 on. Files may be packed by gzip or lie in a zip
// archive (archive.zip@/path).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cantik/api.h>
#include <cantik/deserializer.h>

namespace cantik {

// A stream from an array in NumPy's format, whose first axis counts the samples.
struct NpyStream {
  std::string name = {};  // in the source
  std::string path = {};  // of a file.npy; file.npz@/name.npy for one of several arrays in a file
  int64_t classes = 0;    // if not 0: whole numbers below it, which become sparse rows with a one
};

// How arrays are read.
struct NpyOptions {
  int64_t chunk_bytes = 32 << 20;  // of the files, read at a time
};

// Arrays of as many samples, read as they are needed. Those of float16, float32 and float64 keep their type,
// whole numbers and truth values become float32.
CANTIK_API DeserializerPtr npy(std::vector<NpyStream> streams, const NpyOptions& options = {});
// The arrays of a file.npz, under their names.
CANTIK_API std::vector<NpyStream> arrays_of_npz(const std::string& path);

// A stream from columns of a text.
struct CsvStream {
  std::string name = {};                  // in the source
  std::vector<std::string> columns = {};  // by their names, or by numbers from 0 on; empty: the stream's name
  int64_t classes = 0;  // if not 0: whole numbers below it, which become sparse rows with a one
  std::vector<std::string> labels = {};  // the words of a column, in the order of the classes
};

// How a text with columns is read.
struct CsvOptions {
  char separator = ',';               // between columns
  bool header = true;                 // the first row has the names of the columns
  std::optional<float> missing = {};  // the number that stands for a field without one; otherwise an error
  int64_t chunk_bytes = 32 << 20;     // of text, read at a time
  int64_t max_errors = 0;  // so many damaged rows are left out, with a warning; the next one is an error
};

// A text with a row a sample (RFC 4180: fields with separators, quotes or ends of lines stand in quotes).
// Numbers become float32. Blank lines are passed over.
CANTIK_API DeserializerPtr csv(const std::string& path, std::vector<CsvStream> streams,
                               const CsvOptions& options = {});

}  // namespace cantik
