// Any bytes are a file in CNTK's text format or a clear error. What is read does not depend on how the file
// is cut into chunks, and takes no more memory than a file of its size may.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <cantik/error.h>
#include <cantik/io.h>

#include "io/deserializer.h"

using namespace cantik;

namespace {

struct Result {
  std::string error;
  std::vector<int64_t> lengths;
  std::vector<float> values;
};

Result read(const std::string& path, size_t size, uint8_t options, int64_t chunk_bytes) {
  Result r;
  std::vector<CtfStream> streams = {{"s", "s", 1000, true}, {"d", "d", 3, false, (options & 1) != 0}};
  try {
    DeserializerPtr data = ctf(path, streams,
                               {.chunk_bytes = chunk_bytes,
                                .skip_sequence_ids = (options & 2) != 0,
                                .max_errors = options & 4 ? 1000000 : 0});
    for (int64_t c = 0; c < data->chunks(); ++c)
      if (bytes_of(data->load(c)) > 64 * size + 4096) std::abort();
    SourcePtr source = minibatch_source({data}, {.randomize = (options & 8) != 0,
                                                 .seed = options,
                                                 .max_sweeps = 1,
                                                 .truncation_length = options & 16 ? 2 : 0,
                                                 .cache_bytes = 0});
    while (Minibatch m = source->next({.samples = 5})) {
      for (const Value& v : m.values) {
        for (int64_t i = 0; i < m.sequences(); ++i)
          r.lengths.push_back(v.layout->offsets()[static_cast<size_t>(i) + 1] -
                              v.layout->offsets()[static_cast<size_t>(i)]);
        Tensor t = v.data.to_dense();
        r.values.insert(r.values.end(), t.data<float>(), t.data<float>() + t.elements());
      }
      Dictionary state = source->state();
      source->restore(state);  // an error here is a defect
      if (!(source->state() == state)) std::abort();
    }
  } catch (const Error& e) {
    r.error = e.what();
  }
  return r;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  static const int file = memfd_create("fuzz", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (ftruncate(file, 0) != 0 || pwrite(file, data + 1, size - 1, 0) != static_cast<ssize_t>(size - 1))
    std::abort();
  uint8_t options = data[0];
  Result whole = read(path, size, options, int64_t{1} << 20), cut = read(path, size, options, 16);
  if (whole.error.empty() != cut.error.empty()) std::abort();
  if (options & 8) return 0;  // another order, which depends on the chunks
  auto same = [](const std::vector<float>& a, const std::vector<float>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](float x, float y) { return x == y || (x != x && y != y); });
  };
  if (whole.error.empty() && (whole.lengths != cut.lengths || !same(whole.values, cut.values))) std::abort();
  return 0;
}
