// A C++ program with Python inside: its threads train and evaluate, all at the same time, networks of C++
// alone and networks with user functions, learners and sources that are written in Python; some fail, some
// hold Python's lock, one collects garbage. Each result is compared with what it is when nothing else runs,
// or with numbers that are known. At the end Python goes, and C++ goes on.
//
// Under the thread sanitizer this finds what Python's lock does not order; under the address sanitizer, who
// outlives whom.
#include "interpreter.h"

#include <cantik/cantik.h>

#include <unistd.h>

#include <atomic>
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace cantik;

namespace {

#define EXPECT(what) \
  if (!(what)) throw std::runtime_error(std::string(__FILE__ ":") + std::to_string(__LINE__) + ": " #what)

using Numbers = std::vector<float>;

Numbers numbers_of(const Value& v) {
  Numbers all(static_cast<size_t>(v.data.shape().elements()));
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<float>(v.data.at(static_cast<int64_t>(i)));
  return all;
}

Value rows(int64_t count, int64_t width, const std::function<double(int64_t)>& number) {
  Numbers all(static_cast<size_t>(count * width));
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<float>(number(static_cast<int64_t>(i)));
  return Value::batch<float>({count, width}, all);
}
Value some_rows(int64_t count, int64_t width) {
  return rows(count, width, [](int64_t i) { return static_cast<double>(i * 7 % 13) / 8 - 0.75; });
}

std::string text_of_error(const std::function<void()>& f) {
  try {
    f();
  } catch (const std::exception& e) {
    return e.what();
  }
  return {};
}

// ---- networks of C++ alone

Numbers train_alone() {
  Variable x = input({6}), w = parameter({6, 8}, uniform(0.5, 3)), v = parameter({8, 1}, uniform(0.5, 4));
  Function loss = reduce_sum(square(times(tanh(times(x, w)), v)));
  Trainer trainer({}, loss, {sgd({w, v}, TrainingParameterSchedule(0.05))});
  for (int i = 0; i < 5; ++i) trainer.train_minibatch({{x, some_rows(30, 6)}});
  return numbers_of(loss.eval({{x, some_rows(30, 6)}}));
}

// ---- networks with functions that Python runs; none of these holds its lock

void use_cube(const Function& cube) {
  const Variable x = cube.arguments()[0];
  // 0 1 2, 3 4 5; times (2, -1, 0.5): 0 and 4.5
  const Feeds feeds{{x, rows(2, 3, [](int64_t i) { return static_cast<double>(i); })}};
  EXPECT((numbers_of(cube.eval(feeds)) == Numbers{0, 91.125f}));
  EXPECT((numbers_of(cube.grad(feeds, {x})[0]) == Numbers{0, 0, 0, 121.5f, -60.75f, 30.375f}));
}

void use_sums(const Function& sums) {
  const Variable s = sums.arguments()[0];
  const Feeds feeds{{s, Value::sequences<float>({2}, {{1, 2, 3, 4}, {5, 6}, {1, 0, 1, 0, 1, 0}})}};
  EXPECT((numbers_of(sums.eval(feeds)) == Numbers{2, 4, 8, 12, 10, 12, 2, 0, 4, 0, 6, 0}));
  EXPECT((numbers_of(sums.grad(feeds, {s})[0]) == Numbers{4, 4, 2, 2, 2, 2, 6, 6, 4, 4, 2, 2}));
}

void use_loop(const Function& loop) {
  const Variable s = loop.arguments()[0];
  // h^3 / 2 + s
  EXPECT((numbers_of(loop.eval({{s, Value::sequences<float>({2}, {{1, 2, 3, 4}, {2, 0}})}})) ==
          Numbers{1, 2, 3.5f, 8, 2, 0}));
}

// Each round loads a copy of its own: made, trained and destroyed by a thread without the lock.
Numbers train_loaded(const std::string& file) {
  const Function cube = Function::load(file);
  const Variable x = cube.arguments()[0];
  Trainer trainer({}, reduce_sum(square(cube.output())),
                  {sgd(cube.parameters(), TrainingParameterSchedule(0.0001))});
  for (int i = 0; i < 4; ++i) trainer.train_minibatch({{x, some_rows(10, 3)}});
  EXPECT(trainer.total_number_of_samples_seen() == 40);
  const Function copy = Function::from_bytes(cube.to_bytes()).clone(CloneMethod::clone);
  return numbers_of(copy.eval({{copy.arguments()[0], some_rows(10, 3)}}));
}

// What Python raises arrives as an exception of C++, and leaves the network usable.
void use_picky(const Function& picky) {
  const Variable x = picky.arguments()[0];
  const std::string text = text_of_error(
      [&] { picky.eval({{x, rows(1, 3, [](int64_t i) { return static_cast<double>(i) - 1; })}}); });
  EXPECT(text.find("Picky.forward: ValueError: a negative number") != std::string::npos);
  EXPECT((numbers_of(picky.eval({{x, rows(1, 3, [](int64_t i) { return static_cast<double>(i); })}})) ==
          Numbers{0, 1, 8}));
}

struct Job {
  std::string name;
  std::function<void()> round;
};

// All jobs at the same time, each on a thread of its own. Returns what went wrong.
std::vector<std::string> all_at_once(const std::vector<Job>& jobs, int rounds) {
  std::barrier begin(static_cast<std::ptrdiff_t>(jobs.size()));
  std::mutex mutex;
  std::vector<std::string> wrong;
  std::vector<std::thread> threads;
  for (const Job& job : jobs)
    threads.emplace_back([&] {
      begin.arrive_and_wait();
      const std::string text = text_of_error([&] {
        for (int i = 0; i < rounds; ++i) job.round();
      });
      const std::lock_guard lock(mutex);
      if (!text.empty()) wrong.push_back(job.name + ": " + text);
    });
  for (std::thread& t : threads) t.join();
  return wrong;
}

int run(const std::string& folder, int rounds) {
  embed::Interpreter interpreter;
  embed::python("write_models", folder);
  std::optional<Function> cube = Function::load(folder + "/cube.model");
  const Function sums = Function::load(folder + "/sums.model"), loop = Function::load(folder + "/loop.model"),
                 picky = Function::load(folder + "/picky.model");

  const Numbers alone = train_alone(), loaded = train_loaded(folder + "/cube.model");
  std::atomic<int> seed = 0;
  const auto in_python = [&](const char* function) {
    return Job{function, [&, function] { embed::python(function, std::to_string(++seed)); }};
  };
  const std::vector<Job> jobs{
      {"C++ alone", [&] { EXPECT(train_alone() == alone); }},
      {"C++ alone, too", [&] { EXPECT(train_alone() == alone); }},
      {"a user function", [&] { use_cube(*cube); }},
      {"the same one", [&] { use_cube(*cube); }},
      {"sequences", [&] { use_sums(sums); }},
      {"a recurrence", [&] { use_loop(loop); }},
      {"one that fails", [&] { use_picky(picky); }},
      {"the failing one, too", [&] { use_picky(picky); }},
      {"training, loading, destroying", [&] { EXPECT(train_loaded(folder + "/cube.model") == loaded); }},
      in_python("train_with_learner"),
      in_python("train_from_source"),
      in_python("many_threads"),
      in_python("collect"),
      {"Python's lock, held while C++ works",
       [&] {
         const embed::Held lock;
         EXPECT(train_alone() == alone);
         use_cube(*cube);
       }},
  };
  std::vector<std::string> wrong = all_at_once(jobs, rounds);

  interpreter.end();
  // Python is gone: what needs it says so, all else works.
  const std::string text = text_of_error([&] { use_cube(*cube); });
  if (text.find("Python has ended") == std::string::npos)
    wrong.push_back("a user function without Python: " + text);
  cube.reset();
  for (std::string& w : all_at_once({jobs[0], jobs[1]}, rounds))
    wrong.push_back("without Python, " + std::move(w));
  for (const std::string& w : wrong) std::fprintf(stderr, "%s\n", w.c_str());
  return wrong.empty() ? 0 : 1;
}

}  // namespace

int main() try {
  const char* given = std::getenv("CANTIK_EMBED_ROUNDS");
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("cantik_embed_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const int status = run(folder.string(), given ? std::atoi(given) : 50);
  std::filesystem::remove_all(folder);
  return status;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
