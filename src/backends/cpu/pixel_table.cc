#include "backends/host/pixels.h"

#include <string_view>

#include "backends/cpu/table.h"

namespace cantik::cpu {

using host::PixelTable;

namespace baseline {
const PixelTable& pixel_level_table();
}
namespace avx2 {
const PixelTable& pixel_level_table();
}
namespace avx512 {
const PixelTable& pixel_level_table();
}

namespace {

struct PixelLevels {
  const PixelTable* list[3];
  int count = 0;
  const PixelTable* chosen = nullptr;

  PixelLevels() {
    const Table* const* known = tables(&count);
    for (int i = 0; i < count; ++i) {
      const std::string_view name = known[i]->name;
      list[i] = name == "avx512" ? &avx512::pixel_level_table()
                : name == "avx2" ? &avx2::pixel_level_table()
                                 : &baseline::pixel_level_table();
      if (known[i] == &table()) chosen = list[i];
    }
  }
};

const PixelLevels& pixel_levels() {
  static const PixelLevels l;
  return l;
}

}  // namespace

}  // namespace cantik::cpu

namespace cantik::host {

const PixelTable& pixel_table() { return *cpu::pixel_levels().chosen; }

const PixelTable* const* pixel_tables(int* count) {
  *count = cpu::pixel_levels().count;
  return cpu::pixel_levels().list;
}

}  // namespace cantik::host
