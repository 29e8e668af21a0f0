// Sources of files: deserializers by their descriptions, minibatches as values.
#include <algorithm>

#include "binding/dictionary.h"
#include "binding/training.h"

namespace cantik::python {
namespace {

// (path, [(name, field, dim, sparse, defines_size), ...], chunk_bytes, skip_sequence_ids, max_errors)
DeserializerPtr ctf_of(const std::string& path, const nb::list& streams, int64_t chunk_bytes,
                       bool skip_sequence_ids, int64_t max_errors, bool cache_index) {
  std::vector<CtfStream> fields;
  for (nb::handle h : streams) {
    nb::tuple t = nb::cast<nb::tuple>(nb::borrow(h));
    fields.push_back({nb::cast<std::string>(t[0]), nb::cast<std::string>(t[1]), nb::cast<int64_t>(t[2]),
                      nb::cast<bool>(t[3]), nb::cast<bool>(t[4])});
  }
  Unlocked unlock;
  return ctf(path, std::move(fields),
             {.chunk_bytes = chunk_bytes,
              .skip_sequence_ids = skip_sequence_ids,
              .max_errors = max_errors,
              .cache_index = cache_index});
}

SourceBox minibatch_source_of(const std::vector<DeserializerBox>& parts, bool randomize, uint64_t seed,
                              int64_t window_chunks, int64_t window_samples,
                              std::optional<int64_t> max_samples, std::optional<int64_t> max_sweeps,
                              int64_t truncation_length, bool frame_mode, bool multithreaded,
                              bool balanced_shares) {
  std::vector<DeserializerPtr> all;
  for (const DeserializerBox& b : parts) all.push_back(b.deserializer);
  Unlocked unlock;
  return {minibatch_source(std::move(all), {.randomize = randomize,
                                            .seed = seed,
                                            .window_chunks = window_chunks,
                                            .window_samples = window_samples,
                                            .max_samples = max_samples,
                                            .max_sweeps = max_sweeps,
                                            .truncation_length = truncation_length,
                                            .balanced_shares = balanced_shares,
                                            .frame_mode = frame_mode,
                                            .multithreaded = multithreaded})};
}

// None at the end, otherwise ([(value, sequences, samples, whether they may have several steps) for each
// stream], sweep end).
nb::object next_of(const SourceBox& b, int64_t samples, int64_t sequences, int64_t partitions,
                   int64_t partition, bool within_sweep) {
  Minibatch m;
  {
    Unlocked unlock;
    m = b.source->next({samples, sequences, partitions, partition, within_sweep});
  }
  if (!m) return nb::none();
  nb::list values;
  for (size_t i = 0; i < m.values.size(); ++i) {
    const Value& v = m.values[i];
    const bool steps = i < m.has_steps.size() && m.has_steps[i];
    values.append(nb::make_tuple(wrap(v), v.layout->sequences(), v.layout->rows(), steps));
  }
  return nb::make_tuple(values, m.sweep_end);
}

nb::list streams_of(const SourceBox& b) {
  nb::list all;
  for (const Stream& s : b.source->streams())
    all.append(nb::make_tuple(s.name, s.id, s.storage == Storage::dense ? "dense" : "sparse", wrap(s.dtype),
                              wrap(s.shape), s.defines_size));
  return all;
}

// How many samples each sequence of a chunk has, as minibatches count them. The chunk is read.
std::vector<int64_t> samples_of(const DeserializerBox& b, int64_t number) {
  const std::vector<Stream>& streams = b.deserializer->streams();
  const bool counted = std::ranges::any_of(streams, &Stream::defines_size);
  const Chunk chunk = b.deserializer->load(number);
  std::vector<int64_t> samples;
  for (size_t k = 0; k < chunk.size(); ++k) {
    samples.resize(std::max(samples.size(), static_cast<size_t>(chunk[k].layout->sequences())));
    if (counted && !streams[k].defines_size) continue;
    for (size_t i = 0; i < samples.size(); ++i)
      samples[i] = std::max(samples[i], chunk[k].layout->length(static_cast<int64_t>(i)));
  }
  return samples;
}

}  // namespace

void bind_source(nb::module_& m) {
  nb::class_<DeserializerBox>(m, "Deserializer", "Data cut into chunks.")
      .def("samples", &samples_of, nb::arg("chunk_id"),
           "How many samples each sequence of a chunk has. The chunk is read.");
  m.def(
      "ctf",
      [](const std::string& path, const nb::list& streams, int64_t chunk_bytes, bool skip_sequence_ids,
         int64_t max_errors, bool cache_index) {
        return DeserializerBox{
            ctf_of(path, streams, chunk_bytes, skip_sequence_ids, max_errors, cache_index)};
      },
      nb::arg("path"), nb::arg("streams"), nb::arg("chunk_bytes"), nb::arg("skip_sequence_ids"),
      nb::arg("max_errors"), nb::arg("cache_index"),
      "A file in CNTK's text format, with the streams (name, field, dim, sparse, defines_size).");
  nb::class_<SourceBox>(m, "Source", "Minibatches of streams.")
      .def(
          "__init__",
          [](SourceBox* self, const std::vector<DeserializerBox>& deserializers, bool randomize,
             uint64_t seed, int64_t window_chunks, int64_t window_samples, std::optional<int64_t> max_samples,
             std::optional<int64_t> max_sweeps, int64_t truncation_length, bool frame_mode,
             bool multithreaded, bool balanced_shares) {
            new (self) SourceBox(minibatch_source_of(
                deserializers, randomize, seed, window_chunks, window_samples, max_samples, max_sweeps,
                truncation_length, frame_mode, multithreaded, balanced_shares));
          },
          nb::arg("deserializers"), nb::arg("randomize"), nb::arg("seed"), nb::arg("window_chunks"),
          nb::arg("window_samples"), nb::arg("max_samples").none(), nb::arg("max_sweeps").none(),
          nb::arg("truncation_length"), nb::arg("frame_mode"), nb::arg("multithreaded"),
          nb::arg("balanced_shares"))
      .def("next", &next_of, nb::arg("samples"), nb::arg("sequences"), nb::arg("partitions"),
           nb::arg("partition"), nb::arg("within_sweep"))
      .def(
          "minibatches_of_sweep",
          [](const SourceBox& b, int64_t samples) {
            Unlocked unlock;
            return b.source->minibatches_of_sweep({.samples = samples});
          },
          nb::arg("samples"))
      .def("streams", &streams_of)
      .def("state", [](const SourceBox& b) { return to_python(b.source->state()); })
      .def(
          "restore",
          [](const SourceBox& b, nb::handle state) {
            Dictionary d = dictionary_from(state);
            Unlocked unlock;
            b.source->restore(d);
          },
          nb::arg("state"))
      .def(
          "restore_from_workers",
          [](const SourceBox& b, const nb::list& states, int64_t workers, int64_t rank) {
            std::vector<Dictionary> all;
            for (nb::handle state : states) all.push_back(dictionary_from(state));
            Unlocked unlock;
            b.source->restore_from_workers(all, workers, rank);
          },
          nb::arg("states"), nb::arg("number_of_workers"), nb::arg("worker_rank"))
      .def("is_infinite", [](const SourceBox& b) { return b.source->is_infinite(); })
      .def("take_warnings", [](const SourceBox& b) { return b.source->take_warnings(); });
}

}  // namespace cantik::python
