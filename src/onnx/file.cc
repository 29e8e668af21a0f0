// Functions from and to ONNX's files and bytes.
#include <string_view>
#include <string>
#include <filesystem>

#include <cantik/error.h>
#include <cantik/onnx.h>

#include "base/file.h"
#include "base/text.h"
#include "onnx/read.h"
#include "onnx/write.h"

namespace cantik {
namespace {

struct TextSink final : Sink {
  std::string text;
  void write(const void* data, size_t bytes) override { text.append(static_cast<const char*>(data), bytes); }
};

constexpr size_t kAlignment = 4096;  // of tensors in a file beside the model
constexpr size_t kSmall = 1024;      // smaller tensors stay in the model

void put_beside(onnx::WrittenModel& m, const std::string& path) {
  const std::string beside = path + ".data";
  FileWriter file(beside);
  const std::string_view name = m.record.own(std::filesystem::path(beside).filename().string());
  size_t at = 0;
  for (onnx::TensorRecord& t : m.record.graph.initializers) {
    if (t.raw.size() < kSmall) continue;
    const std::string gap((kAlignment - at % kAlignment) % kAlignment, '\0');
    file.write(gap.data(), gap.size());
    at += gap.size();
    file.write(t.raw.data(), t.raw.size());
    t.location = {{"location", name},
                  {"offset", m.record.own(std::to_string(at))},
                  {"length", m.record.own(std::to_string(t.raw.size()))}};
    t.external = true;
    at += t.raw.size();
  }
  file.commit();
}

}  // namespace

void save_onnx(const Function& model, const std::string& path, const OnnxOptions& options) {
  onnx::WrittenModel m = onnx::write_model(model, options);
  if (options.external_data) put_beside(m, path);
  FileWriter file(path);
  onnx::write_record(m.record, file);
  file.commit();
}

std::string to_onnx(const Function& model, const OnnxOptions& options) {
  if (options.external_data)
    throw value_error("bytes have no second file for the parameters").remedy("use save_onnx with a path");
  TextSink to;
  onnx::write_record(onnx::write_model(model, options).record, to);
  return std::move(to.text);
}

Function from_onnx(std::string_view bytes, const OnnxReading& reading) {
  return onnx::read_model(onnx::read_record(bytes), {}, reading);
}

Function load_onnx(const std::string& path, const OnnxReading& reading) {
  if (!is_file(path))
    throw value_error(cat("Cannot load the model ", path, " that is neither a file nor a byte buffer."));
  return onnx::read_model_file(read_file(path), path, reading);
}

Function onnx::read_model_file(const Bytes& bytes, const std::string& path, const OnnxReading& reading) {
  try {
    const std::string folder = std::filesystem::path(path).parent_path().string();
    return read_model(read_record(bytes.view(), true),
                      {.folder = folder.empty() ? "." : folder, .bytes = bytes.data}, reading);
  } catch (const Error& e) {
    throw Error(e).line("file", path);
  }
}

}  // namespace cantik
