// Python inside of a C++ program: started and ended, its lock taken by any thread, functions of user_code.py
// called.
#pragma once

#include <Python.h>

#include <string>

namespace embed {

// Lives as long as Python is there. Only the thread that made it ends it, when no other runs Python code.
class Interpreter {
 public:
  Interpreter();
  ~Interpreter();  // where end() was not called
  void end();
  Interpreter(const Interpreter&) = delete;

 private:
  PyThreadState* main_ = nullptr;  // set while the lock is free
};

// While it lives, this thread may use Python.
class Held {
 public:
  Held() : found_(PyGILState_Ensure()) {}
  ~Held() { PyGILState_Release(found_); }
  Held(const Held&) = delete;

 private:
  PyGILState_STATE found_;
};

// user_code.name(argument), under the lock. What it raises arrives as a std::runtime_error with its
// traceback.
void python(const char* name, const std::string& argument);

}  // namespace embed
