// The picture of means, from the XML file that CNTK's programs write: <Channel>, <Row>, <Col> and a matrix
// <MeanImg> with <data> in the order of rows, columns, channels.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"
#include "io/image/transform.h"
#include "io/input_file.h"

namespace cantik {
namespace {

constexpr int64_t kMostBytes = int64_t{1} << 28;

class MeanFile {
 public:
  explicit MeanFile(const std::string& path) : path_(path) {
    const InputFile file(path);
    if (file.size() > kMostBytes) throw wrong(cat("it has ", file.size(), " bytes"));
    text_.resize(static_cast<size_t>(file.size()));
    file.read(0, file.size(), text_.data());
  }

  Picture picture() const {
    const int64_t channels = number("Channel"), rows = number("Row"), columns = number("Col");
    std::vector<float> values = numbers(between(between(text_, "MeanImg"), "data"));
    if (static_cast<int64_t>(values.size()) != channels * rows * columns)
      throw wrong(cat("its matrix has ", values.size(), " numbers, and ", rows, " x ", columns, " x ",
                      channels, " were expected"));
    Picture p = Picture::of_numbers(rows, columns, channels);
    float* into = p.numbers();
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t i = 0; i < rows * columns; ++i) *into++ = values[i * channels + c];
    return p;
  }

 private:
  Error wrong(const std::string& what) const {
    return runtime_error(cat("the file of means cannot be read: ", what)).line("file", path_);
  }
  // What stands between <name ...> and </name>.
  std::string_view between(std::string_view text, const std::string& name) const {
    const size_t tag = text.find("<" + name), begin = text.find('>', tag), end = text.find("</" + name, tag);
    if (tag == std::string_view::npos || begin == std::string_view::npos || end == std::string_view::npos ||
        end < begin)
      throw wrong(cat("it has no <", name, ">"));
    return text.substr(begin + 1, end - begin - 1);
  }
  int64_t number(const std::string& name) const {
    const std::vector<float> found = numbers(between(text_, name));
    constexpr float kMost = 1 << 20;
    if (found.size() != 1 || !(found[0] >= 1 && found[0] <= kMost))
      throw wrong(cat("<", name, "> is no size"));
    return static_cast<int64_t>(found[0]);
  }
  std::vector<float> numbers(std::string_view text) const {
    const std::string copy(text);  // with a zero at its end
    std::vector<float> all;
    for (const char* p = copy.c_str();;) {
      char* end = nullptr;
      const float x = std::strtof(p, &end);
      if (end == p) {
        p += std::string_view(p).find_first_not_of(" \t\r\n") == std::string_view::npos
                 ? std::string_view(p).size()
                 : 0;
        if (*p) throw wrong(cat("a number was expected in place of ", std::string_view(p).substr(0, 20)));
        return all;
      }
      all.push_back(x);
      p = end;
    }
  }

  std::string path_, text_;
};

class MeanTransform final : public Transform {
 public:
  explicit MeanTransform(const ImageMean& o) : path_(o.path), mean_(MeanFile(o.path).picture()) {}

  Picture apply(Picture given, PictureDraws&, int64_t) const override {
    if (given.height != mean_.height || given.width != mean_.width || given.channels != mean_.channels) {
      other_size_ = true;
      return given;
    }
    Picture p = std::move(given).as_real();
    for (size_t i = 0; i < p.count(); ++i) p.numbers()[i] -= mean_.numbers()[i];
    return p;
  }
  void take_warnings(std::vector<std::string>& into) override {
    if (other_size_ && !told_.exchange(true))
      into.push_back(cat("pictures stay as they are: the means in ", path_, " have another size, ",
                         mean_.height, " x ", mean_.width, " pixels and ", mean_.channels, " channels"));
  }

 private:
  std::string path_;
  Picture mean_;
  mutable std::atomic<bool> other_size_{false};
  std::atomic<bool> told_{false};
};

}  // namespace

std::unique_ptr<Transform> transform_of(const ImageMean& mean) {
  return std::make_unique<MeanTransform>(mean);
}

}  // namespace cantik
