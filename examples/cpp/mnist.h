// Reads MNIST's files (gzipped IDX: a header of big-endian numbers, then one byte a pixel or label).
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include <cantik/cantik.h>

#include "gzip.h"

namespace mnist {

// What follows the header.
inline std::string pixels(const std::string& path, size_t header) {
  std::string bytes = read_gzip(path);
  if (bytes.size() < header) throw std::runtime_error(path + " is not an MNIST file");
  return bytes.substr(header);
}

// [images, 28, 28], from 0 to 1.
inline cantik::Tensor images(const std::string& path) {
  std::string bytes = pixels(path, 16);
  cantik::Tensor t(cantik::DType::float32, {static_cast<int64_t>(bytes.size() / (28 * 28)), 28, 28});
  for (size_t i = 0; i < static_cast<size_t>(t.elements()); ++i)
    t.data<float>()[i] = static_cast<float>(static_cast<unsigned char>(bytes[i])) / 255.0f;
  return t;
}

// [labels, 10], one-hot.
inline cantik::Tensor labels(const std::string& path) {
  std::string bytes = pixels(path, 8);
  std::vector<int32_t> digits(bytes.begin(), bytes.end());
  return cantik::Tensor::one_hot(cantik::DType::float32, {static_cast<int64_t>(digits.size()), 10}, digits);
}

}  // namespace mnist
