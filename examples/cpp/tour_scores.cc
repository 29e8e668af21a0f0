// Loads a saved model and prints its scores for the first MNIST test images, one line each.
//
//   tour_scores MODEL [COUNT] [FOLDER OF MNIST]
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "mnist.h"

int main(int argc, char** argv) try {
  if (argc < 2) return std::fprintf(stderr, "usage: tour_scores MODEL [COUNT] [FOLDER OF MNIST]\n"), 2;
  int64_t count = argc > 2 ? std::atoll(argv[2]) : 10;
  std::string folder = argc > 3 ? argv[3] : CANTIK_MNIST;

  cantik::Function classify = cantik::Function::load(argv[1]);
  cantik::Tensor images = mnist::images(folder + "/t10k-images-idx3-ubyte.gz").rows(0, count);
  cantik::Tensor scores = classify.eval({{classify.arguments()[0], cantik::Value::batch(images)}}).data;

  for (int64_t image = 0; image < count; ++image)
    for (int64_t digit = 0; digit < 10; ++digit)
      std::printf("%.9g%c", scores.at(image * 10 + digit), digit == 9 ? '\n' : ' ');
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
