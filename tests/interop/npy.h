// NumPy's .npy files, as far as the interop scripts need them: C order, little-endian float32 and float64.
#pragma once

#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include <cantik/tensor.h>

namespace npy {

inline cantik::Tensor load(const std::string& path) {
  std::ifstream f(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(f)), {});
  if (bytes.size() < 10 || bytes.substr(1, 5) != "NUMPY") throw std::runtime_error(path + " is no .npy file");
  size_t head = static_cast<unsigned char>(bytes[8]) + 256 * static_cast<unsigned char>(bytes[9]);
  std::string text = bytes.substr(10, head);
  cantik::DType dtype =
      text.find("'<f8'") != std::string::npos ? cantik::DType::float64 : cantik::DType::float32;
  if (dtype == cantik::DType::float32 && text.find("'<f4'") == std::string::npos)
    throw std::runtime_error(path + " is neither float32 nor float64");
  size_t open = text.find("'shape': (") + 10;
  std::istringstream dims(text.substr(open, text.find(')', open) - open));
  cantik::Shape shape;
  for (std::string d; std::getline(dims, d, ',');)
    if (d.find_first_not_of(' ') != std::string::npos) shape.push_back(std::stoll(d));
  cantik::Tensor t(dtype, shape);
  std::memcpy(t.raw(), bytes.data() + 10 + head, t.bytes());
  return t;
}

inline void save(const std::string& path, const cantik::Tensor& given) {
  cantik::Tensor t = given.to_dense();
  std::string shape;
  for (int64_t d : t.shape()) shape += std::to_string(d) + ",";
  std::string head = std::string("{'descr': '<f") + (t.dtype() == cantik::DType::float64 ? "8" : "4") +
                     "', 'fortran_order': False, 'shape': (" + shape + ")}";
  head.resize((head.size() + 10 + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  head += '\n';
  std::ofstream f(path, std::ios::binary);
  f << "\x93NUMPY" << '\1' << '\0' << static_cast<char>(head.size() & 255)
    << static_cast<char>(head.size() >> 8) << head;
  f.write(static_cast<const char*>(t.raw()), static_cast<std::streamsize>(t.bytes()));
}

}  // namespace npy
