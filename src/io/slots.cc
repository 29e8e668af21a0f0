#include "io/slots.h"

#include <algorithm>
#include <string>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"

namespace cantik {

Slots::Held Slots::hold(const SequenceInfo& info, Reader& reader) {
  Held h{info, reader.chunk_of(info), 0};
  const Chunk& streams = *h.chunk;
  if (reader.data().may_leave_out() && is_without_steps(streams, info.in_chunk)) return h;
  h.length = steps_of(streams[0], info.in_chunk);
  for (size_t s = 1; s < streams.size(); ++s)
    if (steps_of(streams[s], info.in_chunk) != h.length) {
      const auto& names = reader.data().streams();
      throw runtime_error("For BPTT sequences between different input stream should have the same length.")
          .line("file", reader.data().name())
          .line("stream", cat(names[0].name, " has ", h.length, " samples, ", names[s].name, " has ",
                              steps_of(streams[s], info.in_chunk)))
          .line("sequence", std::to_string(info.key))
          .remedy(
              "read streams of one sample a sequence without truncation, or repeat the sample in every line");
    }
  return h;
}

std::vector<SequencePart> Slots::next(Reader& reader, int64_t count, bool& sweep_end) {
  while (static_cast<int64_t>(slots_.size()) > count && slots_.back().empty()) slots_.pop_back();
  std::vector<SequencePart> parts;
  for (int64_t i = 0; i < count || i < static_cast<int64_t>(slots_.size()); ++i) {
    if (i == static_cast<int64_t>(slots_.size())) {
      if (reader.at_end()) break;
      slots_.emplace_back();
    }
    Slot& slot = slots_[i];
    int64_t left = 0;
    for (const Held& h : slot) left += h.length - h.done;
    // One sequence more than the part needs: then its end is known to be one.
    int64_t last_sweep = reader.sweep() + 1;  // behind it the worker has no share
    while (i < count && left <= length_ && !reader.at_end() && reader.sweep() <= last_sweep) {
      const Reader::Next& next = reader.peek();
      if (next.is_share) {
        Held held = hold(next.info, reader);
        held.sweep_end = next.sweep_end;
        left += held.length;
        last_sweep = reader.sweep() + 1;
        if (held.length > 0)
          slot.push_back(std::move(held));
        else  // it is left out
          (slot.empty() ? sweep_end : slot.back().sweep_end) |= held.sweep_end;
      }
      reader.skip();
    }
    for (int64_t room = length_; room > 0 && !slot.empty();) {
      Held& h = slot.front();
      int64_t n = std::min(room, h.length - h.done);
      parts.push_back({h.chunk, h.info.in_chunk, h.done, h.done + n, h.last_part});
      h.last_part = static_cast<int32_t>(parts.size()) - 1;
      h.done += n;
      room -= n;
      if (h.done < h.length) break;
      sweep_end |= h.sweep_end;
      slot.pop_front();
    }
  }
  return parts;
}

DictionaryVector Slots::state(const Timeline& timeline) const {
  DictionaryVector all;
  for (const Slot& slot : slots_) {
    DictionaryVector list;
    for (const Held& h : slot)
      list.push_back(Dictionary{{"sequence", timeline.number_of(h.info)},
                                {"done", static_cast<uint64_t>(h.done)},
                                {"lastPart", static_cast<uint64_t>(h.last_part + 1)},
                                {"sweepEnd", h.sweep_end}});
    all.push_back(std::move(list));
  }
  return all;
}

void Slots::restore(const DictionaryVector& state, Reader& reader, Neighbours neighbours) {
  std::vector<Slot> slots;
  for (const DictionaryValue& list : state) {
    slots.emplace_back();
    for (const DictionaryValue& v : list.as<DictionaryVector>()) {
      const Dictionary& d = v.as<Dictionary>();
      uint64_t number = d.at("sequence").as<uint64_t>(), done = d.at("done").as<uint64_t>();
      Held h = hold(reader.timeline().sequence(number), reader);
      if (done >= static_cast<uint64_t>(h.length))
        throw runtime_error(
            cat("the checkpoint stopped at step ", done, " of a sequence that has ", h.length, " steps"))
            .remedy("restore with the data of the training that was saved");
      h.done = static_cast<int64_t>(done);
      // 0: it has not begun
      h.last_part = static_cast<int32_t>(std::min<uint64_t>(d.at("lastPart").as<uint64_t>(), INT32_MAX)) - 1;
      if (neighbours == Neighbours::others) h.last_part = -1;
      h.sweep_end = d.at("sweepEnd").as<bool>();
      slots.back().push_back(std::move(h));
    }
  }
  slots_ = std::move(slots);
}

}  // namespace cantik
