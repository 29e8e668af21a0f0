#include "kernels/peak.h"

#include <immintrin.h>
#include <time.h>

#include <cstring>

namespace cantik::bench {
namespace {

volatile double sink;

// Twelve independent chains of one instruction hide its latency; they have names, so that they stay in
// registers.
#define CHAINS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define RUN(vector, instruction, constraint, first) \
  const vector m = first(0.999), c = first(0.001);  \
  CHAINS(DECLARE)                                   \
  for (int64_t i = 0; i < 2 * rounds; ++i) {        \
    CHAINS(instruction)                             \
  }                                                 \
  CHAINS(USE)
#define FMA_512S(j) asm volatile("vfmadd213ps %2, %1, %0" : "+v"(a##j) : "v"(m), "v"(c));
#define FMA_512D(j) asm volatile("vfmadd213pd %2, %1, %0" : "+v"(a##j) : "v"(m), "v"(c));
#define FMA_256S(j) asm volatile("vfmadd213ps %2, %1, %0" : "+x"(a##j) : "x"(m), "x"(c));
#define FMA_256D(j) asm volatile("vfmadd213pd %2, %1, %0" : "+x"(a##j) : "x"(m), "x"(c));
#define MUL_ADD_S(j) asm volatile("mulps %1, %0\n\taddps %2, %0" : "+x"(a##j) : "x"(m), "x"(c));
#define MUL_ADD_D(j) asm volatile("mulpd %1, %0\n\taddpd %2, %0" : "+x"(a##j) : "x"(m), "x"(c));
#define USE(j) sink = static_cast<double>(reinterpret_cast<const char&>(a##j));

#define DECLARE(j) __m512 a##j = c;
__attribute__((target("avx512f"))) void avx512_float(int64_t rounds) {
  RUN(__m512, FMA_512S, "v", _mm512_set1_ps)
}
#undef DECLARE
#define DECLARE(j) __m512d a##j = c;
__attribute__((target("avx512f"))) void avx512_double(int64_t rounds) {
  RUN(__m512d, FMA_512D, "v", _mm512_set1_pd)
}
#undef DECLARE
#define DECLARE(j) __m256 a##j = c;
__attribute__((target("avx2,fma"))) void avx2_float(int64_t rounds) {
  RUN(__m256, FMA_256S, "x", _mm256_set1_ps)
}
#undef DECLARE
#define DECLARE(j) __m256d a##j = c;
__attribute__((target("avx2,fma"))) void avx2_double(int64_t rounds) {
  RUN(__m256d, FMA_256D, "x", _mm256_set1_pd)
}
#undef DECLARE
#define DECLARE(j) __m128 a##j = c;
void baseline_float(int64_t rounds) { RUN(__m128, MUL_ADD_S, "x", _mm_set1_ps) }
#undef DECLARE
#define DECLARE(j) __m128d a##j = c;
void baseline_double(int64_t rounds) { RUN(__m128d, MUL_ADD_D, "x", _mm_set1_pd) }
#undef DECLARE

}  // namespace

double thread_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double fma_rate(const char* level, DType dtype, int64_t rounds) {
  bool wide = std::strcmp(level, "avx512") == 0, middle = std::strcmp(level, "avx2") == 0,
       single = dtype == DType::float32;
  void (*f)(int64_t) = wide     ? (single ? avx512_float : avx512_double)
                       : middle ? (single ? avx2_float : avx2_double)
                       : single ? baseline_float
                                : baseline_double;
  double lanes = (wide ? 16.0 : middle ? 8.0 : 4.0) / (single ? 1 : 2), begin = thread_seconds();
  f(rounds);
  return static_cast<double>(rounds) * 24 * 2 * lanes / (thread_seconds() - begin);
}

}  // namespace cantik::bench
