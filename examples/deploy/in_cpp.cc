// The model in a C++ program: in_cpp FOLDER/points/1/points.cntk
#include <cantik/cantik.h>

#include <cstdio>
#include <vector>
using namespace cantik;

int main(int argc, char** argv) try {
  if (argc < 2) return std::fprintf(stderr, "usage: in_cpp FOLDER/points/1/points.cntk\n"), 2;
  Function model = Function::load(argv[1]);
  Tensor point = Tensor::of<float>({1, 2}, std::vector<float>{3, 3});
  Tensor chances = model.eval({{model.arguments()[0], Value::batch(point)}}).data;
  std::printf("(3, 3) is of kind %d\n", chances.at(1) > chances.at(0) ? 1 : 0);
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
