// Cases of operators as text: what golden/ops_cases.txt says, as variables, values and calls.
#pragma once

#include <string>
#include <vector>

#include <cantik/function.h>

namespace cantik::testing {

// The number at a position of a stream, in [0, 1): splitmix64, as golden/ops_cntk.py makes it.
double unit(uint64_t position, uint64_t stream);
// count numbers by a specification: "", "low,high", "int5", "=1,2,3".
std::vector<double> numbers(int64_t count, uint64_t stream, const std::string& spec);

struct Case {
  std::string line, name, op;
  std::vector<std::string> operands;
  std::vector<std::pair<std::string, Attribute>> attributes;
  // {"y1", "d0@f32", "d1?"}: results where we mean to differ from CNTK, with both element types or with one,
  // or may differ
  std::vector<std::string> differs;
  bool rough = false;  // CNTK's float32 result is not as good as that
};
Case parse_case(const std::string& line);

struct Operand {
  Variable variable;
  Value value;          // fed, where the variable is an input
  bool wanted = false;  // its gradient is
  bool is_fed() const { return variable.is_input(); }
};
// `lengths`: of sequences, if not those that the letter stands for.
Operand make_operand(const std::string& text, uint64_t stream, DType dtype, int64_t samples,
                     const std::vector<int64_t>& lengths = {});

// The operator called on these; attributes become lists where the operator has one.
Function call_case(const Case& c, const std::vector<Operand>& operands);
Feeds feeds_of(const std::vector<Operand>& operands);

// What a case gave, by name: y0, y1, ... and d0, d1, ... for the operands whose gradient is wanted.
struct Result {
  std::string name;
  Shape shape;  // with the samples, where there are any
  std::vector<double> numbers;
};
// Outputs, then gradients of the sum of the first output times weights.
std::vector<Result> run_case(const Case& c, DType dtype, int64_t samples, const RunOptions& options = {},
                             bool gradients = true);

std::vector<double> to_numbers(const Value& v);
std::vector<std::string> lines_of(const std::string& path);

}  // namespace cantik::testing
