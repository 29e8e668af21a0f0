// The hidden Markov models of the units (phones in context) that lattices are made of, from four text files:
//
//   symbols       a name a line: the units of lattices by their numbers. Behind them "name other" says that
//                 both are one model.
//   phones        unit, transitions, and its states: "a:b+c T1 a1 a2 a3"
//   states        a name a line: the classes of the network
//   transitions   name, number n of states, and (n + 1)^2 probabilities: from the entry and from each state,
//                 to each state and to the exit
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <cantik/op/infer.h>

#include "base/file.h"

namespace cantik {

// The paths of the files.
struct LatticeFiles {
  std::string symbols, phones, states, transitions;
};

class LatticeUnits {
 public:
  static constexpr double kNever = -std::numeric_limits<double>::infinity();

  // Logarithms of probabilities to go from state to state.
  struct Transitions {
    int64_t states = 0;
    std::vector<double> logs;  // [states + 1, states + 1]: from the entry and each state
    // from: -1 is the entry; to: `states` is the exit
    double operator()(int64_t from, int64_t to) const { return logs[(from + 1) * (states + 1) + to]; }
  };
  struct Model {
    std::vector<int64_t> states;  // classes of the network, in their order
    size_t transitions = 0;
    auto operator<=>(const Model&) const = default;
  };

  explicit LatticeUnits(const LatticeFiles& files) {
    read_states(files.states);
    read_transitions(files.transitions);
    read_phones(files.phones);
    read_symbols(files.symbols);
  }

  int64_t states() const { return static_cast<int64_t>(states_.size()); }
  // How many symbols lattices may have; the last one, which is not in the list, is the pause "sp".
  int64_t symbols() const { return static_cast<int64_t>(symbols_.size()); }
  // Which model a symbol has.
  size_t model_of(int64_t symbol) const { return symbols_[symbol]; }
  const Model& model(size_t i) const { return models_[i]; }
  const Transitions& transitions(const Model& m) const { return transitions_[m.transitions]; }

 private:
  // Words of a line, with its place in its file for errors.
  struct Line {
    const std::string& path;
    int64_t number;
    std::vector<std::string_view> words;

    [[noreturn]] void refuse(const std::string& why) const {
      throw Failure(CANTIK_RUNTIME, path + ", line " + std::to_string(number) + ": " + why);
    }
  };

  // Lines but for empty ones at the end.
  template <class F>
  static void lines(const std::string& path, F&& take) {
    const Bytes bytes = read_file(path);
    std::string_view text = bytes.view();
    text = text.substr(0, text.find_last_not_of(kSpaces) + 1);
    for (int64_t number = 1; !text.empty(); ++number) {
      const size_t end = std::min(text.find('\n'), text.size());
      Line line{path, number, words_of(text.substr(0, end))};
      if (line.words.empty()) line.refuse("the line is empty");
      take(line);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }
  static std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    for (size_t begin; (begin = line.find_first_not_of(kSpaces)) != line.npos;) {
      line.remove_prefix(begin);
      const size_t end = std::min(line.find_first_of(kSpaces), line.size());
      words.push_back(line.substr(0, end));
      line.remove_prefix(end);
    }
    return words;
  }
  template <class T>
  static T number(const Line& line, size_t i) {
    const std::string_view word = line.words[i];
    T x{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), x);
    if (error != std::errc() || end != word.data() + word.size())
      line.refuse("\"" + std::string(word) + "\" is not a number");
    return x;
  }
  template <class Map>
  static auto found(const Map& map, const Line& line, std::string_view name, const char* what) {
    const auto at = map.find(std::string(name));
    if (at == map.end()) line.refuse("there is no " + std::string(what) + " " + std::string(name));
    return at->second;
  }
  template <class Map, class T>
  static void add(Map& map, const Line& line, std::string_view name, T value) {
    if (!map.emplace(std::string(name), value).second) line.refuse(std::string(name) + " comes twice");
  }

  void read_states(const std::string& path) {
    lines(path, [&](const Line& line) {
      if (line.words.size() != 1) line.refuse("a state is one word");
      add(states_, line, line.words[0], static_cast<int64_t>(states_.size()));
    });
  }

  void read_transitions(const std::string& path) {
    lines(path, [&](const Line& line) {
      if (line.words.size() < 3) line.refuse("a line has a name, a number of states and probabilities");
      Transitions t;
      t.states = number<int64_t>(line, 1);
      const auto most = static_cast<int64_t>(line.words.size());
      if (t.states < 1 || t.states > most || (t.states + 1) * (t.states + 1) != most - 2)
        line.refuse("n states have (n + 1) * (n + 1) probabilities, and here n is " +
                    std::to_string(t.states) + ", with " + std::to_string(most - 2) + " probabilities");
      for (size_t i = 2; i < line.words.size(); ++i) {
        const double p = number<double>(line, i);
        if (!(p >= 0 && p <= 1)) line.refuse(std::string(line.words[i]) + " is no probability");
        t.logs.push_back(p > kLeast ? std::log(p) : kNever);
      }
      add(transition_names_, line, line.words[0], transitions_.size());
      transitions_.push_back(std::move(t));
    });
  }

  void read_phones(const std::string& path) {
    lines(path, [&](const Line& line) {
      if (line.words.size() < 3) line.refuse("a line has a unit, its transitions and its states");
      Model m;
      m.transitions = found(transition_names_, line, line.words[1], "matrix of transitions");
      for (size_t i = 2; i < line.words.size(); ++i)
        m.states.push_back(found(states_, line, line.words[i], "state"));
      if (const int64_t n = transitions_[m.transitions].states; n != std::ssize(m.states))
        line.refuse("the unit has " + std::to_string(m.states.size()) + " states, its transitions are of " +
                    std::to_string(n));
      const auto [at, is_new] = same_.try_emplace(m, models_.size());
      if (is_new) models_.push_back(m);
      add(units_, line, line.words[0], at->second);
    });
  }

  void read_symbols(const std::string& path) {
    bool are_listed = true;  // no line with two names so far
    lines(path, [&](const Line& line) {
      const size_t model = found(units_, line, line.words[0], "unit");
      if (line.words.size() > 2) line.refuse("a line has one name or two");
      if (line.words.size() == 1) {
        if (!are_listed) line.refuse("single names stand before all pairs");
        symbols_.push_back(model);
        return;
      }
      are_listed = false;
      if (model != found(units_, line, line.words[1], "unit"))
        line.refuse(std::string(line.words[0]) + " and " + std::string(line.words[1]) + " are two models");
    });
    if (const auto pause = units_.find("sp"); pause != units_.end()) symbols_.push_back(pause->second);
  }

  static constexpr const char* kSpaces = " \t\r\n";
  static constexpr double kLeast = 1e-10;  // what is less is never, as in CNTK

  std::unordered_map<std::string, int64_t> states_;
  std::unordered_map<std::string, size_t> transition_names_, units_;
  std::map<Model, size_t> same_;
  std::vector<Transitions> transitions_;
  std::vector<Model> models_;
  std::vector<size_t> symbols_;
};

}  // namespace cantik
