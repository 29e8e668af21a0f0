// Pictures inside a text file, in Base64 (RFC 4648).
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "io/image/lines.h"
#include "io/image/pictures.h"
#include "io/line_reader.h"
#include "io/opened.h"

namespace cantik {
namespace {

constexpr int64_t kWorkPerBase64Line = 200;
constexpr int64_t kLongestLine = int64_t{1} << 30;
constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<int8_t, 256> values_of_digits() {
  std::array<int8_t, 256> v{};
  v.fill(-1);
  for (size_t i = 0; i < kDigits.size(); ++i) v[static_cast<uint8_t>(kDigits[i])] = static_cast<int8_t>(i);
  return v;
}
constexpr std::array<int8_t, 256> kValue = values_of_digits();

int8_t value_of(char c) { return kValue[static_cast<uint8_t>(c)]; }

// Whatever stands behind the last digit, such as blanks, is no part of the picture. Empty where the text is
// not Base64.
std::vector<uint8_t> decoded(std::string_view text) {
  while (!text.empty() && value_of(text.back()) < 0) text.remove_suffix(1);
  std::vector<uint8_t> out;
  out.reserve(text.size() / 4 * 3 + 2);
  uint32_t bits = 0;
  int count = 0;
  for (char c : text) {
    const int8_t digit = value_of(c);
    if (digit < 0) return {};
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out.push_back(static_cast<uint8_t>(bits >> count));
  }
  return out;
}

class Base64File final : public PictureList {
 public:
  Base64File(const std::string& path, int64_t chunk_bytes) : file_(path) {
    if (chunk_bytes < 1) throw value_error(cat("chunk_bytes must be at least 1, and is ", chunk_bytes));
    LineReader lines(file_, 0, file_.size(), 0, kLongestLine);
    int64_t in_chunk = 0;
    for (std::string_view line; lines.next(line);) {
      may_end(kWorkPerBase64Line);
      if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
      const int64_t bytes = lines.next_position() - lines.position();
      if (items_.empty() || in_chunk + bytes > chunk_bytes) {
        groups_.push_back(static_cast<int64_t>(items_.size()));
        in_chunk = 0;
      }
      in_chunk += bytes;
      const ListLine l(line, lines.line(), file_.path(), 2);
      items_.push_back({l.key(), l.label(0)});
      const std::string_view text = l.column(1);
      texts_.push_back({lines.position() + (text.data() - line.data()), static_cast<int64_t>(text.size())});
    }
  }

  const std::vector<Item>& items() const override { return items_; }
  std::vector<int64_t> groups() const override { return groups_; }
  std::string name() const override { return file_.path(); }
  std::string name_of(int64_t item) const override { return cat(file_.path(), ", line ", item); }
  std::vector<uint8_t> read(int64_t item) const override {
    const Text& t = texts_[item];
    std::string text(static_cast<size_t>(t.bytes), '\0');
    file_.read(t.offset, t.bytes, text.data());
    std::vector<uint8_t> bytes = decoded(text);
    if (bytes.empty()) throw runtime_error("the picture is not in Base64").line("picture", name_of(item));
    return bytes;
  }

 private:
  struct Text {
    int64_t offset, bytes;
  };
  InputFile file_;
  std::vector<Item> items_;
  std::vector<int64_t> groups_;
  std::vector<Text> texts_;
};

}  // namespace

DeserializerPtr base64_images(const std::string& path, const ImageOptions& options) {
  return opened([=] { return pictures(std::make_unique<Base64File>(path, options.chunk_bytes), options); });
}

}  // namespace cantik
