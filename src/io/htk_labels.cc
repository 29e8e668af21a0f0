// Labels of speech: utterances of master label files in chunks, each frame a row with a one.
#include "io/htk_labels.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cantik/error.h>
#include <cantik/htk.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/opened.h"
#include "io/utterance.h"

namespace cantik {
namespace {

// A chunk ends with the utterance that passes so many frames: few bytes may stand for many.
constexpr int64_t kLabelChunkFrames = 1'000'000;

using Files = std::vector<std::unique_ptr<InputFile>>;
using MakeParser = std::function<std::unique_ptr<LabelParser>(const InputFile&, int64_t begin, int64_t end)>;

class Labels final : public Deserializer {
 public:
  Labels(const std::vector<std::string>& files, const HtkLabels& options, MakeParser make)
      : options_(options), make_(std::move(make)) {
    if (options.name.empty()) throw value_error("the stream of labels has no name");
    if (files.empty()) throw value_error(cat("no label file is given for the stream ", options.name));
    if (options.dim < 1 || options.dim > std::numeric_limits<int32_t>::max())
      throw value_error(cat(options.dim, " labels, in the stream ", options.name));
    if (options.chunk_bytes < 1) throw value_error("a chunk of less than one byte");
    if (options.max_errors < 0)
      throw value_error(cat("max_errors is ", options.max_errors)).remedy("give at least 0");
    std::vector<Place> places;
    for (const std::string& path : files) {
      files_.push_back(std::make_unique<InputFile>(path, InputFile::Form::maybe_packed));
      find_utterances(places);
      files_.back()->expect_unchanged();
    }
    make_index(places);
    streams_ = {
        {.name = options.name, .storage = Storage::csr, .dtype = DType::float32, .shape = {options.dim}}};
  }

  const std::vector<Stream>& streams() const override { return streams_; }
  const SequenceIndex* index() const override { return &index_; }
  int64_t chunks() const override { return static_cast<int64_t>(chunks_.size()); }
  bool may_read_ahead() const override { return true; }
  bool may_be_left() const override { return true; }
  std::string name() const override {
    return join(files_, ", ", [](const std::unique_ptr<InputFile>& f) { return f->path(); });
  }
  std::vector<std::string> take_warnings() override {
    std::vector<std::string> told = std::exchange(warnings_, {});
    names_.take_warnings(name(), told);
    return told;
  }

  Chunk load(int64_t number) override {
    may_end_now();
    const Part& part = chunks_[number];
    const std::vector<SequenceInfo> listed = listed_of(index_, number);
    std::vector<int64_t> lengths;
    int64_t rows = 0;
    for (const SequenceInfo& s : listed) {
      lengths.push_back(s.samples);
      rows += s.samples;
    }
    std::shared_ptr<int32_t> columns = room<int32_t>(rows);
    std::shared_ptr<float> values = options_.phone_boundaries ? room<float>(rows) : nullptr;
    std::shared_ptr<int64_t> starts = room<int64_t>(rows + 1);
    for (int64_t i = 0; i <= rows; ++i) starts.get()[i] = i;
    const InputFile& file = *files_[part.file];
    auto parser = make_(file, part.begin, part.end);
    LabelledUtterance u;
    int64_t at = 0;
    for (auto next = listed.begin(); parser->next(u);) {
      if (!u.problem.empty() || names_.is_dropped(key_of_utterance(u.name))) continue;
      if (next == listed.end() || next->key != key_of_utterance(u.name) || next->samples != u.frames) break;
      ++next;
      for (const LabelRun& run : u.runs) {
        std::fill_n(columns.get() + at, run.frames, run.label);
        if (values) std::fill_n(values.get() + at, run.frames, 1.0f);
        if (values && run.frames > 0) values.get()[at] = 2;
        at += run.frames;
      }
    }
    file.expect_unchanged();
    if (at != rows) throw runtime_error(cat(file.path(), " has changed since it was opened"));
    Tensor data = Tensor::csr(DType::float32, {rows, options_.dim}, starts, columns, values);
    return {Value(std::move(data), Layout::of_lengths(lengths))};
  }

 private:
  struct Place {  // of an utterance
    size_t file;
    int64_t begin, end;
    uint64_t key;
    int64_t frames;
  };
  struct Part {  // of a file: a chunk
    size_t file;
    int64_t begin, end;
  };

  template <class T>
  static std::shared_ptr<T> room(int64_t count) {
    std::shared_ptr<void> block = allocate(bytes_of(count, sizeof(T)));
    return {block, static_cast<T*>(block.get())};
  }

  void find_utterances(std::vector<Place>& places) {
    const InputFile& file = *files_.back();
    auto parser = make_(file, 0, file.size());
    LabelledUtterance u;
    while (parser->next(u)) {
      if (!u.problem.empty()) {
        pass_over(u);
        continue;
      }
      names_.is_repeated(u.name);
      places.push_back({files_.size() - 1, u.begin, u.end, key_of_utterance(u.name), u.frames});
    }
  }

  void pass_over(const LabelledUtterance& u) {
    if (++errors_ > options_.max_errors)
      throw runtime_error(cat("an utterance of a master label file is damaged: ", u.problem))
          .line("file", u.place)
          .line("utterance", u.name)
          .line("stream", options_.name)
          .remedy("mend it, or let max_errors of them be left out");
    warnings_.push_back(cat(u.place, ": ", u.problem, "; the utterance ", u.name, " is left out (", errors_,
                            " of at most ", options_.max_errors, ")"));
  }

  // Those that come twice are left out. A chunk is of one file.
  void make_index(const std::vector<Place>& places) {
    int32_t in_chunk = 0;
    int64_t frames = 0;  // of the chunk
    for (const Place& p : places) {
      if (names_.is_dropped(p.key)) continue;
      if (chunks_.empty() || chunks_.back().file != p.file || frames > kLabelChunkFrames ||
          p.end - chunks_.back().begin > options_.chunk_bytes) {
        chunks_.push_back({p.file, p.begin, p.end});
        in_chunk = 0;
        frames = 0;
      }
      chunks_.back().end = p.end;
      frames += p.frames;
      index_.push_back({p.key, p.frames, static_cast<int32_t>(chunks_.size()) - 1, in_chunk++});
    }
    if (index_.empty())
      throw runtime_error(cat("the label files of the stream ", options_.name, " have no utterances"))
          .line("file", name());
  }

  HtkLabels options_;
  MakeParser make_;
  Files files_;
  std::vector<Stream> streams_;
  std::vector<Part> chunks_;
  SequenceIndex index_;
  UtteranceNames names_;
  int64_t errors_ = 0;
  std::vector<std::string> warnings_;
};

DeserializerPtr labels(const std::vector<std::string>& files, const HtkLabels& options, MakeParser make) {
  return needed_for([&] { return "the labels of " + options.name; },
                    [&] { return std::make_shared<Labels>(files, options, std::move(make)); });
}

}  // namespace

DeserializerPtr htk_labels(const std::vector<std::string>& files, const HtkLabels& options) {
  return opened([=] {
    auto numbers = std::make_shared<const LabelNumbers>(read_label_names(options.names, options.dim));
    return labels(files, options, [numbers](const InputFile& file, int64_t begin, int64_t end) {
      return text_labels(file, begin, end, *numbers);
    });
  });
}

DeserializerPtr htk_labels_binary(const std::vector<std::string>& files, const HtkLabels& options) {
  if (!options.names.empty() || options.phone_boundaries)
    throw value_error("a binary master label file has numbers for labels, without names and phone boundaries")
        .remedy("leave out names and phone_boundaries");
  return opened([=] {
    return labels(files, options, [dim = options.dim](const InputFile& file, int64_t begin, int64_t end) {
      return binary_labels(file, begin, end, dim);
    });
  });
}

}  // namespace cantik
