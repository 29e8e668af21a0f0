// The files that the fuzzers of readers start from, as they are and damaged: every one is read or refused.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <vector>

#include "fuzz/readers.h"

namespace cantik {
namespace {

namespace fs = std::filesystem;

struct Kept {
  const char* folder;
  void (*read)(fuzz::Bytes);
};

class Readers : public ::testing::TestWithParam<Kept> {
 protected:
  static void each_file(const std::function<void(const std::vector<uint8_t>&)>& test) {
    int files = 0;
    for (const auto& entry :
         fs::directory_iterator(fs::path(CANTIK_TESTS) / "fuzz/corpus" / GetParam().folder)) {
      std::ifstream file(entry.path(), std::ios::binary);
      test(std::vector<uint8_t>(std::istreambuf_iterator<char>(file), {}));
      ++files;
    }
    EXPECT_GT(files, 3);
  }
};

TEST_P(Readers, read_or_refuse_what_is_cut_off) {
  each_file([](const std::vector<uint8_t>& bytes) {
    for (size_t n = 1; n <= bytes.size(); ++n) GetParam().read(fuzz::Bytes(bytes).first(n));
  });
}

TEST_P(Readers, read_or_refuse_what_is_damaged) {
  each_file([](const std::vector<uint8_t>& bytes) {
    for (size_t i = 1; i < bytes.size(); ++i)
      for (int damage : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
        std::vector<uint8_t> damaged = bytes;
        damaged[i] = static_cast<uint8_t>(damage);
        GetParam().read(damaged);
      }
  });
}

INSTANTIATE_TEST_SUITE_P(
    AllFormats, Readers,
    ::testing::Values(Kept{"binary_format", fuzz::binary_format}, Kept{"htk_archive", fuzz::htk_archive},
                      Kept{"htk_script", fuzz::htk_script}, Kept{"htk_text_labels", fuzz::htk_text_labels},
                      Kept{"htk_binary_labels", fuzz::htk_binary_labels},
                      Kept{"htk_lattices", fuzz::htk_lattices}, Kept{"csv", fuzz::csv},
                      Kept{"npy", fuzz::npy}, Kept{"npz", fuzz::npz}, Kept{"image_list", fuzz::image_list},
                      Kept{"ctf_index", fuzz::ctf_index}),
    [](const auto& info) { return std::string(info.param.folder); });

}  // namespace
}  // namespace cantik
