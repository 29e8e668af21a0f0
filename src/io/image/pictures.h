// Pictures: a deserializer of pictures that somebody else lists. Each picture is a chunk.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cantik/image.h>

#include "io/deserializer.h"
#include "io/image/transform.h"

namespace cantik {

// Where pictures are: a list of them, with their labels.
class PictureList {
 public:
  struct Item {
    uint64_t key = 0;
    int64_t label = 0;
  };
  virtual ~PictureList() = default;
  virtual const std::vector<Item>& items() const = 0;
  // See Deserializer::groups.
  virtual std::vector<int64_t> groups() const { return {}; }
  // The bytes of its file. Called on any number of threads.
  virtual std::vector<uint8_t> read(int64_t item) const = 0;
  // What errors call a picture, and the list.
  virtual std::string name_of(int64_t item) const = 0;
  virtual std::string name() const = 0;
};

// The bytes of a file that is a picture, at most 1 GB.
std::vector<uint8_t> read_picture_file(const std::string& path);

DeserializerPtr pictures(std::unique_ptr<PictureList> list, const ImageOptions& options);

}  // namespace cantik
