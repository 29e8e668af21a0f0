#include "backends/cpu/bit_table.h"

#include <cstring>

#include "backends/cpu/table.h"

namespace cantik::cpu {

namespace baseline {
const BitTable& bit_level_table();
}
namespace avx2 {
const BitTable& bit_level_table();
}
namespace avx512 {
const BitTable& bit_level_table();
}
namespace avx512_popcount {
const BitTable& bit_level_table();
}

namespace {

struct BitLevels {
  const BitTable* list[4];
  int count = 0;
  const BitTable* chosen = nullptr;

  BitLevels() {
    int others = 0;
    const Table* const* known = tables(&others);
    __builtin_cpu_init();
    for (int i = 0; i < others; ++i) {
      bool is_512 = std::strcmp(known[i]->name, "avx512") == 0;
      int first = count;
      if (is_512 && __builtin_cpu_supports("avx512vpopcntdq"))
        list[count++] = &avx512_popcount::bit_level_table();
      list[count++] = is_512                                     ? &avx512::bit_level_table()
                      : std::strcmp(known[i]->name, "avx2") == 0 ? &avx2::bit_level_table()
                                                                 : &baseline::bit_level_table();
      if (known[i] == &table()) chosen = list[first];
    }
  }
};

const BitLevels& bit_levels() {
  static const BitLevels l;
  return l;
}

}  // namespace

const BitTable& bit_table() { return *bit_levels().chosen; }

const BitTable* const* bit_tables(int* count) {
  *count = bit_levels().count;
  return bit_levels().list;
}

}  // namespace cantik::cpu
