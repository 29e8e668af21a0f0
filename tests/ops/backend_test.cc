// The naive backend against the host: every operator of the registry, from the samples that its file states,
// in float64. What the backend has no kernel for runs on the host, with copies between. Another backend is
// tested where CANTIK_BACKEND names its library.
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include <cantik/compiler.h>
#include <cantik/device.h>
#include <cantik/error.h>

#include "specimens.h"

using namespace cantik;
using namespace cantik::testing;

namespace {

const Device& device() {
  static const Device first = [] {
    const char* other = std::getenv("CANTIK_BACKEND");
    return load_backend(other ? other : CANTIK_NAIVE).at(0);
  }();
  return first;
}

class OnDevice : public ::testing::TestWithParam<size_t> {
 protected:
  const Specimen& specimen() const { return specimens()[GetParam()]; }
};

TEST_P(OnDevice, values_are_those_of_the_host) {
  const Specimen& s = specimen();
  if (draws(s)) GTEST_SKIP() << "a function that draws goes on with its stream";
  for (const int64_t samples : {1, 3, 7})
    EXPECT_LE(distance(numbers_of(build(s, DType::float64, samples)),
                       numbers_of(build(s, DType::float64, samples), {.device = device()})),
              1e-10)
        << s.name() << ", " << samples << " samples";
}

std::vector<std::vector<double>> gradients(const Specimen& s, const Device& where) {
  Built b = build(s, DType::float64, 3);
  const Variable y = b.f.outputs()[0];
  const Value whole = b.f.eval(feeds_of(b.operands), {y})[0];
  const std::vector<double> weights = numbers(whole.data.elements(), 100, "0.2,1.8");
  std::vector<Variable> wrt;
  for (const Operand& o : b.operands)
    if (o.wanted) wrt.push_back(o.variable);
  if (wrt.empty()) return {};
  const Tensor w = Tensor::of<double>(whole.data.shape(), std::span<const double>(weights));
  const auto state = b.f.forward(feeds_of(b.operands), {y}, {y}, {.device = where}).state;
  std::vector<std::vector<double>> all;
  for (const Value& v : b.f.backward(state, {{y, Value(w, whole.layout)}}, wrt)) all.push_back(to_numbers(v));
  return all;
}

TEST_P(OnDevice, gradients_are_those_of_the_host) {
  const Specimen& s = specimen();
  if (draws(s)) GTEST_SKIP() << "a function that draws goes on with its stream";
  if (s.op->has(CANTIK_NO_GRADIENT | CANTIK_EFFECT)) GTEST_SKIP() << "it has no gradient";
  if (s.op->named("test.gradient").starts_with("none")) GTEST_SKIP() << s.op->named("test.gradient");
  const auto here = gradients(s, Device::cpu()), there = gradients(s, device());
  ASSERT_EQ(here.size(), there.size());
  for (size_t i = 0; i < here.size(); ++i)
    EXPECT_LE(distance(here[i], there[i]), 1e-10) << s.name() << ", operand " << i;
}

INSTANTIATE_TEST_SUITE_P(Operator, OnDevice, ::testing::Range<size_t>(0, specimens().size()),
                         [](const auto& p) { return specimens()[p.param].name(); });

// The program on the device; none where it depends on sizes that only a run knows.
std::optional<std::string> program_of(const Specimen& s) {
  try {
    return pass_reports(build(s, DType::float64, 2).f, {}, device()).back().text;
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::unsupported) throw;
    return {};
  }
}

// Whether the host does anything but copy.
bool runs_on_host(const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.find(" = ") != line.npos && !line.ends_with(" in naive") && line.find("= copy(") == line.npos &&
        line.find("= view(") == line.npos)
      return true;
  }
  return false;
}

// Most operators run there in whole: a backend that declines everything would pass the tests above.
TEST(NaiveBackend, takes_most_operators) {
  if (std::getenv("CANTIK_BACKEND")) GTEST_SKIP() << "another backend may have fewer kernels";
  int whole = 0, all = 0;
  std::string others;
  for (const Specimen& s : specimens()) {
    if (draws(s)) continue;
    const std::optional<std::string> text = program_of(s);
    if (!text) continue;
    const bool of_host = runs_on_host(*text);
    ++all;
    whole += !of_host;
    if (of_host) others += " " + s.name();
  }
  EXPECT_GE(whole, all * 2 / 3) << whole << " of " << all << " on the host at least in part:" << others;
}

}  // namespace
