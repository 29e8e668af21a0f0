// A folder with a folder for each class.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "io/image/pictures.h"
#include "io/packed_names.h"
#include "io/opened.h"

namespace cantik {
namespace {

namespace fs = std::filesystem;

// Pictures of formats that are not read belong to the data, too: they are errors, or left out as max_errors
// allows, and do not vanish.
bool is_picture(const fs::path& p) {
  static const std::set<std::string_view> kEndings = {
      ".jpg",  ".jpeg", ".jpe",  ".jfif", ".png", ".bmp", ".dib", ".gif", ".tif", ".tiff",
      ".webp", ".avif", ".heic", ".heif", ".ppm", ".pgm", ".pbm", ".pnm", ".jp2"};
  std::string ending = p.extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return kEndings.contains(ending);
}

// The names of the folders in a folder, or of its pictures.
std::vector<std::string> sorted(const fs::path& folder, bool folders) {
  std::vector<std::string> all;
  std::error_code failed;
  for (const fs::directory_entry& e : fs::directory_iterator(folder, failed)) {
    may_end_now();
    if (folders ? e.is_directory() : e.is_regular_file() && is_picture(e.path()))
      all.push_back(e.path().filename().string());
  }
  if (failed) throw runtime_error(cat("the folder ", folder.string(), " cannot be read: ", failed.message()));
  std::ranges::sort(all);
  return all;
}

class ImageFolder final : public PictureList {
 public:
  ImageFolder(const std::string& path, int64_t& classes) : path_(path) {
    for (const std::string& name : sorted(path, true)) folders_.push_back(fs::path(path) / name);
    const int64_t found = static_cast<int64_t>(folders_.size());
    if (classes != 0 && classes != found)
      throw value_error(cat("the folder ", path, " has ", found, " classes, and ", classes, " were expected"))
          .remedy("a class is a folder in it; give their number, or 0");
    classes = found;
    for (int64_t c = 0; c < classes; ++c)
      for (const std::string& name : sorted(folders_[c], false)) {
        items_.push_back({items_.size(), c});
        names_.add(name);
      }
  }
  const std::vector<Item>& items() const override { return items_; }
  std::string name() const override { return path_; }
  std::string name_of(int64_t item) const override {
    return (folders_[items_[item].label] / names_[item]).string();
  }
  std::vector<uint8_t> read(int64_t item) const override { return read_picture_file(name_of(item)); }

 private:
  std::string path_;
  std::vector<fs::path> folders_;  // of the classes
  std::vector<Item> items_;
  PackedNames names_;  // each in the folder of its class
};

}  // namespace

DeserializerPtr image_folder(const std::string& path, const ImageOptions& options) {
  return opened([path, o = options]() mutable {
    auto folder = std::make_unique<ImageFolder>(path, o.classes);
    return pictures(std::move(folder), o);
  });
}

}  // namespace cantik
