// Operators with the samples that their files state, as functions with operands: what the tests of the
// harness are made of.
#pragma once

#include <string>
#include <vector>

#include "cases.h"
#include "graph/operator.h"

namespace cantik::testing {

struct Specimen {
  const Operator* op;
  size_t number;
  const Sample& sample() const { return op->samples[number]; }
  std::string name() const { return op->name + (number ? "_" + std::to_string(number + 1) : ""); }
};

// Every sample of every operator that users call.
const std::vector<Specimen>& specimens();

// The operator on its operands.
struct Built {
  std::vector<Operand> operands;
  Function f;
};

// With `among`, other operators stand before and behind. `given`: attributes other than the sample's.
Built build(const Specimen& s, DType dtype, int64_t samples, bool among = false,
            const std::vector<Attribute>* given = nullptr);
// Whether random numbers are drawn for it.
bool draws(const Specimen& s);

// The first output.
Value value_of(const Built& b, const RunOptions& options = {});
std::vector<double> numbers_of(const Built& b, const RunOptions& options = {});

bool same_bits(const std::vector<double>& a, const std::vector<double>& b);
// The largest difference, relative to the largest number.
double distance(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace cantik::testing
