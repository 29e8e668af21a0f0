// Calls of Python around a training, described by the options of C++: functions, classes and methods, with
// their help, their stubs and their page of the reference are made of these descriptions.
#pragma once

#include <string>
#include <vector>

#include <cantik/api.h>
#include <cantik/option.h>

namespace cantik {

// An argument of a call.
struct CallArgument {
  // In Python; its kind, default and range are those of the option, where the argument is one.
  OptionDescription option;
  // The struct of C++ that has the option; empty: only Python has the argument.
  std::string owner;
  // The type in Python; empty: that of the option's kind.
  std::string annotation;
  // The default as Python spells it; empty: the option's, or none.
  std::string spelled;
};

// A call of Python.
struct CallDescription {
  std::string name;    // in Python
  std::string module;  // of cantik: "learners", "train"
  // "function", "class" or "method"
  std::string form;
  // The class or the function of C++ whose comment says what it does; empty: only Python has it.
  std::string cpp;
  std::string doc;      // more of that, or all of it
  std::string returns;  // the result, as a line of help
  std::string raises;   // errors, as a line of help: "ValueError: where ..."
  std::string example;  // lines of Python, after `import cantik as C`
  // The type of the result in Python.
  std::string result;
  // What does it, in Python: it gets the arguments that only Python has, and a dictionary of the others.
  std::string body;
  std::vector<CallArgument> arguments;  // in the order of the call
};

// All of them, in the order of their page of the reference.
CANTIK_API const std::vector<CallDescription>& described_calls();

}  // namespace cantik
