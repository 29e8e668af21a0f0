// The model in a C++ program: in_cpp FOLDER/points/1/points.cntk
#include <cantik/cantik.h>

#include <cstdio>
#include <vector>
using namespace cantik;

int main(int, char** words) try {
  Function model = Function::load(words[1]);
  Tensor point = Tensor::of<float>({1, 2}, std::vector<float>{3, 3});
  Tensor chances = model.eval({{model.arguments()[0], Value::batch(point)}}).data;
  std::printf("(3, 3) is of kind %d\n", chances.at(1) > chances.at(0) ? 1 : 0);
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
