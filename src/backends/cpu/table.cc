#include "backends/cpu/table.h"

#include <cstdlib>
#include <cstring>

namespace cantik::cpu {

namespace baseline { const Table& level_table(); }
namespace avx2 { const Table& level_table(); }
namespace avx512 { const Table& level_table(); }

namespace {

struct Levels {
  const Table* list[3];
  int count = 0;
  const Table* chosen;

  Levels() {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
      list[count++] = &avx512::level_table();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) list[count++] = &avx2::level_table();
    list[count++] = &baseline::level_table();
    chosen = list[0];
    if (const char* wanted = std::getenv("CANTIK_ISA"))
      for (int i = 0; i < count; ++i)
        if (std::strcmp(list[i]->name, wanted) == 0) chosen = list[i];
  }
};

const Levels& levels() {
  static const Levels l;
  return l;
}

}  // namespace

const Table& table() { return *levels().chosen; }

const Table* const* tables(int* count) {
  *count = levels().count;
  return levels().list;
}

}  // namespace cantik::cpu
