// What do travellers ask for? A network that reads their sentences from both ends names each word's slot, or
// the intent of a whole sentence.
//
//   atis [slots|intent] [SWEEPS] [FOLDER OF ATIS]
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include <cantik/cantik.h>

#include "gzip.h"

using namespace cantik;

std::vector<std::string> words_of(std::istream&& text) {
  return {std::istream_iterator<std::string>(text), std::istream_iterator<std::string>()};
}

std::vector<std::string> words_in_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("the list of words " + path + " cannot be read");
  return words_of(std::move(file));
}

// From word numbers to scores: for each word, or (the last states alone) for the sentence.
Function make_model(bool sentence, int64_t results) {
  using namespace cantik::layers;
  auto reader = [&](bool backwards) {
    return sentence ? fold(lstm(150), {.go_backwards = backwards})
                    : recurrence(lstm(150), {.go_backwards = backwards});
  };
  return sequential({embedding(150), side_by_side({reader(false), reader(true)}), dense(results)});
}

// Minibatches of whole sentences from a compressed text file; a sentence has a line for each word.
SourcePtr sentences(const std::string& folder, const std::string& name, std::vector<CtfStream> streams,
                    const SourceOptions& options) {
  std::string plain = std::filesystem::temp_directory_path() / name;
  std::ofstream(plain) << read_gzip(folder + "/" + name + ".gz");
  return minibatch_source({ctf(plain, std::move(streams))}, options);
}

int main(int argc, char** argv) try {
  bool intent = argc > 1 && std::string(argv[1]) == "intent";
  int64_t sweeps = argc > 2 ? std::atoi(argv[2]) : 8;
  std::string folder = argc > 3 ? argv[3] : CANTIK_ATIS;
  const std::vector<std::string> words = words_in_file(folder + "/query.wl"),
                                 labels = words_in_file(folder + (intent ? "/intent.wl" : "/slots.wl"));
  const int64_t width = std::ssize(words), results = std::ssize(labels);

  // A sentence is a sequence, and so are its slots; an intent is one for the whole.
  Variable x = input({width}, {.sparse = true, .axes = Axes::sequence(), .name = "query"});
  Variable y =
      input({results}, {.sparse = true, .axes = intent ? Axes::batch() : Axes::sequence(), .name = "label"});
  Function scores = make_model(intent, results)(x);
  Function loss = cross_entropy_with_softmax(scores, y), error = classification_error(scores, y);

  std::vector<CtfStream> streams{
      {.name = "query", .field = "S0", .dim = width, .sparse = true},
      {.name = "label", .field = intent ? "S1" : "S2", .dim = results, .sparse = true}};
  SourcePtr training = sentences(folder, "atis.train.ctf", streams, {.max_sweeps = sweeps}),
            testing = sentences(folder, "atis.test.ctf", streams, {.randomize = false, .max_sweeps = 1});

  // The rate is for one sample: a word with its slot, or a sentence with its intent.
  TrainingParameterSchedule rate({{4, intent ? 0.001 : 0.003}, {3, intent ? 0.0005 : 0.0015}, {1, 0.0003}},
                                 TrainingParameterSchedule::kFullSweep, 1);
  LearnerPtr learner =
      adam(scores.parameters(), rate, {.momentum = 0.9, .gradient_clipping_threshold_per_sample = 15});
  auto bar =
      std::make_shared<ProgressBar>(ProgressBarOptions{.samples = intent ? 4978 : 66547, .epochs = sweeps});
  Trainer trainer(scores, loss, error, {learner}, {bar});
  while (Minibatch m = training->next({.samples = 70})) {
    trainer.train_minibatch(m.feeds({{x, "query"}, {y, "label"}}), {.sweep_end = m.sweep_end});
    if (m.sweep_end) trainer.summarize_training_progress();
  }
  Summary tested = test(error, *feed_source(testing, {{x, "query"}, {y, "label"}}), {.minibatch_size = 1000});
  std::printf("error on %lld %s never seen: %.2f %%\n", static_cast<long long>(tested.samples),
              intent ? "sentences" : "words", 100 * tested.metric);

  // Saved, loaded, asked: of the scores the place of the highest.
  scores.save("atis_cpp.model");
  Function ask = argmax(Function::load("atis_cpp.model"));
  std::unordered_map<std::string, int32_t> number_of;
  for (const std::string& word : words) number_of.emplace(word, static_cast<int32_t>(number_of.size()));
  const auto sentence = words_of(std::istringstream("BOS flights from boston to new york on friday EOS"));
  std::vector<int32_t> numbers;
  for (const std::string& word : sentence) numbers.push_back(number_of.at(word));
  Tensor best = ask.eval({{ask.arguments()[0], Value::one_hot_sequences({numbers}, {width})}}).data;
  for (int64_t i = 0; i < best.elements(); ++i)
    std::printf("%10s  %s\n", intent ? "" : sentence[static_cast<size_t>(i)].c_str(),
                labels[static_cast<size_t>(best.at(i))].c_str());
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
