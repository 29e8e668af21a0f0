// Pictures as data: descriptions of transforms, as CNTK's dictionaries have them.
#include <cantik/image.h>

#include <optional>
#include <span>

#include "binding/arguments.h"
#include "binding/numpy.h"
#include "binding/training.h"

namespace cantik::python {
namespace {

// One of some words; an error lists them.
template <class T>
T word(const nb::dict& d, const char* key, std::initializer_list<std::pair<const char*, T>> words,
       const char* refusal) {
  const std::string given = nb::cast<std::string>(nb::object(d[key]));
  for (const auto& [text, value] : words)
    if (given == text) return value;
  throw runtime_error(std::string(refusal) + ": " + given + ".");
}

RatioRange range_in(const nb::dict& d, const char* key) {
  const auto [first, last] = nb::cast<std::pair<double, double>>(nb::object(d[key]));
  return {first, last};
}

// In dictionaries -1 stands for a border of the outermost pixels.
std::optional<int64_t> border_of(int64_t number) {
  return number == -1 ? std::nullopt : std::optional(number);
}

template <class T>
T number_of(const nb::dict& d, const char* key) {
  return nb::cast<T>(nb::object(d[key]));
}

ImageTransform transform_of(const nb::dict& d) {
  const std::string type = nb::cast<std::string>(nb::object(d["type"]));
  if (type == "Crop") {
    const auto [width, height] = nb::cast<std::pair<int64_t, int64_t>>(nb::object(d["cropSize"]));
    return ImageCrop{.kind = word<CropKind>(d, "cropType",
                                            {{"center", CropKind::center},
                                             {"randomside", CropKind::random_side},
                                             {"randomarea", CropKind::random_area},
                                             {"multiview10", CropKind::multiview10}},
                                            "Invalid crop type"),
                     .width = width,
                     .height = height,
                     .side_ratio = range_in(d, "sideRatio"),
                     .area_ratio = range_in(d, "areaRatio"),
                     .aspect_ratio = range_in(d, "aspectRatio"),
                     .jitter = word<bool>(d, "jitterType", {{"none", false}, {"", false}, {"uniratio", true}},
                                          "Invalid jitter type")};
  }
  if (type == "Scale")
    return ImageScale{
        .width = number_of<int64_t>(d, "width"),
        .height = number_of<int64_t>(d, "height"),
        .channels = number_of<int64_t>(d, "channels"),
        .interpolation =
            word<Interpolation>(d, "interpolations",
                                {{"nearest", Interpolation::nearest},
                                 {"linear", Interpolation::linear},
                                 {"cubic", Interpolation::cubic},
                                 {"lanczos", Interpolation::lanczos}},
                                "Invalid interpolations value, must be nearest, cubic, lanczos or linear"),
        .mode = word<ScaleMode>(
            d, "scaleMode", {{"fill", ScaleMode::fill}, {"crop", ScaleMode::crop}, {"pad", ScaleMode::pad}},
            "Invalid scaleMode value, must be fill, crop or pad (all lower case)"),
        .pad_value = border_of(number_of<int64_t>(d, "padValue"))};
  if (type == "Mean") return ImageMean{.path = number_of<std::string>(d, "meanFile")};
  if (type == "Color")
    return ImageColor{.brightness_radius = number_of<double>(d, "brightnessRadius"),
                      .contrast_radius = number_of<double>(d, "contrastRadius"),
                      .saturation_radius = number_of<double>(d, "saturationRadius")};
  throw runtime_error("there is no transform of images of the type " + type)
      .remedy("use cantik.io.transforms: crop, scale, mean, color");
}

DeserializerBox opened(const std::string& kind, const std::string& path, const std::string& image,
                       const std::string& label, int64_t classes, const nb::list& transforms, bool grey,
                       bool reduced, bool crop_alone, int64_t chunk_bytes, int64_t max_errors,
                       uint64_t seed) {
  ImageOptions o{.image = image,
                 .label = label,
                 .classes = classes,
                 .grey = grey,
                 .reduced = reduced,
                 .crop_alone = crop_alone,
                 .chunk_bytes = chunk_bytes,
                 .max_errors = max_errors,
                 .seed = seed};
  for (nb::handle t : transforms) o.transforms.push_back(transform_of(nb::borrow<nb::dict>(t)));
  Unlocked unlock;
  if (kind == "map") return {images(path, o)};
  if (kind == "base64") return {base64_images(path, o)};
  return {image_folder(path, o)};
}

}  // namespace

void bind_images(nb::module_& m) {
  m.def("images", &opened, nb::arg("kind"), nb::arg("path"), nb::arg("image"), nb::arg("label"),
        nb::arg("classes"), nb::arg("transforms"), nb::arg("grey"), nb::arg("reduced"), nb::arg("crop_alone"),
        nb::arg("chunk_bytes"), nb::arg("max_errors"), nb::arg("seed"),
        "Pictures that a file names ('map'), that are inside one ('base64'), or in a folder for each class "
        "('folder').");
  m.def(
      "decode_image",
      [](const nb::bytes& data, int64_t channels) {
        return array_of_tensor(decode_image(data.c_str(), data.size(), channels));
      },
      nb::arg("data"), nb::arg("channels") = 3,
      "The pixels of a JPEG or PNG file in memory.\n\nArgs:\n    data: the bytes of the file\n    channels: "
      "3, "
      "blue first, or 1 for grey ones\n\nReturns:\n    an array [height, width, channels] of float32");
}

}  // namespace cantik::python
