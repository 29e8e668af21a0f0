#include "io/packed_file.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "io/input_file.h"

namespace cantik {
namespace {

constexpr int64_t kWindow = 32 << 10, kInput = 256 << 10, kOutput = 512 << 10;
constexpr int64_t kBetweenPlaces = 4 << 20;  // of what is packed: 32 KB are kept for so much
constexpr int64_t kTrailer = 8;              // of gzip: check sum and length
constexpr int64_t kWorkPerPackedByte = 2;

}  // namespace

// A place that moves on through the file.
class PackedFile::Unpacking {
 public:
  Unpacking(const PackedFile& packed, const Place& from)
      : packed_(packed), next_(from.in), out_(from.out), buffer_(1 + kInput), is_checked_(from.is_begin) {
    if (from.is_begin)
      stream_.emplace(packed.format_);
    else
      stream_.emplace(from.window, from.bits, from.byte);
  }

  int64_t out() const { return out_; }  // of the next byte, in what is packed
  // Fills the room, or a part of it up to the next border of blocks. False at the end.
  bool some(std::span<uint8_t>& room, bool stop_at_blocks) {
    while (true) {
      if (is_done_) return false;
      if (input_.empty() && next_ < packed_.end_) fill();
      const size_t before = room.size(), left = input_.size();
      const Inflater::State state = stream_->some(input_, room, stop_at_blocks);
      if (state == Inflater::State::damaged) packed_.file_.refuse(stream_->problem());
      out_ += static_cast<int64_t>(before - room.size());
      if (state == Inflater::State::ended) {
        next_stream();
        if (room.empty()) return true;
        continue;
      }
      if (before == room.size() && left == input_.size() && next_ == packed_.end_)
        packed_.file_.refuse("its compressed data end too early");
      if (room.empty() || (stop_at_blocks && stream_->block() >= 0)) return true;
    }
  }
  // Where unpacking could begin: between two blocks.
  Place place(std::span<const uint8_t> window) const {
    return {next_ - static_cast<int64_t>(input_.size()),
            out_,
            false,
            stream_->block(),
            input_.data()[-1],
            {window.begin(), window.end()}};
  }

 private:
  // One byte stays in front of the input.
  void fill() {
    if (input_.data()) buffer_[0] = input_.data()[-1];
    const int64_t n = std::min(kInput, packed_.end_ - next_);
    packed_.file_.read_packed(next_, n, reinterpret_cast<char*>(buffer_.data() + 1));
    next_ += n;
    input_ = {buffer_.data() + 1, static_cast<size_t>(n)};
  }
  void skip(int64_t bytes) {
    const size_t here = std::min(input_.size(), static_cast<size_t>(bytes));
    input_ = input_.subspan(here);
    next_ = std::min(packed_.end_, next_ + bytes - static_cast<int64_t>(here));
  }
  // A gzip file may have several streams one after another; anything else behind them is passed over.
  void next_stream() {
    if (packed_.format_ == Inflater::Format::deflate) {
      is_done_ = true;
      return;
    }
    if (!is_checked_) skip(kTrailer);
    is_checked_ = true;
    const int64_t at = next_ - static_cast<int64_t>(input_.size());
    uint8_t mark[2] = {};
    if (packed_.end_ - at >= 2) packed_.file_.read_packed(at, 2, reinterpret_cast<char*>(mark));
    is_done_ = mark[0] != InputFile::kGzipMark[0] || mark[1] != InputFile::kGzipMark[1];
    if (!is_done_) stream_.emplace(Inflater::Format::gzip);
  }

  const PackedFile& packed_;
  int64_t next_, out_;  // next_: in the file, behind the input
  std::vector<uint8_t> buffer_;
  std::span<const uint8_t> input_;
  std::optional<Inflater> stream_;
  bool is_checked_;  // its stream has been seen from its header on, so that zlib reads the trailer
  bool is_done_ = false;
};

PackedFile::PackedFile(const InputFile& file, int64_t begin, int64_t end, Inflater::Format format)
    : file_(file), begin_(begin), end_(end), format_(format) {
  find_places();
}

void PackedFile::find_places() {
  places_.push_back({.in = begin_, .out = 0, .is_begin = true, .window = {}});
  Unpacking unpacking(*this, places_[0]);
  // The last window stands in front of what comes.
  std::vector<uint8_t> block(static_cast<size_t>(kWindow + kOutput));
  std::span<uint8_t> room(block.data() + kWindow, static_cast<size_t>(kOutput));
  while (unpacking.some(room, true)) {
    const uint8_t* filled = room.data();
    if (!room.empty() && unpacking.out() - places_.back().out >= kBetweenPlaces) {
      const int64_t bytes = std::min(kWindow, unpacking.out());
      places_.push_back(unpacking.place({filled - bytes, static_cast<size_t>(bytes)}));
    }
    if (static_cast<int64_t>(room.size()) > kOutput / 2) continue;
    may_end(kWorkPerPackedByte * (kOutput - static_cast<int64_t>(room.size())));
    std::memmove(block.data(), filled - kWindow, static_cast<size_t>(kWindow));
    room = {block.data() + kWindow, static_cast<size_t>(kOutput)};
  }
  size_ = unpacking.out();
}

void PackedFile::read(int64_t offset, int64_t bytes, char* into) const {
  const std::lock_guard lock(mutex_);
  const auto behind = std::ranges::upper_bound(places_, offset, {}, &Place::out);
  const Place& place = behind[-1];
  // It goes on where it stands, unless there is a place further on.
  std::shared_ptr<Unpacking> from = std::move(unpacking_);
  if (!from || from->out() > offset || from->out() < place.out)
    from = std::make_shared<Unpacking>(*this, place);
  std::vector<uint8_t> skipped;
  auto fill = [&](std::span<uint8_t> room) {
    while (!room.empty()) {
      const size_t before = room.size();
      if (!from->some(room, false)) file_.refuse("it has become shorter since it was opened");
      may_end(kWorkPerPackedByte * static_cast<int64_t>(before - room.size()));
    }
  };
  while (from->out() < offset) {
    skipped.resize(static_cast<size_t>(std::min(kOutput, offset - from->out())));
    fill(skipped);
  }
  fill({reinterpret_cast<uint8_t*>(into), static_cast<size_t>(bytes)});
  unpacking_ = std::move(from);
}

}  // namespace cantik
