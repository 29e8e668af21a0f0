// A dictionary with one value of each kind.
#pragma once

#include <cantik/dictionary.h>

namespace cantik {

template <class T>
Tensor counted(Shape shape, DType dtype) {
  Tensor t(dtype, std::move(shape));
  for (int64_t i = 0; i < t.elements(); ++i) t.data<T>()[i] = static_cast<T>(i);
  return t;
}

// One of each kind, nested.
inline Dictionary everything() {
  return {{"none", DictionaryValue()},
          {"yes", true},
          {"no", false},
          {"int", int32_t{-7}},
          {"size", uint64_t{1} << 63},
          {"float", 1.5f},
          {"double", -2.25},
          {"text", "grün"},
          {"empty", ""},
          {"shape", Shape({2, kFree, kInferred})},
          {"unknown shape", Shape::unknown()},
          {"axis", Axis(-3)},
          {"batch", Axis::batch()},
          {"sequence", Axis("words")},
          {"all", Axis::all_static()},
          {"unknown axis", Axis::unknown()},
          {"list", DictionaryVector{1.0, "two", DictionaryVector{}, Dictionary{{"three", int32_t{3}}}}},
          {"float32", counted<float>({2, 3}, DType::float32)},
          {"float64", counted<double>({3}, DType::float64)},
          {"float16", counted<float>({5}, DType::float32).cast(DType::float16)},
          {"int8", counted<int8_t>({4, 1}, DType::int8)},
          {"int16", counted<int16_t>({300}, DType::int16)},
          {"scalar", Tensor::scalar(4)},
          {"nothing", Tensor(DType::float32, {0, 3})}};
}

}  // namespace cantik
