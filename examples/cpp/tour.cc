// The guided tour on MNIST: define a network, train, test, save, load, evaluate.
//
//   tour [SWEEPS] [FOLDER OF MNIST] [LIBRARY OF A BACKEND]
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>

#include "mnist.h"

using namespace cantik;

Function make_model() {
  return layers::sequential({
      // a grey image has no channels
      layers::convolution2d({5, 5}, 32, {.activation = "relu", .pad = true, .reduction_rank = 0}),
      layers::max_pooling({3, 3}, {.strides = 2}),
      layers::convolution2d({3, 3}, 48, {.activation = "relu"}),
      layers::max_pooling({3, 3}, {.strides = 2}),
      layers::convolution2d({3, 3}, 64, {.activation = "relu"}),
      layers::dense(96, {.activation = "relu"}),
      layers::dropout(0.5),
      layers::dense(10),
  });
}

int main(int argc, char** argv) try {
  int64_t sweeps = argc > 1 ? std::atoi(argv[1]) : 3;
  std::string folder = argc > 2 ? argv[2] : CANTIK_MNIST;
  if (argc > 3) Device::use(load_backend(argv[3])[0]);  // everything runs there
  Tensor images = mnist::images(folder + "/train-images-idx3-ubyte.gz"),
         labels = mnist::labels(folder + "/train-labels-idx1-ubyte.gz");

  // A network is a function object; a loss and a metric are functions of its scores.
  Variable x = input({28, 28}), y = input({10}, {.sparse = true});
  Function z = make_model()(x);
  Function loss = cross_entropy_with_softmax(z, y), error = classification_error(z, y);

  // Rates and momentum are for one sample, so they hold for minibatches of any size. From the sixth sweep on
  // a gradient's weight falls to 1/e after 1,024 samples.
  const int64_t sweep = images.shape()[0];
  TrainingParameterSchedule rate({{12, 0.001}, {6, 0.0005}, {6, 0.00025}, {3, 0.000125}}, sweep, 1);
  TrainingParameterSchedule momentum = momentum_as_time_constant({{{5, 0.0}, {1, 1024.0}}, sweep});
  auto bar = std::make_shared<ProgressBar>(ProgressBarOptions{.samples = sweep, .epochs = sweeps});
  train(loss, {{x, images}, {y, labels}}, {momentum_sgd(z.parameters(), rate, {.momentum = momentum})},
        {.metric = error, .minibatch_size = 256, .max_epochs = sweeps, .writers = {bar}});

  Tensor test_images = mnist::images(folder + "/t10k-images-idx3-ubyte.gz"),
         test_labels = mnist::labels(folder + "/t10k-labels-idx1-ubyte.gz");
  Summary tested = test(error, {{x, test_images}, {y, test_labels}}, {.minibatch_size = 1024});
  std::printf("error on %lld test images: %.2f %%\n", static_cast<long long>(tested.samples),
              100 * tested.metric);

  // A saved model is one file; whoever loads it calls it.
  z.save("tour_cpp.model");
  Function classify = Function::load("tour_cpp.model");
  Tensor image = test_images.rows(0, 1);
  Tensor scores = classify.eval({{classify.arguments()[0], Value::batch(image)}}).data;
  for (int digit = 0; digit < 10; ++digit) std::printf("digit %d: score %7.2f\n", digit, scores.at(digit));
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
