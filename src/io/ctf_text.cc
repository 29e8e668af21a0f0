// Texts of CNTK's text format, piece by piece, and the index that says where they are.
#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "base/interrupt.h"
#include "base/text.h"
#include "io/ctf.h"
#include "io/ctf_number.h"

namespace cantik {
namespace {

constexpr int64_t kPiece = 1 << 20;  // bytes that are read at a time

}  // namespace

CtfText::CtfText(const InputFile& file, int64_t begin, int64_t end, CtfProblems* problems)
    : file_(file), problems_(problems), behind_(begin), end_(end), base_(begin) {}

// More text behind what is left, in a block with room for it, for one character, and for those that may be
// read behind it. A line that does not end for
// long is looked at more closely: lines may be long, but of text.
void CtfText::read_on() {
  const int64_t left = filled_ - used_, n = std::min(kPiece, end_ - behind_),
                needed = left + n + 1 + kDigitsAtOnce;
  const char* from = static_cast<const char*>(block_.get()) + used_;
  if (needed > room_) {
    const void* zero = left > 0 && problems_ ? std::memchr(from, 0, static_cast<size_t>(left)) : nullptr;
    if (zero)
      problems_->fatal({base_ + used_ + (static_cast<const char*>(zero) - from)},
                       "a zero byte in a line that does not end",
                       "give a file of text; this one may be of another kind, or damaged");
    room_ = std::max(needed, 2 * room_);
    MemoryBlock larger = allocate_block(static_cast<size_t>(room_));
    if (left > 0) std::memcpy(larger.get(), from, static_cast<size_t>(left));
    block_ = std::move(larger);
  } else if (left > 0) {
    std::memmove(block_.get(), from, static_cast<size_t>(left));
  }
  base_ += used_;
  used_ = 0;
  file_.read(behind_, n, static_cast<char*>(block_.get()) + left);
  file_.expect_unchanged();
  behind_ += n;
  filled_ = left + n;
  may_end(4 * n);
}

std::string_view CtfText::next() {
  while (behind_ < end_) {
    const int64_t searched = filled_ - used_;  // where no line ends
    read_on();
    const char* text = static_cast<const char*>(block_.get());
    const std::string_view added(text + searched, static_cast<size_t>(filled_ - searched));
    if (const size_t last = added.rfind('\n'); last != added.npos) {
      used_ = searched + static_cast<int64_t>(last) + 1;
      offset_ = base_;
      return {text, static_cast<size_t>(used_)};
    }
  }
  const int64_t left = filled_ - used_;
  if (left == 0) return {};
  char* text = static_cast<char*>(block_.get()) + used_;
  offset_ = base_ + used_;
  used_ = filled_;
  text[left] = '\n';
  return {text, static_cast<size_t>(left + 1)};
}

std::span<const CtfIndex::Text> CtfIndex::texts_of(int64_t chunk) const {
  const auto [first, last] = sequences_.of_chunk(chunk);
  auto from = [this](size_t sequence) {
    return std::ranges::lower_bound(texts_, static_cast<int64_t>(sequence), {}, &Text::sequence);
  };
  return {from(first), from(last)};
}

bool CtfIndex::assign(SequenceIndex sequences, std::vector<Text> texts, int64_t size) {
  *this = {};
  int64_t end = 0, sequence = -1;
  for (const Text& t : texts) {
    if (t.begin < end || t.end <= t.begin || t.end > size || t.sequence <= sequence) return false;
    end = t.end;
    sequence = t.sequence;
  }
  const auto count = static_cast<int64_t>(sequences.size());
  if (texts.empty() || texts[0].sequence != 0 || sequence >= count || count > size) return false;
  // Chunks begin with a text.
  for (int64_t c = 0; c < sequences.chunks(); ++c) {
    const auto first = static_cast<int64_t>(sequences.of_chunk(c).first);
    const auto found = std::ranges::lower_bound(texts, first, {}, &Text::sequence);
    if (found == texts.end() || found->sequence != first) return false;
  }
  sequences_ = std::move(sequences);
  texts_ = std::move(texts);
  return true;
}

}  // namespace cantik
