// Files by their first bytes.
#include "base/looks_like.h"

#include <gtest/gtest.h>

#include <string>

namespace cantik {
namespace {

TEST(LooksLike, KnowsTheFirstBytes) {
  EXPECT_EQ(looks_like("\x89PNG\r\n\x1a\n"), "a PNG picture");
  EXPECT_EQ(looks_like(std::string("BM\x10\0\0", 5)), "a BMP picture");
  EXPECT_EQ(looks_like(std::string("RIFF\1\0\0\0WEBPVP8", 15)), "a WebP picture");
  EXPECT_EQ(looks_like(std::string("\x10\0\0\0\0\0\0\0{\"a\":1}", 15)), "weights of the safetensors format");
  EXPECT_EQ(looks_like(std::string("\x01\x02\0", 3)), "");
  EXPECT_EQ(looks_like(""), "");
}

TEST(LooksLike, KnowsTexts) {
  EXPECT_EQ(looks_like("a,b\r\n1,2\n"), "a text");
  EXPECT_EQ(looks_like("BM, and a text"), "a text");
  EXPECT_EQ(looks_like("gr\xc3\xbcn"), "a text");
  EXPECT_EQ(looks_like("\xff\xff\xff"), "");
  EXPECT_EQ(looks_like("gr\xc3"), "");
  std::string cut(511, 'a');
  for (int i = 0; i < 9; ++i) cut += "\xc3\xbc";  // a letter lies across the end of what is looked at
  EXPECT_EQ(looks_like(cut), "a text");
  EXPECT_EQ(looks_like(std::string(600, '\x80')), "");
}

}  // namespace
}  // namespace cantik
