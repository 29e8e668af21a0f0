#include "io/htk_archive.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

#include <cantik/error.h>

#include "base/text.h"

namespace cantik {
namespace {

constexpr int64_t kArchiveHeader = 12;
constexpr int kBase = 077, kCompressed = 02000, kChecked = 010000;
// LPC, LPC reflection, cepstra and delta cepstra, MFCC, FBANK, MELSPEC, USER, PLP, FESTREAM: kinds whose
// numbers are floats. Waveforms, discrete ones and 16-bit reflection coefficients are not.
constexpr int kFloats =
    1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 6 | 1 << 7 | 1 << 8 | 1 << 9 | 1 << 11 | 1 << 12;

template <class T>
T archived_number(const char* p, bool swapped) {
  T x;
  std::memcpy(&x, p, sizeof x);
  if (!swapped) return x;
  if constexpr (sizeof(T) == 4)
    return static_cast<T>(__builtin_bswap32(static_cast<uint32_t>(x)));
  else
    return static_cast<T>(__builtin_bswap16(static_cast<uint16_t>(x)));
}

// The scales and shifts of the columns of a compressed file count as so many frames, which they are as long
// as.
constexpr int64_t kScales = 4;

struct ArchiveHeader {
  bool swapped, is_known;
  int64_t frames, frame;  // frame: its bytes
  int kind;

  bool fits(int64_t file_size) const {
    return is_known && frames >= (kind & kCompressed ? kScales : 0) &&
           frames <= (file_size - kArchiveHeader) / frame;
  }
};

ArchiveHeader header_of(const char* bytes, bool swapped) {
  ArchiveHeader h{swapped, false, archived_number<int32_t>(bytes, swapped),
                  archived_number<int16_t>(bytes + 8, swapped),
                  archived_number<uint16_t>(bytes + 10, swapped)};
  h.is_known = (h.kind & kBase) < 13 && (kFloats >> (h.kind & kBase) & 1) && h.kind < 040000 && h.frame > 0 &&
               h.frame % (h.kind & kCompressed ? 2 : 4) == 0;
  return h;
}

// The compiler makes vector code of it.
void swap_bytes(float* numbers, int64_t count) {
  uint32_t* words = reinterpret_cast<uint32_t*>(numbers);
  for (int64_t i = 0; i < count; ++i) words[i] = __builtin_bswap32(words[i]);
}

}  // namespace

HtkArchive::HtkArchive(const std::string& path) : file_(path) {
  // CNTK takes files of such names for MNIST's, and refuses them as well.
  if (path.ends_with("-ubyte"))
    throw runtime_error("a file of MNIST (-ubyte) has no features of HTK's: an unsupported feature kind")
        .line("file", path)
        .remedy("convert them to NumPy's format, and read them by npy");
  read_header();
}

void HtkArchive::refuse(const std::string& what) const {
  throw runtime_error(cat(file_.path(), " is not a parameter file of HTK's: ", what))
      .line("file", file_.path())
      .remedy(
          "give a file of numbers such as HCopy writes, of MFCC, FBANK, PLP, USER or another kind of floats");
}

// The byte order is the one in which the numbers of the header go together: HTK's own, with the highest byte
// first, or the other one.
void HtkArchive::read_header() {
  if (file_.size() < kArchiveHeader) refuse(cat("it has ", file_.size(), " bytes"));
  char header[kArchiveHeader];
  file_.read(0, kArchiveHeader, header);
  ArchiveHeader h = header_of(header, true);
  if (const ArchiveHeader other = header_of(header, false);
      !h.fits(file_.size()) && (other.fits(file_.size()) || !h.is_known))
    h = other;
  if (!h.is_known)
    refuse("its header has no kind of floats with a size of frames that fits, in either byte order");
  if (!h.fits(file_.size()))
    refuse(cat("it has ", file_.size(), " bytes for ", h.frames, " frames of ", h.frame, " bytes"));
  swapped_ = h.swapped;
  compressed_ = h.kind & kCompressed;
  kind_ = h.kind & ~(kCompressed | kChecked);
  dim_ = h.frame / (compressed_ ? 2 : 4);
  frames_ = h.frames;
  begin_ = kArchiveHeader;
  if (compressed_) {
    frames_ -= kScales;
    std::vector<float> scales(static_cast<size_t>(2 * dim_));
    file_.read(kArchiveHeader, 8 * dim_, reinterpret_cast<char*>(scales.data()));
    if (swapped_) swap_bytes(scales.data(), 2 * dim_);
    scale_.assign(scales.begin(), scales.begin() + dim_);
    shift_.assign(scales.begin() + dim_, scales.end());
    begin_ += 8 * dim_;
  }
}

void HtkArchive::read(int64_t first, int64_t count, float* into) const {
  if (!compressed_) {
    file_.read(begin_ + first * 4 * dim_, count * 4 * dim_, reinterpret_cast<char*>(into));
    if (swapped_) swap_bytes(into, count * dim_);
    return;
  }
  const size_t numbers = static_cast<size_t>(count * dim_);
  auto packed = std::make_unique_for_overwrite<int16_t[]>(numbers);
  file_.read(begin_ + first * 2 * dim_, count * 2 * dim_, reinterpret_cast<char*>(packed.get()));
  for (int64_t t = 0; t < count; ++t)
    for (int64_t k = 0; k < dim_; ++k) {
      const uint16_t x = static_cast<uint16_t>(packed[t * dim_ + k]);
      const int16_t v = static_cast<int16_t>(swapped_ ? __builtin_bswap16(x) : x);
      into[t * dim_ + k] = (static_cast<float>(v) + shift_[k]) / scale_[k];
    }
}

}  // namespace cantik
