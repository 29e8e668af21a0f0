// Python's calls of train() and test(), and of what is configured beside a training.
#include <cantik/train.h>

#include "learners/define.h"
#include "train/calls.h"

namespace cantik {
namespace {

constexpr const char* kStreamsDoc = "which input gets which stream of the source";
constexpr const char* kArgumentStreamsDoc = "which argument gets which stream of a source";
constexpr const char* kCriterionDoc = "whose arguments the arrays are for";
constexpr ArgumentSpelling kSizes{"Any", "32", "; a number or a schedule"};
constexpr ArgumentSpelling kFrequency{"Any", "None",
                                      ": a number of samples, or (count, DataUnit); None for the end only"};

// Lines of examples: data for a network.
#define CANTIK_EXAMPLE_DATA                                           \
  "data = np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)\n" \
  "x, y = C.input_variable(2), C.input_variable(1)\n"

}  // namespace

void describe_configs(CallDefinitions& calls) {
  calls.add("CheckpointConfig", "train", "class")
      .doc(
          "Checkpoints during training. The state is copied, and written while the training goes on; the "
          "file "
          "is whole at any moment.")
      .body("_configs.Checkpoints")
      .option<CheckpointConfig>("CheckpointConfig", "filename", {.annotation = "PathLike"})
      .option<CheckpointConfig>("CheckpointConfig", "frequency", kFrequency)
      .option<CheckpointConfig>("CheckpointConfig", "restore")
      .option<CheckpointConfig>("CheckpointConfig", "preserve_all")
      .example("C.CheckpointConfig('m.ckp', frequency=10000, preserve_all=True).filename");
  calls.add("CrossValidationConfig", "train", "class")
      .doc("Cross-validation during training.")
      .body("_configs.CrossValidation")
      .given("minibatch_source", "Any", "None",
             "a source, or a tuple of arrays in the order of the criterion's arguments; None if only the "
             "callback matters")
      .option<CrossValidationConfig>("CrossValidationConfig", "frequency", kFrequency)
      .option<TestConfig>("TestConfig", "minibatch_size", kSizes)
      .option<CrossValidationConfig>("CrossValidationConfig", "callback",
                                     {.annotation = "Callable[..., Any] | None", .spelled = "None"})
      .option<TestConfig>("TestConfig", "max_samples")
      .given("model_inputs_to_streams", "Any", "None", kStreamsDoc)
      .given("criterion", "Any", "None", kCriterionDoc)
      .given("source", "Any", "None", "the older name of minibatch_source")
      .given("mb_size", "Any", "None", "the older name of minibatch_size")
      .example(
          CANTIK_EXAMPLE_DATA
          "config = C.CrossValidationConfig(\n"
          "    data, frequency=100, minibatch_size=2, criterion=C.squared_error(C.layers.Dense(1)(x), y)\n"
          ")");
  calls.add("TestConfig", "train", "class")
      .is("TestConfig")
      .body("_configs.FinalTest")
      .given("minibatch_source", "Any", "None",
             "a source, or a tuple of arrays in the order of the criterion's arguments")
      .option<TestConfig>("TestConfig", "minibatch_size", kSizes)
      .given("model_inputs_to_streams", "Any", "None", kStreamsDoc)
      .given("criterion", "Any", "None", kCriterionDoc)
      .given("source", "Any", "None", "the older name of minibatch_source")
      .given("mb_size", "Any", "None", "the older name of minibatch_size")
      .example(CANTIK_EXAMPLE_DATA
               "config = C.TestConfig(data, minibatch_size=2, "
               "criterion=C.squared_error(C.layers.Dense(1)(x), y))");
}
#undef CANTIK_EXAMPLE_DATA

void describe_loops(CallDefinitions& calls) {
  calls.add("train", "functions", "method")
      .doc("Trains on arrays, or on a source of minibatches; the function is the loss, or loss and metric.")
      .body("loops.train")
      .given("minibatch_source", "Any", "",
             "a tuple of arrays or CSR matrices in the order of the arguments, or a source")
      .option<TrainConfig>("TrainConfig", "minibatch_size", kSizes)
      .given("streams", "Any", "None", kArgumentStreamsDoc)
      .given("model_inputs_to_streams", "Any", "None", "CNTK's other name of streams")
      .given("parameter_learners", "Sequence[Learner] | Learner", "[]", "what updates the parameters")
      .option<TrainConfig>(
          "TrainConfig", "callbacks",
          {.annotation = "Sequence[Any]",
           .spelled = "[]",
           .doc =
               ": progress writers, CheckpointConfig, CrossValidationConfig, TestConfig; Callbacks such as "
               "`cantik.train.EarlyStopping`; functions of the record of an epoch, where False ends the "
               "training"})
      .option<TrainConfig>("TrainConfig", "progress_frequency")
      .option<TrainConfig>("TrainConfig", "max_epochs")
      .option<TrainConfig>("TrainConfig", "epoch_size")
      .option<TrainConfig>("TrainConfig", "max_samples")
      .given("shuffle", "bool | int", "False",
             "arrays come in a new order in each sweep; a number is the seed of the orders. As in CNTK, they "
             "come in their own order by default")
      .returns("Progress",
               "a record of `updates` and `epoch_summaries`, each with loss, metric and samples; "
               "`test_summary` with a TestConfig. A notebook shows its curves")
      .example(
          "x, y = C.input_variable(2), C.input_variable(1)\n"
          "z = C.layers.Dense(1)(x)\n"
          "data = np.ones((100, 2), np.float32), np.ones((100, 1), np.float32)\n"
          "progress = C.squared_error(z, y).train(data, parameter_learners=[C.sgd(z.parameters, 0.1)])\n"
          "progress.epoch_summaries[0].samples");
  calls.add("test", "functions", "method")
      .doc("The average of the metric (the last output) over arrays, or over all that a source brings.")
      .body("loops.test")
      .given("minibatch_source", "Any", "",
             "a tuple of arrays or CSR matrices in the order of the arguments, or a source that ends")
      .option<TestOptions>("TestOptions", "minibatch_size", kSizes)
      .given("streams", "Any", "None", kArgumentStreamsDoc)
      .given("model_inputs_to_streams", "Any", "None", "CNTK's other name of streams")
      .given("callbacks", "Sequence[Any] | None", "None", "progress writers")
      .returns("Record", "a record of `metric` and `samples`")
      .example(
          "x, y = C.input_variable(2), C.input_variable(1)\n"
          "data = np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)\n"
          "C.squared_error(C.reduce_sum(x), y).test(data, minibatch_size=2).metric");
}

}  // namespace cantik
