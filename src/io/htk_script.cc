#include "io/htk_script.h"

#include <charconv>
#include <filesystem>
#include <string_view>
#include <unordered_map>

#include <cantik/error.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "io/utterance.h"

namespace cantik {
namespace {

constexpr int64_t kWorkPerLine = 200;

[[noreturn]] void refuse(const std::string& path, int64_t line, const std::string& what) {
  throw runtime_error(cat(path, " is not a script file of HTK's: ", what))
      .line("file", cat(path, ", line ", line))
      .remedy("write name=archive[first,last], with frames from 0 on");
}

// "[first,last]" at the end of the text, which is taken off. Whether there is one.
bool take_range(std::string_view& text, int64_t& first, int64_t& last) {
  const size_t open = text.rfind('[');
  if (open == text.npos || text.back() != ']') return false;
  const char *p = text.data() + open + 1, *end = text.data() + text.size() - 1;
  const auto a = std::from_chars(p, end, first);
  if (a.ec != std::errc() || a.ptr == end || *a.ptr != ',') return false;
  const auto b = std::from_chars(a.ptr + 1, end, last);
  if (b.ec != std::errc() || b.ptr != end) return false;
  text = text.substr(0, open);
  return true;
}

}  // namespace

Script read_script(const std::string& path) {
  const Bytes bytes = read_file(path);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  std::unordered_map<std::string, int32_t> numbers;
  Script script;
  int64_t line = 0;
  for (std::string_view rest = bytes.view(); !rest.empty();) {
    may_end(kWorkPerLine);
    const size_t end = rest.find('\n');
    std::string_view text = rest.substr(0, end);
    rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
    ++line;
    while (!text.empty() && (text.back() == '\r' || text.back() == ' ' || text.back() == '\t'))
      text.remove_suffix(1);
    if (text.empty()) continue;
    ScriptEntry entry{.line = line};
    const size_t equals = text.find('=');
    std::string_view name = equals == text.npos ? std::string_view() : text.substr(0, equals);
    if (equals != text.npos) text = text.substr(equals + 1);
    if (take_range(text, entry.first, entry.last) && (entry.first < 0 || entry.last < entry.first))
      refuse(path, line, cat("frames ", entry.first, " to ", entry.last));
    if (text.empty() || (equals != text.npos && name.empty()))
      refuse(path, line, "a name or an archive is missing");
    if (equals == text.npos) name = text;
    entry.name = without_extension(name);
    std::string archive(text);
    if (archive.starts_with(".../")) archive = (folder.empty() ? "." : folder) + archive.substr(3);
    const auto [found, is_new] = numbers.try_emplace(archive, static_cast<int32_t>(script.archives.size()));
    if (is_new) script.archives.push_back(archive);
    entry.archive = found->second;
    script.entries.push_back(std::move(entry));
  }
  return script;
}

}  // namespace cantik
