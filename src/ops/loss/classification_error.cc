// 1 where the highest score is not that of the label, else 0.
#include <algorithm>

#include <cantik/op.h>

using namespace cantik;

namespace {
struct ClassificationError {
  int64_t axis = -1;
  int64_t topN = 1;
  static constexpr auto fields() {
    return list(field("axis", &ClassificationError::axis, "the axis of the classes").role(CANTIK_AXIS),
                field("topN", &ClassificationError::topN, "the label is right if it is among so many highest scores"));
  }
};

template <class T>
int64_t class_of(const Run& r, int64_t row) {
  const cantik_operand& o = r.in(1);
  if (!o.starts) {
    const T* y = r.row<T>(1, row);
    return std::max_element(y, y + o.stride) - y;
  }
  int64_t best = o.starts[row];
  for (int64_t i = best + 1; i < o.starts[row + 1] && o.data; ++i)
    if (static_cast<const T*>(o.data)[i] > static_cast<const T*>(o.data)[best]) best = i;
  return best < o.starts[row + 1] ? o.columns[best] : 0;
}
}  // namespace

CANTIK_OP(classification_error) {
  op.attributes<ClassificationError>("classification_error(output_vector, target_vector, axis=-1, topN=1, name='')")
      .traits(CANTIK_ROW_WISE | CANTIK_NO_GRADIENT | CANTIK_TAKES_SPARSE)
      .type([](Infer& in, const ClassificationError&) {
        Shape s = in.shape(0);
        if (s.is_known() && s.rank() > 0) s[s.rank() - 1] = 1;
        in.set(in.join(0, 1, s));
      })
      .kernel("row", [](auto zero, const Run& r, const ClassificationError& a) {
        using T = decltype(zero);
        for (int64_t row = r.begin(); row < r.end(); ++row) {
          const T* z = r.row<T>(0, row);
          int64_t n = r.in(0).stride, right = class_of<T>(r, row), above = 0;
          for (int64_t i = 0; i < n; ++i) above += z[i] > z[right] || (z[i] == z[right] && i < right);
          *r.result<T>(0, row) = above < a.topN ? T(0) : T(1);
        }
      })
      .cntk_block("ClassificationError");
}
