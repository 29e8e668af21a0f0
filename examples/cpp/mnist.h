// Reads MNIST's files (gzipped IDX: a header of big-endian numbers, then one byte a pixel or label).
#pragma once

#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <zlib.h>

#include <cantik/cantik.h>

namespace mnist {

inline std::vector<unsigned char> read_gzip(const std::string& path, size_t header) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (!file) throw std::runtime_error("cannot open " + path);
  std::vector<unsigned char> bytes, block(1 << 20);
  for (int n; (n = gzread(file, block.data(), static_cast<unsigned>(block.size()))) > 0;) bytes.insert(bytes.end(), block.begin(), block.begin() + n);
  gzclose(file);
  if (bytes.size() < header) throw std::runtime_error(path + " is not an MNIST file");
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(header));
  return bytes;
}

// [images, 28, 28], from 0 to 1.
inline cantik::Tensor images(const std::string& path) {
  std::vector<unsigned char> bytes = read_gzip(path, 16);
  cantik::Tensor t(cantik::DType::float32, {static_cast<int64_t>(bytes.size() / (28 * 28)), 28, 28});
  for (size_t i = 0; i < static_cast<size_t>(t.elements()); ++i) t.data<float>()[i] = static_cast<float>(bytes[i]) / 255.0f;
  return t;
}

// [labels, 10], one-hot.
inline cantik::Tensor labels(const std::string& path) {
  std::vector<unsigned char> bytes = read_gzip(path, 8);
  std::vector<int32_t> digits(bytes.begin(), bytes.end());
  return cantik::Tensor::one_hot(cantik::DType::float32, {static_cast<int64_t>(digits.size()), 10}, digits);
}

}  // namespace mnist
