// Pictures that a file names, one a line.
#include <charconv>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "io/archive.h"
#include "io/image/lines.h"
#include "io/image/pictures.h"
#include "io/line_reader.h"
#include "io/packed_names.h"
#include "io/opened.h"

namespace cantik {
namespace {

constexpr int64_t kWorkPerMapLine = 200;

class MapFile final : public PictureList {
 public:
  explicit MapFile(const std::string& path) : path_(path) {
    const InputFile file(path);
    const size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash);
    LineReader lines(file, 0, file.size(), 0);
    for (std::string_view line; lines.next(line);) {
      may_end(kWorkPerMapLine);
      const ListLine l(line, lines.line(), path_, 2);
      std::string place(l.column(0));
      if (place.starts_with("...")) place = folder + place.substr(3);
      items_.push_back({l.key(), l.label(1)});
      add(place);
    }
  }

  const std::vector<Item>& items() const override { return items_; }
  std::string name() const override { return path_; }
  std::string name_of(int64_t item) const override {
    const Archives::value_type* archive = archive_of_[item];
    return archive ? cat(archive->first, "@/", paths_[item]) : std::string(paths_[item]);
  }
  std::vector<uint8_t> read(int64_t item) const override {
    const Archives::value_type* archive = archive_of_[item];
    const std::string path(paths_[item]);
    return archive ? archive->second.read(path) : read_picture_file(path);
  }

 private:
  using Archives = std::map<std::string, Archive>;

  void add(const std::string& path) {
    constexpr std::string_view kInside = ".zip@";
    const size_t at = path.find(kInside);
    if (at == std::string::npos) {
      paths_.add(path);
      archive_of_.push_back(nullptr);
      return;
    }
    const size_t end = at + kInside.size();
    const bool has_slash = end < path.size() && (path[end] == '/' || path[end] == '\\');
    paths_.add(std::string_view(path).substr(end + (has_slash ? 1 : 0)));
    const std::string archive = path.substr(0, end - 1);
    archive_of_.push_back(&*archives_.try_emplace(archive, archive).first);
  }

  std::string path_;
  Archives archives_;
  std::vector<Item> items_;
  PackedNames paths_;  // inside the archive, where the picture lies in one
  std::vector<const Archives::value_type*> archive_of_;
};

}  // namespace

DeserializerPtr images(const std::string& map_file, const ImageOptions& options) {
  return opened([=] { return pictures(std::make_unique<MapFile>(map_file), options); });
}

}  // namespace cantik
