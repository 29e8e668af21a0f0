// Deserializers that users write in Python: a class with stream_infos, num_chunks and get_chunk.
#include <algorithm>

#include <cantik/deserializer.h>

#include "binding/numpy.h"
#include "binding/sequences.h"
#include "binding/sparse.h"
#include "binding/training.h"
#include "binding/user_code.h"

namespace cantik::python {
namespace {

class UserDeserializer final : public Deserializer {
 public:
  // lengths: of the sequences of each chunk, in samples; null where they are not known before it is read.
  UserDeserializer(nb::object self, std::vector<Stream> streams, int64_t chunks, bool changes,
                   const std::vector<std::vector<int64_t>>* lengths)
      : name_(class_name(self)),
        self_(hold(std::move(self))),
        streams_(std::move(streams)),
        chunks_(chunks),
        changes_(changes) {
    if (lengths) make_index(*lengths);
    const Axes sequences = Axes::sequence();
    for (const Stream& s : streams_)
      places_.push_back(
          input(s.shape,
                {.dtype = s.dtype, .sparse = s.storage == Storage::csr, .axes = sequences, .name = s.name}));
  }

  const std::vector<Stream>& streams() const override { return streams_; }
  int64_t chunks() const override { return chunks_; }
  const SequenceIndex* index() const override { return index_ ? &*index_ : nullptr; }
  bool changes() const override { return changes_; }
  std::string name() const override { return name_; }

  Chunk load(int64_t number) override {
    Locked lock;
    need_python(name_ + ".get_chunk");
    const nb::handle self(static_cast<PyObject*>(const_cast<void*>(self_.get())));
    const nb::object given =
        in_user_code(name_ + ".get_chunk", [&] { return nb::object(self.attr("get_chunk")(number)); });
    if (!PyDict_Check(given.ptr()))
      throw value_error("get_chunk returned " + class_name(given) + ", not a dictionary with the streams " +
                        names());
    Chunk chunk;
    for (const Variable& place : places_) chunk.push_back(column(place, given));
    check_lengths(number, chunk);
    return chunk;
  }

 private:
  std::string names() const {
    std::string all;
    for (const Stream& s : streams_) all += (all.empty() ? "" : ", ") + s.name;
    return all;
  }

  void make_index(const std::vector<std::vector<int64_t>>& lengths) {
    if (static_cast<int64_t>(lengths.size()) != chunks_)
      throw value_error(name_ + ".sequence_lengths() has " + std::to_string(lengths.size()) +
                        " chunks, num_chunks() says " + std::to_string(chunks_));
    index_.emplace();
    for (size_t c = 0; c < lengths.size(); ++c)
      for (size_t i = 0; i < lengths[c].size(); ++i)
        index_->push_back({index_->size(), lengths[c][i], static_cast<int32_t>(c), static_cast<int32_t>(i)});
  }

  // As minibatches count them: of the stream that says so, else of the longest one.
  int64_t samples_of(const Chunk& chunk, int64_t sequence) const {
    int64_t most = 0;
    for (size_t i = 0; i < chunk.size(); ++i) {
      const Layout& layout = *chunk[i].layout;
      const int64_t n = layout.is_batch() ? 1 : layout.length(sequence);
      if (streams_[i].defines_size) return n;
      most = std::max(most, n);
    }
    return most;
  }

  // Orders, sizes of minibatches and shares of workers were made of what was promised. How many sequences
  // there are the reader of chunks compares.
  void check_lengths(int64_t number, const Chunk& chunk) const {
    if (!index_) return;
    const SequenceIndex::Range listed = index_->of_chunk(number);
    const auto count = static_cast<int64_t>(listed.size());
    for (const Value& v : chunk)
      if (v.layout->sequences() != count) return;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t found = samples_of(chunk, i), promised = index_->samples(listed.first + i);
      if (found != promised)
        throw value_error(name_ + ": sequence " + std::to_string(i) + " of chunk " + std::to_string(number) +
                          " has " + std::to_string(found) + " samples, and sequence_lengths() says " +
                          std::to_string(promised))
            .remedy("let sequence_lengths() say how many samples get_chunk gives, or None");
    }
  }

  // The sequences of one stream.
  static Value column(const Variable& place, nb::handle chunk) {
    const nb::str key(place.name().c_str());
    if (PyDict_Contains(chunk.ptr(), key.ptr()) != 1) {
      std::string there;
      for (auto [k, v] : nb::borrow<nb::dict>(chunk))
        there += (there.empty() ? "" : ", ") + std::string(nb::str(k).c_str());
      throw value_error("the chunk has no stream " + place.name() + "; it has " +
                        (there.empty() ? "none" : there));
    }
    const nb::object data = nb::borrow(PyDict_GetItem(chunk.ptr(), key.ptr()));
    if (const ValueBox* box = value_in(data))
      return box->get().layout ? box->get() : Value::batch(box->get().data);
    if (is_array(data)) return samples(place, tensor_of_array(data, place.dtype()).clone());
    if (is_sparse_matrix(data)) {
      const Tensor rows = tensor_of_csr(data, place.dtype());
      return samples(place, place.type().storage == Storage::csr ? rows.clone() : rows.to_dense());
    }
    if (PyList_Check(data.ptr()) || PyTuple_Check(data.ptr()))
      return nb::len(data) ? value_of_list(place, data, true) : nothing(place);
    throw value_error("the stream " + place.name() +
                      " of a chunk is an array, a CSR matrix, a list of them or a Value, not " +
                      class_name(data));
  }

  // No sequences.
  static Value nothing(const Variable& place) {
    const Shape rows = Shape{0} + place.shape();
    if (place.type().storage == Storage::dense) return Value::batch(Tensor(place.dtype(), rows));
    const Shape matrix{0, place.shape().elements()};
    return Value::batch(Tensor::csr_matrix(place.dtype(), matrix, 0, nullptr, nullptr).reshape(rows));
  }

  // Rows are samples, each a sequence of one step.
  static Value samples(const Variable& place, const Tensor& rows) {
    const Shape& s = rows.shape();
    if (s.empty() || s.sub(1, s.rank()).elements() != place.shape().elements())
      throw value_error("the stream " + place.name() + " of a chunk has the shape " + s.text())
          .remedy("give " + (Shape{s.empty() ? 1 : s[0]} + place.shape()).text() + ", a row for each sample");
    return Value::batch(rows.reshape(Shape{s[0]} + place.shape()));
  }

  std::string name_;
  std::shared_ptr<const void> self_;
  std::vector<Stream> streams_;
  int64_t chunks_;
  bool changes_;
  std::optional<SequenceIndex> index_;
  std::vector<Variable> places_;  // for data of each stream
};

// An element of stream_infos().
Stream stream_of(nb::handle info) {
  return {.name = nb::cast<std::string>(nb::object(info.attr("name"))),
          .storage = nb::cast<std::string>(nb::object(info.attr("storage_format"))) == "sparse"
                         ? Storage::csr
                         : Storage::dense,
          .dtype = as_dtype(nb::object(info.attr("m_element_type"))),
          .shape = as_shape(nb::object(info.attr("sample_shape"))),
          .defines_size = nb::cast<bool>(nb::object(info.attr("m_defines_mb_size")))};
}

}  // namespace

void bind_user_deserializer(nb::module_& m) {
  m.def(
      "user_deserializer",
      [](nb::object self, const nb::list& infos, int64_t chunks, bool changes, nb::handle lengths) {
        std::vector<Stream> streams;
        for (nb::handle info : infos) streams.push_back(stream_of(info));
        std::vector<std::vector<int64_t>> known;
        if (!lengths.is_none())
          for (nb::handle chunk : lengths) known.push_back(integers_of_array(array_of(chunk)));
        return DeserializerBox{std::make_shared<UserDeserializer>(
            std::move(self), std::move(streams), chunks, changes, lengths.is_none() ? nullptr : &known)};
      },
      nb::arg("self"), nb::arg("stream_infos"), nb::arg("num_chunks"), nb::arg("changes"),
      nb::arg("lengths").none(), "What a UserDeserializer of Python brings.");
}

}  // namespace cantik::python
