#include "backends/cpu/table.h"

#include <cstdlib>
#include <string>

#include <cantik/error.h>

namespace cantik::cpu {

namespace baseline {
const Table& level_table();
}
namespace avx2 {
const Table& level_table();
}
namespace avx512 {
const Table& level_table();
}

namespace {

struct Levels {
  const Table* list[3];
  int count = 0;

  Levels() {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
      list[count++] = &avx512::level_table();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) list[count++] = &avx2::level_table();
    list[count++] = &baseline::level_table();
  }

  // The best one, or that which the environment asks for.
  const Table* chosen() const {
    const char* variable = std::getenv("CANTIK_ISA");
    const std::string wanted = variable ? variable : "";
    if (wanted.empty()) return list[0];
    std::string names;
    for (int i = 0; i < count; ++i) {
      if (wanted == list[i]->name) return list[i];
      names += (i ? ", " : "") + std::string(list[i]->name);
    }
    throw value_error("CANTIK_ISA is " + wanted +
                      ", which is not an instruction set that Cantik knows and this processor has")
        .remedy("unset CANTIK_ISA, or set it to one of: " + names);
  }
};

const Levels& levels() {
  static const Levels l;
  return l;
}

}  // namespace

const Table& table() {
  static const Table& t = *levels().chosen();
  return t;
}

const Table* const* tables(int* count) {
  *count = levels().count;
  return levels().list;
}

}  // namespace cantik::cpu

namespace cantik::host {

template <>
const ElementLoops<float>& loops<float>() {
  return cpu::table().f32;
}
template <>
const ElementLoops<double>& loops<double>() {
  return cpu::table().f64;
}

}  // namespace cantik::host
