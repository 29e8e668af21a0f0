#include "backends/cpu/pixel_table.h"

#include <string_view>

#include "backends/cpu/table.h"

namespace cantik::cpu {

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

struct Levels {
  const PixelTable* list[3];
  int count = 0;
  const PixelTable* chosen = nullptr;

  Levels() {
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

const Levels& levels() {
  static const Levels l;
  return l;
}

}  // namespace

const PixelTable& pixel_table() { return *levels().chosen; }

const PixelTable* const* pixel_tables(int* count) {
  *count = levels().count;
  return levels().list;
}

}  // namespace cantik::cpu
