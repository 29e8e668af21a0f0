// Linear scaling of whole numbers, by the processor's loops over pixels.
#include <cstdint>
#include <vector>

#include "backends/host/pixels.h"
#include "io/image/kept_rows.h"
#include "io/image/pixel_rows.h"
#include "io/image/transform.h"

namespace cantik {
namespace {

// The tables of the loops over pixels for linear columns. Rows lose 4 bits before they are weighed.
class LinearTables {
 public:
  LinearTables(const Taps& t, int64_t width) {
    constexpr int64_t kWindow = 16, kTogether = 4;
    const size_t padded = static_cast<size_t>((width + host::kColumnsTogether - 1) / host::kColumnsTogether *
                                              host::kColumnsTogether);
    from_ = t.from;
    from_.resize(2 * padded);
    weights_.assign(t.whole.begin(), t.whole.end());
    weights_.resize(2 * padded);
    bool fits = true;
    for (size_t i = 0; i < padded; ++i) {
      if (i % kTogether == 0) windows_.push_back(from_[2 * i]);
      for (size_t k : {2 * i, 2 * i + 1}) {
        const int64_t place = i < static_cast<size_t>(width) ? from_[k] - windows_.back() : 0;
        fits &= place < kWindow;
        constexpr uint8_t kZero = 0x80;
        places_.insert(places_.end(), {static_cast<uint8_t>(place), kZero});
      }
    }
    columns_ = {.from = from_.data(),
                .weights = weights_.data(),
                .n = fits ? static_cast<int64_t>(padded) : width,
                .windows = fits ? windows_.data() : nullptr,
                .places = places_.data()};
    room_ = static_cast<int64_t>(padded);
  }
  LinearTables(const LinearTables&) = delete;
  const host::LinearColumns& columns() const { return columns_; }
  int64_t room() const { return room_; }

 private:
  std::vector<int32_t> from_, windows_;
  std::vector<int16_t> weights_;
  std::vector<uint8_t> places_;
  host::LinearColumns columns_;
  int64_t room_;
};

}  // namespace

void scale_linear(const Picture& p, const Taps& columns, const Taps& rows, Picture& out) {
  const host::PixelTable& k = host::pixel_table();
  const LinearTables tables(columns, out.width);
  KeptRows<int16_t> kept(2, p.channels, tables.room());
  PixelRows from(p, 0, p.width);
  auto make = [&](int64_t y, int16_t* to) {
    const PixelRows::Row row = from.at(y);
    for (int64_t c = 0; c < p.channels; ++c, to += tables.room()) k.across(row[c], tables.columns(), to);
  };
  for (int64_t y = 0; y < out.height; ++y) {
    const size_t at = static_cast<size_t>(2 * y);
    const int16_t *above = kept.at(rows.from[at], make), *below = kept.at(rows.from[at + 1], make);
    for (int64_t c = 0; c < p.channels; ++c)
      k.down(above + c * tables.room(), below + c * tables.room(), static_cast<int16_t>(rows.whole[at]),
             static_cast<int16_t>(rows.whole[at + 1]), out.width,
             out.bytes() + (c * out.height + y) * out.width);
  }
}

}  // namespace cantik
