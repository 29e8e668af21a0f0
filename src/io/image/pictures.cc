#include "io/image/pictures.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <cantik/error.h>

#include "base/memory.h"
#include "base/text.h"
#include "io/input_file.h"
#include "io/left_out.h"

namespace cantik {
namespace {

constexpr int64_t kLargestPicture = int64_t{1} << 30;

class Pictures final : public Deserializer {
 public:
  Pictures(std::unique_ptr<PictureList> list, const ImageOptions& options)
      : list_(std::move(list)),
        options_(options),
        channels_(options.grey ? 1 : 3),
        left_out_(options.max_errors) {
    for (const ImageTransform& t : options.transforms) {
      transforms_.push_back(std::visit([](const auto& o) { return transform_of(o); }, t));
      views_ = std::max(views_, transforms_.back()->views());
      if (const auto* scale = std::get_if<ImageScale>(&t)) channels_ = scale->channels;
    }
    const auto& items = list_->items();
    if (items.empty()) throw runtime_error(cat(list_->name(), " names no pictures"));
    if (static_cast<int64_t>(items.size()) > INT32_MAX)
      throw runtime_error(
          cat(list_->name(), " names ", items.size(), " pictures, at most ", INT32_MAX, " can be read"));
    for (size_t i = 0; i < items.size(); ++i)
      for (int64_t v = 0; v < views_; ++v)
        index_.push_back({items[i].key, 1, static_cast<int32_t>(i), static_cast<int32_t>(v)});
    if (!options.image.empty()) streams_.push_back({.name = options.image, .shape = shape()});
    if (!options.label.empty()) add_labels();
    streams_ = numbered(std::move(streams_));
    counted_stream(streams_);
  }

  const std::vector<Stream>& streams() const override { return streams_; }
  int64_t chunks() const override { return static_cast<int64_t>(list_->items().size()); }
  const SequenceIndex* index() const override { return &index_; }
  std::vector<int64_t> groups() const override { return list_->groups(); }
  std::string name() const override { return list_->name(); }
  void begin_sweep(int64_t sweep) override { sweep_ = sweep; }
  bool changes() const override {
    return std::ranges::any_of(transforms_, [](const auto& t) { return t->is_random(); });
  }
  bool is_concurrent() const override { return true; }
  bool may_be_left() const override { return true; }
  bool may_leave_out() const override { return left_out_.is_allowed(); }
  std::vector<std::string> take_warnings() override {
    std::vector<std::string> told;
    for (const auto& t : transforms_) t->take_warnings(told);
    left_out_.take_warnings(told);
    return told;
  }

  Chunk load(int64_t number) override {
    Chunk chunk;
    if (!options_.image.empty())
      chunk.push_back(
          needed_for([&] { return "the picture " + list_->name_of(number); }, [&] { return whole(number); }));
    if (!options_.label.empty()) {
      const std::vector<int32_t> ones(static_cast<size_t>(views_),
                                      static_cast<int32_t>(list_->items()[number].label));
      chunk.push_back(Value::batch(Tensor::one_hot(DType::float32, {views_, options_.classes}, ones)));
    }
    return chunk;
  }

 private:
  void add_labels() {
    if (options_.classes < 1)
      throw value_error(cat("the labels of ", list_->name(), " have ", options_.classes, " classes"))
          .remedy("say how many there are, or leave the name of the stream empty");
    for (size_t i = 0; i < list_->items().size(); ++i)
      if (const int64_t label = list_->items()[i].label; label < 0 || label >= options_.classes)
        throw runtime_error(cat("Image '", list_->name_of(static_cast<int64_t>(i)),
                                "' has invalid class id '", label,
                                "'. It is exceeding the label dimension of '", options_.classes, "'."))
            .line("file", list_->name())
            .line("picture", std::to_string(i));
    streams_.push_back({.name = options_.label, .storage = Storage::csr, .shape = {options_.classes}});
  }

  // That of the last scaling, if nothing behind it cuts; otherwise that of the first picture.
  Shape shape() const {
    if (!options_.transforms.empty())
      if (const auto* scale = std::get_if<ImageScale>(&options_.transforms.back()))
        return {scale->channels, scale->height, scale->width};
    const Picture p = transformed(decoded(0), 0, 0);
    return {p.channels, p.height, p.width};
  }

  PictureDraws draws_for(int64_t number, int64_t view) const {
    return {options_.seed, static_cast<uint64_t>(sweep_), static_cast<uint64_t>(number * views_ + view)};
  }

  // What the first transforms make of the picture says how much of it is read.
  Decoding decoding_of(std::span<const uint8_t> file, int64_t number) const {
    Decoding how{.channels = channels_};
    if (transforms_.empty() || !(options_.reduced || options_.crop_alone)) return how;
    const PictureSize whole = size_of_picture(file, list_->name_of(number));
    auto part_of = [&](int64_t width, int64_t height) {
      PictureDraws draws = draws_for(number, 0);
      return transforms_[0]->part(width, height, draws, 0);
    };
    const std::optional<PicturePart> part = part_of(whole.width, whole.height);
    const size_t next = part ? 1 : 0;  // the transform behind the cut
    const std::optional<PictureSize> size =
        next < transforms_.size() ? transforms_[next]->size() : std::nullopt;
    if (options_.reduced && size && !transforms_[0]->is_of_pixels()) {
      const int64_t width = part ? part->width : whole.width, height = part ? part->height : whole.height;
      constexpr int kMost = 8;
      for (int r = 2; r <= kMost && width >= r * size->width && height >= r * size->height; r *= 2)
        how.reduced = r;
    }
    if (options_.crop_alone && part && views_ == 1) {
      auto reduced = [&how](int64_t n) { return (n + how.reduced - 1) / how.reduced; };
      const PicturePart needed = *part_of(reduced(whole.width), reduced(whole.height));
      how.rows = needed.top + needed.height;
    }
    return how;
  }

  Picture decoded(int64_t number) const {
    const std::vector<uint8_t> file = list_->read(number);
    return decode_picture(file, decoding_of(file, number), list_->name_of(number));
  }
  Picture transformed(Picture p, int64_t number, int64_t view) const {
    PictureDraws draws = draws_for(number, view);
    for (const auto& t : transforms_) p = t->apply(std::move(p), draws, view);
    return std::move(p).as_pixels();
  }

  // One that cannot be read has no steps, if it may be left out.
  Value whole(int64_t number) {
    Picture picture;
    try {
      picture = decoded(number);
    } catch (const Error& e) {
      left_out_.add(number, "the picture " + list_->name_of(number), e);
      const std::vector<int64_t> none(static_cast<size_t>(views_), 0);
      return {Tensor(DType::float32, Shape{0} + streams_[0].shape), Layout::of_lengths(none)};
    }
    return views_of(std::move(picture), number);
  }

  Value views_of(Picture whole, int64_t number) const {
    const Shape& shape = streams_[0].shape;
    Tensor all;
    for (int64_t v = 0; v < views_; ++v) {
      const bool is_last = v + 1 == views_;
      const Picture p =
          transformed(is_last ? std::move(whole) : cut(whole, {0, 0, whole.width, whole.height}), number, v);
      if (!(shape == Shape{p.channels, p.height, p.width}))
        throw runtime_error(
            cat("Packer currently does not support samples with varying shapes: a picture of ", p.width,
                " x ", p.height, " pixels comes into the stream ", streams_[0].name, " of ", shape[2], " x ",
                shape[1]))
            .line("picture", list_->name_of(number))
            .remedy("add a transform that scales all pictures to one size");
      if (!all.defined()) all = Tensor(stored_dtype(p), Shape{views_} + shape);
      copy_numbers(p,
                   static_cast<char*>(all.raw()) + static_cast<size_t>(v) * p.count() * size_of(all.dtype()));
    }
    return Value::batch(all);
  }

  std::unique_ptr<PictureList> list_;
  ImageOptions options_;
  int64_t channels_, views_ = 1, sweep_ = 0;
  std::vector<std::unique_ptr<Transform>> transforms_;
  SequenceIndex index_;
  std::vector<Stream> streams_;
  LeftOut left_out_;
};

}  // namespace

std::vector<uint8_t> read_picture_file(const std::string& path) {
  const InputFile file(path, InputFile::Form::as_it_is);
  if (file.size() > kLargestPicture)
    throw runtime_error(
        cat("the picture ", path, " has ", file.size(), " bytes, at most ", kLargestPicture, " are read"));
  std::vector<uint8_t> bytes(static_cast<size_t>(file.size()));
  file.read(0, file.size(), reinterpret_cast<char*>(bytes.data()));
  return bytes;
}

DeserializerPtr pictures(std::unique_ptr<PictureList> list, const ImageOptions& options) {
  return std::make_shared<Pictures>(std::move(list), options);
}

}  // namespace cantik
