// How a file states a call of Python around a training: which options of a public struct it takes, in which
// order, and what help says beside the comments of the header.
//
//   void describe_early_stopping(CallDefinitions& calls) {
//     calls.add("EarlyStopping", "train", "class").is("EarlyStopping").body("_cantik.EarlyStopping")
//         .options<EarlyStoppingOptions>("EarlyStoppingOptions")
//         .example("stop = C.train.EarlyStopping('loss', patience=2)");
//   }
#pragma once

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <cantik/call_registry.h>
#include <cantik/error.h>

#include "base/options.h"

namespace cantik {

// What is told of an argument where its option does not say it.
struct ArgumentSpelling {
  const char* annotation = "";  // its type in Python
  const char* spelled = "";     // its default as Python spells it
  const char* doc = "";         // more than the comment of the member
};

// What add() gives: says more of the call.
class CallDefinition {
 public:
  explicit CallDefinition(CallDescription& description) : description_(description) {}

  // The class or the function of C++ whose comment says what the call does.
  CallDefinition& is(const char* name) {
    description_.cpp = name;
    return *this;
  }
  // More of what it does; paragraphs are parted by empty lines.
  CallDefinition& doc(const char* text) {
    description_.doc = text;
    return *this;
  }
  // The type of the result, and what it is.
  CallDefinition& returns(const char* type, const char* text = "") {
    description_.result = type;
    description_.returns = text;
    return *this;
  }
  // When it refuses its arguments, as a line of help: "ValueError: where ...".
  CallDefinition& raises(const char* text) {
    description_.raises = text;
    return *this;
  }
  // Lines of Python, after `import cantik as C`; tools/generate finds what they print.
  CallDefinition& example(const char* lines) {
    description_.example = lines;
    return *this;
  }
  // What does it, in Python: a function, or the class that this one derives from.
  CallDefinition& body(const char* name) {
    description_.body = name;
    return *this;
  }

  // The next argument: one that only Python has. `spelled`: its default; empty: none.
  CallDefinition& given(const char* name, const char* annotation, const char* spelled, const char* doc) {
    OptionDescription o{.name = name, .doc = doc, .value_text = "null"};
    o.required = *spelled == '\0';
    description_.arguments.push_back({std::move(o), "", annotation, spelled});
    return *this;
  }
  // The next argument: an option of the struct O, whose name in C++ is `owner`.
  template <class O>
  CallDefinition& option(const char* owner, const std::string& name, const ArgumentSpelling& more = {}) {
    bool found = false;
    auto look = [&](const auto& f) {
      if (name != f.name) return;
      found = true;
      description_.arguments.push_back({described(f, O{}), owner, more.annotation, more.spelled});
      description_.arguments.back().option.doc += more.doc;
    };
    std::apply([&](const auto&... f) { (look(f), ...); }, O::fields());
    if (!found) throw key_error(std::string(owner) + " has no option " + name);
    return *this;
  }
  // The next arguments: all options of the struct O that Python has.
  template <class O>
  CallDefinition& options(const char* owner) {
    auto add = [&](const auto& f) {
      if (f.in_python_) option<O>(owner, f.name);
    };
    std::apply([&](const auto&... f) { (add(f), ...); }, O::fields());
    return *this;
  }

 private:
  // Members of types that are described for no other call are spelled where they are named.
  template <class O, class T>
  static OptionDescription described(const Option<O, T>& f, const O& defaults) {
    if constexpr (requires { OptionType<T>::kind; })
      return describe_option(f, defaults);
    else
      return {.name = f.name, .required = f.required_, .value_text = "null"};
  }

  CallDescription& description_;
};

// What describes calls is given this.
class CallDefinitions {
 public:
  explicit CallDefinitions(std::vector<CallDescription>& calls) : calls_(calls) {}

  // A call of Python, by its name and its module; form: function, class or method.
  CallDefinition add(const char* name, const char* module, const char* form) {
    CallDescription& added = calls_.emplace_back();
    added.name = name;
    added.module = module;
    added.form = form;
    return CallDefinition(added);
  }

 private:
  std::vector<CallDescription>& calls_;
};

}  // namespace cantik
