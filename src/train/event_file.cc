// Events as protobuf messages. Numbers of fields: tensorflow/core/util/event.proto,
// core/framework/summary.proto, tensor.proto.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <vector>

#include <cantik/error.h>
#include <cantik/tensorboard.h>

#include "base/file_handle.h"
#include "base/process.h"
#include "base/text.h"
#include "train/event_graph.h"
#include "train/event_record.h"

namespace cantik {
namespace {

enum Event : uint32_t { kWallTime = 1, kStep = 2, kFileVersion = 3, kGraph = 4, kSummary = 5 };
enum SummaryValue : uint32_t {
  kValues = 1,
  kTag = 1,
  kNumber = 2,
  kImage = 4,
  kHistogram = 5,
  kTensor = 8,
  kMetadata = 9
};
enum ImageField : uint32_t { kHeight = 1, kWidth = 2, kChannels = 3, kEncoded = 4 };
enum HistogramField : uint32_t {
  kMin = 1,
  kMax = 2,
  kCount = 3,
  kSum = 4,
  kSumOfSquares = 5,
  kLimits = 6,
  kBuckets = 7
};
enum TextField : uint32_t { kPlugin = 1, kPluginName = 1, kElementType = 1, kString = 8 };
constexpr int32_t kTypeOfStrings = 7;

constexpr std::chrono::seconds kFlushAfter{1};
constexpr size_t kFlushBeyond = 1 << 20;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Limits of buckets that grow by a tenth, to both sides of 0, as TensorBoard's own writers have them.
const std::vector<double>& bucket_limits() {
  static const std::vector<double> limits = [] {
    std::vector<double> positive;
    for (double x = 1e-12; x < 1e20; x *= 1.1) positive.push_back(x);
    std::vector<double> all;
    for (auto x = positive.rbegin(); x != positive.rend(); ++x) all.push_back(-*x);
    all.push_back(0);
    all.insert(all.end(), positive.begin(), positive.end());
    all.push_back(std::numeric_limits<double>::max());
    return all;
  }();
  return limits;
}

}  // namespace

struct EventFile::State {
  std::string path, waiting;
  FileHandle file;
  std::chrono::steady_clock::time_point flushed = std::chrono::steady_clock::now();

  [[noreturn]] void fail(const std::string& why) const {
    throw runtime_error(cat("events cannot be written: ", why)).line("file", path);
  }

  void open(const std::string& folder) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    const std::string stem = folder + "/events.out.tfevents." +
                             std::to_string(static_cast<int64_t>(seconds_now())) + "." + host_name();
    path = stem;
    // Several files of one second have names of their own.
    std::string why;
    for (int n = 1; !(file = FileHandle::to_append(path, why)); ++n) {
      if (!why.empty()) fail(why);
      path = stem + "." + std::to_string(process_id()) + "." + std::to_string(n);
    }
  }

  void flush() {
    std::string why;
    waiting.erase(0, file.append(waiting, why));
    flushed = std::chrono::steady_clock::now();
    if (!why.empty()) fail(why);
  }

  template <class Fill>
  void event(int64_t step, const Fill& fill) {
    if (!file) throw runtime_error("Attempting to use a closed TensorBoardProgressWriter").line("file", path);
    if (step < 0)
      throw value_error(cat("events are written at step ", step)).remedy("give a step of at least 0");
    std::string data;
    protozero::pbf_writer e(data);
    e.add_double(kWallTime, seconds_now());
    if (step != 0) e.add_int64(kStep, step);
    fill(e);
    append_record(waiting, data);
    if (waiting.size() > kFlushBeyond || std::chrono::steady_clock::now() - flushed > kFlushAfter) flush();
  }
  template <class Fill>
  void value(std::string_view tag, int64_t step, const Fill& fill) {
    event(step, [&](protozero::pbf_writer& e) {
      protozero::pbf_writer summary(e, kSummary);
      protozero::pbf_writer v(summary, kValues);
      v.add_string(kTag, tag.data(), tag.size());
      fill(v);
    });
  }
};

EventFile::EventFile(const std::string& folder) : state_(std::make_unique<State>()) {
  state_->open(folder);
  state_->event(0, [](protozero::pbf_writer& e) { e.add_string(kFileVersion, "brain.Event:2"); });
  state_->flush();
}

EventFile::~EventFile() {
  try {
    if (!is_closed()) state_->flush();
  } catch (const Error&) {  // nobody is there to be told
  }
}

void EventFile::scalar(std::string_view tag, double value, int64_t step) {
  state_->value(tag, step,
                [&](protozero::pbf_writer& v) { v.add_float(kNumber, static_cast<float>(value)); });
}

void EventFile::image(std::string_view tag, const Tensor& given, int64_t step) {
  const Tensor t = given.to_dense();
  const Shape& s = t.shape();
  const int lead = s.rank() - 3;
  if (lead < 0 || lead > 1 || (s[lead] != 1 && s[lead] != 3 && s[lead] != 4))
    throw shape_error(cat("a tensor of the shape ", s.text(), " is no picture"))
        .remedy("give [channels, height, width] or [n, channels, height, width] with 1, 3 or 4 channels");
  const int64_t count = lead ? s[0] : 1, channels = s[lead], height = s[lead + 1], width = s[lead + 2];
  const int64_t pixels = height * width;
  std::vector<uint8_t> bytes(static_cast<size_t>(pixels * channels));
  for (int64_t n = 0; n < count; ++n) {
    for (int64_t c = 0; c < channels; ++c) {
      const int64_t plane = channels >= 3 && c < 3 ? 2 - c : c;  // blue first there, red first in the file
      for (int64_t i = 0; i < pixels; ++i)
        bytes[i * channels + c] = static_cast<uint8_t>(
            std::clamp(std::nearbyint(t.at((n * channels + plane) * pixels + i)), 0.0, 255.0));
    }
    state_->value(cat(tag, "/image/", n), step, [&](protozero::pbf_writer& v) {
      protozero::pbf_writer image(v, kImage);
      image.add_int32(kHeight, static_cast<int32_t>(height));
      image.add_int32(kWidth, static_cast<int32_t>(width));
      image.add_int32(kChannels, static_cast<int32_t>(channels));
      image.add_bytes(kEncoded, png_of(bytes.data(), height, width, channels));
    });
  }
}

void EventFile::histogram(std::string_view tag, const Tensor& given, int64_t step) {
  const Tensor t = given.to_dense();
  const std::vector<double>& limits = bucket_limits();
  double least = std::numeric_limits<double>::infinity(), most = -least, sum = 0, squares = 0;
  int64_t count = 0;
  std::map<size_t, double> buckets;
  for (int64_t i = 0; i < t.elements(); ++i) {
    const double x = t.at(i);
    if (!std::isfinite(x)) continue;  // has no place on the axis
    least = std::min(least, x), most = std::max(most, x);
    sum += x, squares += x * x, ++count;
    ++buckets[std::upper_bound(limits.begin(), limits.end() - 1, x) - limits.begin()];
  }
  if (count == 0) least = most = 0;
  // Only buckets between the first and the last that are not empty.
  std::vector<double> ends, sizes;
  if (!buckets.empty())
    for (size_t b = buckets.begin()->first; b <= buckets.rbegin()->first; ++b) {
      ends.push_back(limits[b]);
      sizes.push_back(buckets.contains(b) ? buckets[b] : 0);
    }
  state_->value(tag, step, [&](protozero::pbf_writer& v) {
    protozero::pbf_writer h(v, kHistogram);
    h.add_double(kMin, least);
    h.add_double(kMax, most);
    h.add_double(kCount, static_cast<double>(count));
    h.add_double(kSum, sum);
    h.add_double(kSumOfSquares, squares);
    h.add_packed_double(kLimits, ends.begin(), ends.end());
    h.add_packed_double(kBuckets, sizes.begin(), sizes.end());
  });
}

void EventFile::text(std::string_view tag, std::string_view text, int64_t step) {
  state_->value(tag, step, [&](protozero::pbf_writer& v) {
    {
      protozero::pbf_writer tensor(v, kTensor);
      tensor.add_int32(kElementType, kTypeOfStrings);
      tensor.add_bytes(kString, text.data(), text.size());
    }
    protozero::pbf_writer metadata(v, kMetadata);
    protozero::pbf_writer plugin(metadata, kPlugin);
    plugin.add_string(kPluginName, "text");
  });
}

void EventFile::graph(const Function& model) {
  const std::string graph = graph_def_of(model);
  state_->event(0, [&](protozero::pbf_writer& e) { e.add_bytes(kGraph, graph); });
  state_->flush();
}

void EventFile::flush() {
  if (is_closed())
    throw runtime_error("Attempting to use a closed TensorBoardProgressWriter").line("file", path());
  state_->flush();
}

void EventFile::close() {
  flush();
  state_->file.close();
}

bool EventFile::is_closed() const { return !state_->file; }
const std::string& EventFile::path() const { return state_->path; }

}  // namespace cantik
