// A folder with a folder for each class.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "io/image/pictures.h"
#include "io/opened.h"

namespace cantik {
namespace {

namespace fs = std::filesystem;

bool is_picture(const fs::path& p) {
  std::string ending = p.extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".jpg" || ending == ".jpeg" || ending == ".png";
}

std::vector<fs::path> sorted(const fs::path& folder, bool folders) {
  std::vector<fs::path> all;
  std::error_code failed;
  for (const fs::directory_entry& e : fs::directory_iterator(folder, failed)) {
    may_end_now();
    if (folders ? e.is_directory() : e.is_regular_file() && is_picture(e.path())) all.push_back(e.path());
  }
  if (failed) throw runtime_error(cat("the folder ", folder.string(), " cannot be read: ", failed.message()));
  std::ranges::sort(all);
  return all;
}

class ImageFolder final : public PictureList {
 public:
  ImageFolder(const std::string& path, int64_t& classes) : path_(path) {
    const std::vector<fs::path> folders = sorted(path, true);
    const int64_t found = static_cast<int64_t>(folders.size());
    if (classes != 0 && classes != found)
      throw value_error(cat("the folder ", path, " has ", found, " classes, and ", classes, " were expected"))
          .remedy("a class is a folder in it; give their number, or 0");
    classes = found;
    for (size_t c = 0; c < folders.size(); ++c)
      for (fs::path& p : sorted(folders[c], false)) {
        items_.push_back({items_.size(), static_cast<int64_t>(c)});
        paths_.push_back(p.string());
      }
  }
  const std::vector<Item>& items() const override { return items_; }
  std::string name() const override { return path_; }
  std::string name_of(int64_t item) const override { return paths_[item]; }
  std::vector<uint8_t> read(int64_t item) const override { return read_picture_file(name_of(item)); }

 private:
  std::string path_;
  std::vector<Item> items_;
  std::vector<std::string> paths_;
};

}  // namespace

DeserializerPtr image_folder(const std::string& path, const ImageOptions& options) {
  return opened([path, o = options]() mutable {
    auto folder = std::make_unique<ImageFolder>(path, o.classes);
    return pictures(std::move(folder), o);
  });
}

}  // namespace cantik
