// This instruction set's table. CMake compiles the file once for each level, with the level's flags.
#include "backends/cpu/kernels/channels.h"
#include "backends/cpu/kernels/convolution.h"
#include "backends/cpu/kernels/depthwise.h"
#include "backends/cpu/kernels/pooling.h"
#include "backends/cpu/kernels/product.h"
#include "backends/cpu/kernels/reduce.h"
#include "backends/cpu/kernels/row_product.h"
#include "backends/cpu/kernels/rows.h"
#include "backends/cpu/kernels/softmax.h"
#include "backends/cpu/kernels/tile.h"

namespace cantik::cpu {

namespace CANTIK_LEVEL {  // rounding_level.cc
template <class T>
void fill_rounding(Kernels<T>& k);
}  // namespace CANTIK_LEVEL

namespace {

template <class T>
Kernels<T> make_kernels() {
  Kernels<T> k{};
  fill_tiles(k);
  CANTIK_LEVEL::fill_rounding(k);
  k.width = Simd<T>::kWidth;
  k.panel_elements = panel_elements<T>;
  k.paired_panels = paired_panels<T>;
  k.pack_panels = pack_panels<T>;
  k.product_scratch = product_scratch<T>;
  k.product = product<T>;
  k.row_product = row_product<T>;
  k.row_product_scratch = row_product_scratch<T>;
  k.pixel_product = pixel_product<T>;
  k.pixel_outer = pixel_outer<T>;
  k.pixel_depthwise = pixel_depthwise<T>;
  k.pixel_depthwise_sums = pixel_depthwise_sums<T>;
  k.pool_max = pool_max<T>;
  k.pool_average = pool_average<T>;
  k.pool_max_back = pool_max_back<T>;
  k.pool_average_back = pool_average_back<T>;
  k.unpool = unpool<T>;
  k.pool_pick = pool_pick<T>;
  k.transpose = transpose<T>;
  k.sum = sum_row<T>;
  k.max = max_row<T>;
  k.log_sum_exp = log_sum_exp_rows<T>;
  k.softmax = softmax_rows<T>;
  k.log_softmax = log_softmax_rows<T>;
  k.largest = extreme_row<T, true>;
  k.least = extreme_row<T, false>;
  k.fill = fill_row<T>;
  k.copy_lines = copy_lines<T>;
  k.add = add_row<T>;
  k.add_wide = add_wide<T>;
  k.multiply_wide = multiply_wide<T>;
  k.add_scaled = add_scaled_row<T>;
  k.add_columns = add_columns<T>;
  k.channel_sums = channel_sums<T>;
  k.channel_products = channel_products<T>;
  return k;
}

}  // namespace

namespace CANTIK_LEVEL {
const Table& level_table();
const Table& level_table() {
  // Made on first use: at load time nobody has asked yet whether the processor can run this.
  static const Table t{CANTIK_LEVEL_NAME, make_kernels<float>(), make_kernels<double>()};
  return t;
}
}  // namespace CANTIK_LEVEL

}  // namespace cantik::cpu
