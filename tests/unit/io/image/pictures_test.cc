// Pictures from C++: streams, parts, several threads, what cannot be.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <cantik/cantik.h>

#include "temporary_path.h"

namespace cantik {
namespace {

const std::string kPictures = std::string(CANTIK_TESTS) + "/golden/images/";

class Images : public testing::Test {
 protected:
  Images() {
#ifdef CANTIK_IMAGES_LIBRARY
    setenv("CANTIK_IMAGES", CANTIK_IMAGES_LIBRARY,
           0);  // the tests are linked without libcantik, beside which it lies
#endif
    std::ofstream list(path_);
    int label = 0;
    for (const char* name : {"rgb.png", "square.png", "grey.jpg", "progressive.jpg"})
      list << kPictures << name << "\t" << label++ << "\n";
  }
  ~Images() override { std::filesystem::remove(path_); }

  const std::string path_ = temporary_path("images.txt");
};

TEST_F(Images, come_with_their_labels) {
  SourcePtr s =
      minibatch_source({images(path_, {.classes = 4, .transforms = {ImageScale{.width = 6, .height = 5}}})},
                       {.randomize = false, .max_sweeps = 1});
  EXPECT_EQ(s->streams()[0].shape, (Shape{3, 5, 6}));
  Minibatch m = s->next({.samples = 3});
  EXPECT_EQ(m["features"].data.shape(), (Shape{3, 3, 5, 6}));
  EXPECT_EQ(m["labels"].data.columns()[2], 2);
  EXPECT_EQ(s->next({.samples = 3}).sequences(), 1);
  EXPECT_FALSE(s->next({.samples = 3}));
}

// With any number of threads, and from a checkpoint on.
TEST_F(Images, random_parts_depend_on_the_seed_and_the_sweep) {
  const ImageOptions options{
      .label = "",
      .transforms = {ImageCrop{.kind = CropKind::random_side, .side_ratio = {0.5, 0.9}, .jitter = true},
                     ImageScale{.width = 8, .height = 8}},
      .seed = 5};
  auto make = [&] { return minibatch_source({images(path_, options)}, {.max_sweeps = 3}); };
  std::vector<std::vector<float>> found;
  std::vector<Dictionary> states;
  SourcePtr s = make();
  for (;;) {
    states.push_back(s->state());
    Minibatch m = s->next({.samples = 1});
    if (!m) break;
    const Tensor& t = m["features"].data;
    found.emplace_back(t.data<float>(), t.data<float>() + t.elements());
  }
  ASSERT_EQ(found.size(), 12u);
  for (size_t i = 0; i < found.size(); ++i)
    for (size_t j = 0; j < i; ++j) EXPECT_NE(found[i], found[j]);
  const int before = thread_limit();
  for (int threads : {1, 4}) {
    set_thread_limit(threads);
    for (size_t k : {0, 3, 7}) {
      SourcePtr other = make();
      other->restore(states[k]);
      for (size_t i = k; i < found.size();) {
        Minibatch m = other->next({.samples = 5});
        const Tensor& t = m["features"].data;
        for (int64_t n = 0; n < m.sequences(); ++n, ++i) {
          const float* at = t.data<float>() + n * 3 * 8 * 8;
          EXPECT_EQ(std::vector<float>(at, at + 3 * 8 * 8), found[i]) << threads << " " << i;
        }
      }
    }
  }
  set_thread_limit(before);
}

TEST_F(Images, are_decoded_upright) {
  auto read = [](const std::string& name) {
    std::ifstream file(kPictures + name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string turned = read("turned.jpg");
  EXPECT_EQ(decode_image(turned.data(), turned.size()).shape(), (Shape{30, 24, 3}));
  EXPECT_EQ(decode_image(turned.data(), turned.size(), 1).shape(), (Shape{30, 24, 1}));
  EXPECT_THROW(decode_image(turned.data(), turned.size(), 4), Error);
  EXPECT_THROW(decode_image(turned.data(), 20), Error);
}

TEST_F(Images, wrong_options_are_errors) {
  EXPECT_THROW(images(path_, {.classes = 3}), Error);  // the last label is 3
  EXPECT_THROW(images(path_, {}), Error);
  EXPECT_THROW(images(path_ + "x", {.classes = 4}), Error);
  EXPECT_THROW(images(path_, {.image = "a", .label = "a", .classes = 4}), Error);
  EXPECT_THROW(image_folder(path_, {}), Error);
  SourcePtr s = minibatch_source({images(path_, {.classes = 4})}, {.randomize = false});
  EXPECT_THROW(s->next({.samples = 2}), Error);  // two sizes in one stream
}

}  // namespace
}  // namespace cantik
