// Python's interpreter as a program of ours, built with the sanitizer: the runtime is there before anything
// else is, and the processes that tests start with sys.executable are checked too, while compilers and other
// programs that they start are left alone.
#include <Python.h>

int main(int argc, char** argv) { return Py_BytesMain(argc, argv); }
