// Pictures as data: files named in a list, pictures inside a text file, a folder for each class.
//
//   DeserializerPtr train = images("train.txt", {.classes = 10,
//                                                .transforms = {ImageCrop{.kind = CropKind::random_side,
//                                                                         .side_ratio = {0.8, 0.8}},
//                                                               ImageScale{.width = 32, .height = 32}}});
//   SourcePtr source = minibatch_source({train});  // streams: features [3, 32, 32], labels [10], sparse
//
// JPEG and PNG are read, by a library of their own that is loaded with the first picture. Pixels are numbers
// from 0 to 255, channels in the order blue, green, red, as CNTK has them; a picture is [channels, height,
// width].
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <cantik/api.h>
#include <cantik/deserializer.h>

namespace cantik {

// Where a part is cut out: in the middle; a square, or a rectangle, at a random place; the four corners and
// the middle, each also mirrored: ten sequences for one picture.
enum class CropKind : uint8_t { center, random_side, random_area, multiview10 };
// How pixels between pixels are found.
enum class Interpolation : uint8_t { nearest, linear, cubic, lanczos };
// How a picture of other proportions is brought to a size: stretched; cut in the middle; with a border.
enum class ScaleMode : uint8_t { fill, crop, pad };

// From the first number to the second.
struct RatioRange {
  double first = 0, last = 0;  // the bounds of a drawn ratio
};

// Cuts a part out. Random parts are mirrored in half of the cases. Where nothing is said the picture stays.
struct ImageCrop {
  CropKind kind = CropKind::center;  // where the part is
  int64_t width = 0, height = 0;     // in pixels, at most, before any ratio; 0: by the ratios
  RatioRange side_ratio = {};        // of the part's side to the shorter side of the picture
  RatioRange area_ratio = {};        // of the part's area to that of the picture
  RatioRange aspect_ratio = {1, 1};  // of the part: height to width, or the reverse at random
  bool jitter = false;  // ratios are drawn from their ranges; otherwise the first number is taken
};

// Brings a picture to a size, in the numbers of OpenCV 3.1: whole numbers as long as pixels are.
struct ImageScale {
  int64_t width = 0, height = 0;                        // in pixels
  int64_t channels = 3;                                 // 1: pictures are read as grey ones
  Interpolation interpolation = Interpolation::linear;  // how pixels between pixels are found
  ScaleMode mode = ScaleMode::fill;                     // what happens to other proportions
  std::optional<int64_t> pad_value = {};                // of the border; without: the outermost pixels again
};

// Subtracts a picture of means from pictures of its size, others stay as they are. `path`: CNTK's XML file.
struct ImageMean {
  std::string path = {};  // of the file
};

// Changes the colours at random. With u drawn from -radius to radius: pixels become (1 + u) x for the
// contrast, x + u m for the brightness, where m is the mean of the picture, and the saturation is multiplied
// by 1 + u.
struct ImageColor {
  double brightness_radius = 0, contrast_radius = 0, saturation_radius = 0;  // 0: it stays
};

// What happens to a picture on its way into a minibatch, one after another.
using ImageTransform = std::variant<ImageCrop, ImageScale, ImageMean, ImageColor>;

// How pictures become streams.
struct ImageOptions {
  std::string image = "features", label = "labels";  // names of the streams; without one a stream is left out
  int64_t classes = 0;                               // of the labels, which are sparse rows with a one
  std::vector<ImageTransform> transforms = {};       // in this order
  bool grey = false;                                 // pictures are read as grey ones
  // JPEG files that are scaled down are decoded at a half, a quarter or an eighth of their size, by the DCT,
  // as long as that is no smaller than what they are scaled to. Faster, and other pixels than CNTK's.
  bool reduced = false;
  // Of a JPEG file that is cut first, nothing below the part is decoded. The same pixels; damage below is not
  // noticed.
  bool crop_alone = false;
  // Of pictures inside a text: so many bytes of it are a chunk for random orders, as in CNTK.
  int64_t chunk_bytes = 32 << 20;
  // So many pictures that cannot be read are left out, with a warning; the next one is an error.
  int64_t max_errors = 0;
  uint64_t seed = 0;  // of random transforms: equal in every sweep, with any number of threads, for one seed
};

// Pictures that a file names, one a line: [key TAB] path TAB label. A path may be archive.zip@/path/in/it;
// `...` at its beginning is the folder of the file. Without a key it is the number of the line, from 0.
CANTIK_API DeserializerPtr images(const std::string& map_file, const ImageOptions& options);
// Pictures inside a text file, one a line: [key TAB] label TAB picture in Base64.
CANTIK_API DeserializerPtr base64_images(const std::string& path, const ImageOptions& options);
// A folder with a folder for each class, whose number is its place in the order of the names. `classes`, if
// it is not 0, is how many there have to be.
CANTIK_API DeserializerPtr image_folder(const std::string& path, const ImageOptions& options);

// The pixels of a JPEG or PNG file in memory: [height, width, channels], whole numbers as float32; channels:
// 3 or 1.
CANTIK_API Tensor decode_image(const void* data, size_t size, int64_t channels = 3);

}  // namespace cantik
