// Binary master label files: "MLF", a version (16 bits), then utterances:
//   name        version 1: a number (32 bits); version 2: its length (16 bits) and its letters
//   frames (32 bits), runs (16 bits); of each run: label, frames (16 bits each)
#include <cstring>
#include <memory>
#include <string>

#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "io/byte_reader.h"
#include "io/htk_labels.h"

namespace cantik {
namespace {

constexpr int64_t kRecordHeader = 3 + 2;

class BinaryLabels final : public LabelParser {
 public:
  BinaryLabels(const InputFile& file, int64_t begin, int64_t end, int64_t dim)
      : file_(file), bytes_(file, begin == 0 ? kRecordHeader : begin, end), dim_(dim) {
    char header[kRecordHeader];
    if (file.size() < kRecordHeader) refuse(0, "it is too short");
    file.read(0, kRecordHeader, header);
    std::memcpy(&version_, header + 3, sizeof version_);
    if (std::memcmp(header, "MLF", 3) != 0) refuse(0, "it does not begin with the letters MLF");
    if (version_ != 1 && version_ != 2)
      refuse(3, cat("it has version ", version_, ", and there are 1 and 2"));
  }

  bool next(LabelledUtterance& u) override {
    u = {};
    if (bytes_.left() == 0) return false;
    u.begin = bytes_.position();
    if (version_ == 1) {
      need(4);
      u.name = std::to_string(bytes_.number<uint32_t>());
    } else {
      need(2);
      const int64_t letters = bytes_.number<uint16_t>();
      need(letters);
      u.name.resize(static_cast<size_t>(letters));
      bytes_.read(u.name.data(), letters);
    }
    need(6);
    const int64_t frames = bytes_.number<uint32_t>(), runs = bytes_.number<uint16_t>();
    need(4 * runs);
    may_end(10 * runs);
    for (int64_t i = 0; i < runs; ++i) {
      const int32_t label = bytes_.number<uint16_t>();
      const int64_t n = bytes_.number<uint16_t>();
      if (label >= dim_) wrong(u, cat("the label ", label, ", and the stream's dimension is ", dim_));
      u.runs.push_back({label, n});
      u.frames += n;
    }
    if (u.frames > kMostFrames) wrong(u, cat("an utterance of more than ", kMostFrames, " frames"));
    if (u.frames != frames || frames == 0)
      wrong(u, cat("its labels have ", u.frames, " frames, and ", frames, " are announced"));
    u.end = bytes_.position();
    return true;
  }

 private:
  // Behind such damage no utterance can be found.
  [[noreturn]] void refuse(int64_t byte, const std::string& what) const {
    throw runtime_error(cat(file_.path(), " is not a binary master label file: ", what))
        .line("file", cat(file_.path(), ", byte ", byte))
        .remedy(
            "give a file that begins with MLF and a version, or read a text file with HTKMLFDeserializer");
  }
  void need(int64_t bytes) const {
    if (bytes > bytes_.left()) refuse(bytes_.position(), "it ends within an utterance");
  }
  void wrong(LabelledUtterance& u, const std::string& what) const {
    if (!u.problem.empty()) return;
    u.problem = what;
    u.place = cat(file_.path(), ", byte ", u.begin);
  }

  const InputFile& file_;
  ByteReader bytes_;
  int64_t dim_;
  uint16_t version_ = 0;
};

}  // namespace

std::unique_ptr<LabelParser> binary_labels(const InputFile& file, int64_t begin, int64_t end, int64_t dim) {
  return std::make_unique<BinaryLabels>(file, begin, end, dim);
}

}  // namespace cantik
