// A program that uses an installed Cantik as programs do: feeds and options in braces, default writers,
// templates of the headers.
#include <cantik/cantik.h>

#include <cstdio>
#include <memory>
#include <vector>

namespace {

using namespace cantik;

Value two_numbers() { return Value::batch<float>({1, 2}, std::vector<float>{-1, 2}); }

// Options and lists of outputs are both written in braces.
bool braces() {
  Variable x = input({2}, {.name = "x"});
  Function y = call("relu", {x}), z = call("negate", {x});
  Feeds feeds{{x, two_numbers()}};
  Value one = y.eval(feeds), same = y.eval(feeds, {.threads = 1}),
        checked = y.eval({{x, two_numbers()}}, {.threads = 1, .check_nan = true});
  std::vector<Variable> wanted{y.output(), z.output()};
  Function both = combine(wanted);
  std::vector<Value> listed = both.eval(feeds, {y.output(), z.output()}),
                     given = both.eval(feeds, wanted, {.threads = 1});
  std::vector<Value> single = y.eval(feeds, {y.output()}, {.threads = 1});
  return one.data.at(1) == 2 && same.data.at(1) == 2 && checked.data.at(0) == 0 && listed.size() == 2 &&
         given[1].data.at(0) == 1 && single.size() == 1;
}

bool training() {
  Variable x = input({2}), y = input({1});
  Function z = layers::dense(1)(x), loss = squared_error(z, y);
  LearnerPtr learner = adam(z.parameters(), 0.1, {.momentum = 0.9, .use_mean_gradient = true});
  Feeds feeds{{x, two_numbers()}, {y, Value::batch<float>({1, 1}, std::vector<float>{1})}};
  Trainer trainer(z, loss, {learner}, {std::make_shared<ProgressPrinter>(), std::make_shared<ProgressBar>()});
  bool updated = trainer.train_minibatch(feeds, {.threads = 1});
  std::puts(trainer.text().c_str());
  return updated && learner->text() == "adam of 2 parameters, learning rate 0.1 per minibatch";
}

}  // namespace

int main(int, char** argv) {
  Variable image = input({28, 28});
  layers::dense(10)(image).save(argv[1]);  // what the README's program loads
  return braces() && training() ? 0 : 1;
}
