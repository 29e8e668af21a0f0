// Sizes that only a run knows, as symbols: negative numbers. Arithmetic on them gives symbols again,
// the same ones for the same sizes: (2 T) B / T is 2 B.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <cantik/op/onnx.h>

namespace cantik::onnx {

class SizeAlgebra {
 public:
  // What a symbol was made of; a symbol of its own was made of nothing.
  struct Origin {
    std::string op;  // "Mul", of all parts, or an operator of two: "Add", "Sub", "Div", "Mod", "Min", "Max"
    std::vector<int64_t> parts;
  };

  int64_t new_symbol() { return --last_; }
  bool is_symbol(int64_t size) const { return size < CANTIK_ONNX_SYMBOL && size >= last_; }
  // Of two sizes, by ONNX's name for the operator. Whole numbers that are known are numbers.
  int64_t arithmetic(std::string_view op, int64_t a, int64_t b);
  int64_t product(const std::vector<int64_t>& sizes);
  // Null: it is a size of its own.
  const Origin* origin(int64_t symbol) const;

 private:
  struct Factors {
    int64_t number = 1;
    std::vector<int64_t> symbols;  // sorted
  };
  Factors factors(int64_t size);
  int64_t of_factors(Factors f);
  int64_t quotient(int64_t a, int64_t b);
  int64_t named(std::string_view op, int64_t a, int64_t b);

  int64_t last_ = CANTIK_ONNX_SYMBOL;
  std::map<int64_t, Origin> origins_;
  std::map<std::pair<std::string, std::vector<int64_t>>, int64_t> made_;
};

}  // namespace cantik::onnx
