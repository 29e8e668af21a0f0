#include <cantik/cantik.h>

#include <cstdio>

int main(int, char** argv) {
  using namespace cantik;
  Variable image = input({28, 28});
  layers::dense(10)(image).save(argv[1]);  // what the README's program loads
  Variable x = input({2}, {.name = "x"});
  Function y = call("relu", {x});
  Value v = y.eval({{x, Value::batch<float>({1, 2}, std::vector<float>{-1, 2})}});
  std::printf("%s gives %g %g\n", y.signature().c_str(), v.data.at(0), v.data.at(1));
  return v.data.at(0) == 0 && v.data.at(1) == 2 ? 0 : 1;
}
