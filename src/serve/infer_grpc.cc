#include "serve/infer_grpc.h"

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include <cantik/api.h>

#include "base/text.h"
#include "serve/host.h"

namespace cantik::serve {
namespace {

using protozero::pbf_reader;
using protozero::pbf_writer;

[[noreturn]] void refuse_message(std::string text) { throw Refusal(kBadRequest, std::move(text)); }

using Wire = protozero::pbf_wire_type;

// A field of a known number may come in another wire type than that of its declaration.
void need_wire(const pbf_reader& at, Wire type) {
  if (at.wire_type() != type) throw protozero::unknown_pbf_wire_type_exception();
}

std::string text_field(pbf_reader& at) {
  need_wire(at, Wire::length_delimited);
  return at.get_string();
}

pbf_reader message_of(pbf_reader& at) {
  need_wire(at, Wire::length_delimited);
  return at.get_message();
}

bool truth_field(pbf_reader& at) {
  need_wire(at, Wire::varint);
  return at.get_bool();
}

// The value of a parameter, as text; a truth is "1" or "".
struct GrpcParameter {
  std::string name, value;
};

GrpcParameter read_parameter(pbf_reader entry) {
  GrpcParameter p;
  while (entry.next()) {
    if (entry.tag() == 1) {
      p.name = text_field(entry);
    } else if (entry.tag() == 2) {
      pbf_reader value = message_of(entry);
      while (value.next()) switch (value.tag()) {
          case 1: p.value = truth_field(value) ? "1" : ""; break;
          case 2:
            need_wire(value, Wire::varint);
            p.value = std::to_string(value.get_int64());
            break;
          case 3: p.value = text_field(value); break;
          case 5:
            need_wire(value, Wire::varint);
            p.value = std::to_string(value.get_uint64());
            break;
          default: value.skip();
        }
    } else {
      entry.skip();
    }
  }
  return p;
}

template <class T, class Range>
void append_values(RequestTensor& tensor, const Range& range) {
  for (const auto v : range) {
    const T number = static_cast<T>(v);
    if constexpr (std::is_floating_point_v<T>) {
      const auto* bytes = reinterpret_cast<const char*>(&number);
      tensor.numbers.insert(tensor.numbers.end(), bytes, bytes + sizeof number);
    } else {
      char bytes[8];
      if (!put_number(number, tensor.datatype, bytes))
        refuse_message(cat("the input ", tensor.name, " has the number ", number,
                           ", which is none of the datatype ", name_of(tensor.datatype)));
      tensor.numbers.insert(tensor.numbers.end(), bytes, bytes + size_of(tensor.datatype));
    }
  }
}

// Which list of InferTensorContents has the numbers of a datatype.
int contents_field(Datatype datatype) {
  switch (datatype) {
    case Datatype::boolean: return 1;
    case Datatype::int8:
    case Datatype::int16:
    case Datatype::int32: return 2;
    case Datatype::int64: return 3;
    case Datatype::uint8:
    case Datatype::uint16:
    case Datatype::uint32: return 4;
    case Datatype::uint64: return 5;
    case Datatype::fp32: return 6;
    case Datatype::fp64: return 7;
    case Datatype::fp16:
    case Datatype::bf16: return 0;
  }
  return 0;
}

Wire wire_of(Datatype datatype) {
  if (datatype == Datatype::fp32) return Wire::fixed32;
  return datatype == Datatype::fp64 ? Wire::fixed64 : Wire::varint;
}

void read_contents(RequestTensor& tensor, pbf_reader contents) {
  const int expected = contents_field(tensor.datatype);
  while (contents.next()) {
    const int field = static_cast<int>(contents.tag());
    if (field != expected)
      refuse_message(cat("the numbers of the input ", tensor.name, " are not in the list of the datatype ",
                         name_of(tensor.datatype)));
    // A list may come packed, or one number a field.
    const bool packed = contents.wire_type() == Wire::length_delimited;
    if (!packed) need_wire(contents, wire_of(tensor.datatype));
    const auto one = [](auto v) { return std::vector<decltype(v)>{v}; };
    switch (field) {
      case 1:
        packed ? append_values<int64_t>(tensor, contents.get_packed_bool())
               : append_values<int64_t>(tensor, one(static_cast<int64_t>(contents.get_bool())));
        break;
      case 2:
        packed ? append_values<int64_t>(tensor, contents.get_packed_int32())
               : append_values<int64_t>(tensor, one(contents.get_int32()));
        break;
      case 3:
        packed ? append_values<int64_t>(tensor, contents.get_packed_int64())
               : append_values<int64_t>(tensor, one(contents.get_int64()));
        break;
      case 4:
        packed ? append_values<uint64_t>(tensor, contents.get_packed_uint32())
               : append_values<uint64_t>(tensor, one(contents.get_uint32()));
        break;
      case 5:
        packed ? append_values<uint64_t>(tensor, contents.get_packed_uint64())
               : append_values<uint64_t>(tensor, one(contents.get_uint64()));
        break;
      case 6:
        packed ? append_values<float>(tensor, contents.get_packed_float())
               : append_values<float>(tensor, one(contents.get_float()));
        break;
      case 7:
        packed ? append_values<double>(tensor, contents.get_packed_double())
               : append_values<double>(tensor, one(contents.get_double()));
        break;
      default: contents.skip();
    }
  }
  tensor.data = tensor.numbers.data();
  tensor.bytes = tensor.numbers.size();
}

// Without the numbers where they come as bytes.
RequestTensor read_input_message(pbf_reader at, bool& has_contents) {
  RequestTensor tensor;
  std::string datatype;
  std::optional<pbf_reader> contents;
  while (at.next()) switch (at.tag()) {
      case 1: tensor.name = text_field(at); break;
      case 2: datatype = text_field(at); break;
      case 3:
        if (at.wire_type() == Wire::length_delimited)
          for (const int64_t d : at.get_packed_int64()) tensor.shape.push_back(d);
        else
          need_wire(at, Wire::varint), tensor.shape.push_back(at.get_int64());
        break;
      case 4:
        if (read_parameter(message_of(at)).name == "shared_memory_region")
          refuse_message("tensors in shared memory are not taken: send them in the request");
        break;
      case 5: contents = message_of(at); break;
      default: at.skip();
    }
  tensor.datatype = datatype_of(datatype);
  has_contents = contents.has_value();
  if (contents) read_contents(tensor, *contents);
  return tensor;
}

void read_request_parameter(const GrpcParameter& p, std::optional<StreamPart>& part) {
  if (p.name == "sequence_id" && !p.value.empty() && p.value != "0") {
    if (!part) part.emplace();
    part->id = p.value;
  } else if (p.name == "sequence_start" || p.name == "sequence_end") {
    if (!part) part.emplace();
    (p.name == "sequence_start" ? part->start : part->end) = !p.value.empty();
  }
}

GrpcInfer read_message(const std::shared_ptr<const std::string>& message, size_t begin) {
  GrpcInfer to;
  InferRequest& request = to.request;
  std::vector<bool> has_contents;
  std::vector<protozero::data_view> raw;
  std::optional<StreamPart> part;
  pbf_reader at(message->data() + begin, message->size() - begin);
  while (at.next()) switch (at.tag()) {
      case 1: request.model = text_field(at); break;
      case 2: request.version = text_field(at); break;
      case 3: request.id = text_field(at); break;
      case 4: read_request_parameter(read_parameter(message_of(at)), part); break;
      case 5: {
        bool contents = false;
        request.inputs.push_back(read_input_message(message_of(at), contents));
        has_contents.push_back(contents);
        break;
      }
      case 6: {
        pbf_reader output = message_of(at);
        AskedOutput asked;
        while (output.next()) {
          if (output.tag() == 1)
            asked.name = text_field(output);
          else
            output.skip();
        }
        request.outputs.push_back(std::move(asked));
        break;
      }
      case 7:
        need_wire(at, Wire::length_delimited);
        raw.push_back(at.get_view());
        break;
      default: at.skip();
    }
  if (part && !part->id.empty()) request.sequence = std::move(part);
  to.typed = raw.empty() && !request.inputs.empty();
  if (!to.typed && raw.size() != request.inputs.size())
    refuse_message(
        cat("the request has ", request.inputs.size(), " inputs and ", raw.size(), " raw_input_contents"));
  for (size_t i = 0; i < request.inputs.size(); ++i) {
    RequestTensor& tensor = request.inputs[i];
    if (!to.typed && has_contents[i])
      refuse_message(cat("the input ", tensor.name, " came both as numbers and as bytes"));
    if (!to.typed) {
      tensor.data = raw[i].data();
      tensor.bytes = raw[i].size();
    }
    check_size(tensor);
  }
  request.memory = message;
  return to;
}

void write_port(pbf_writer&& to, const Port& port) {
  to.add_string(1, port.name);
  to.add_string(2, std::string(name_of(datatype_of(port.dtype))));
  const std::vector<int64_t> shape = port.shape();
  to.add_packed_int64(3, shape.begin(), shape.end());
}

// Whether the tensor has been written; false where the protocol has no list for its datatype.
bool has_list(const AnswerTensor& output) { return contents_field(output.datatype) != 0; }

void write_contents(pbf_writer& to, const AnswerTensor& output) {
  pbf_writer contents(to, 5);
  const auto field = static_cast<protozero::pbf_tag_type>(contents_field(output.datatype));
  if (!output.data.defined()) {
    contents.add_packed_int64(field, output.lengths.begin(), output.lengths.end());
    return;
  }
  const Tensor& data = output.data;
  if (data.dtype() == DType::float32) {
    const auto list = data.span<float>();
    contents.add_packed_float(field, list.begin(), list.end());
  } else if (data.dtype() == DType::float64) {
    const auto list = data.span<double>();
    contents.add_packed_double(field, list.begin(), list.end());
  } else {
    const Tensor wide = data.cast(DType::int32);
    const auto list = wide.span<int32_t>();
    contents.add_packed_int32(field, list.begin(), list.end());
  }
}

}  // namespace

GrpcInfer read_model_infer(std::shared_ptr<const std::string> message, size_t begin) {
  try {
    return read_message(message, begin);
  } catch (const protozero::exception& e) {
    refuse_message(cat("the message is no ModelInferRequest: ", e.what()));
  }
}

std::string write_model_infer(const InferAnswer& answer, bool typed) {
  for (const AnswerTensor& output : answer.outputs) typed = typed && has_list(output);
  std::string text;
  pbf_writer to(text);
  to.add_string(1, answer.model);
  to.add_string(2, answer.version);
  if (!answer.id.empty()) to.add_string(3, answer.id);
  for (const AnswerTensor& output : answer.outputs) {
    pbf_writer one(to, 5);
    one.add_string(1, output.name);
    one.add_string(2, std::string(name_of(output.datatype)));
    one.add_packed_int64(3, output.shape.begin(), output.shape.end());
    if (typed) write_contents(one, output);
  }
  if (!typed)
    for (const AnswerTensor& output : answer.outputs)
      to.add_bytes(6, output.bytes().data(), output.bytes().size());
  return text;
}

std::string text_field(std::string_view message, uint32_t field) {
  try {
    pbf_reader at(message.data(), message.size());
    std::string text;
    while (at.next()) {
      if (at.tag() == field)
        text = text_field(at);
      else
        at.skip();
    }
    return text;
  } catch (const protozero::exception& e) {
    refuse_message(cat("the message cannot be read: ", e.what()));
  }
}

bool wants_ready_only(std::string_view message) {
  try {
    pbf_reader at(message.data(), message.size());
    bool ready = false;
    while (at.next()) {
      if (at.tag() == 2)
        ready = truth_field(at);
      else
        at.skip();
    }
    return ready;
  } catch (const protozero::exception& e) {
    refuse_message(cat("the message cannot be read: ", e.what()));
  }
}

std::string write_truth(bool truth) {
  std::string text;
  if (truth) pbf_writer(text).add_bool(1, true);
  return text;
}

std::string write_server_metadata() {
  std::string text;
  pbf_writer to(text);
  to.add_string(1, "cantik");
  to.add_string(2, cat(CANTIK_VERSION_MAJOR, ".", CANTIK_VERSION_MINOR, ".", CANTIK_VERSION_PATCH));
  for (const std::string_view e : kExtensions) to.add_string(3, std::string(e));
  return text;
}

std::string write_model_metadata(const ServedModel& model, const std::vector<std::string>& versions) {
  std::string text;
  pbf_writer to(text);
  to.add_string(1, model.name());
  for (const std::string& v : versions) to.add_string(2, v);
  to.add_string(3, "cantik");
  for (const Port& port : model.inputs()) write_port(pbf_writer(to, 4), port);
  for (const Port& port : model.outputs()) write_port(pbf_writer(to, 5), port);
  return text;
}

std::string write_index(const std::vector<IndexEntry>& index, bool ready_only) {
  std::string text;
  pbf_writer to(text);
  for (const IndexEntry& e : index) {
    if (ready_only && !e.ready) continue;
    pbf_writer one(to, 1);
    one.add_string(1, e.name);
    one.add_string(2, e.version);
    one.add_string(3, e.ready ? "READY" : "UNAVAILABLE");
    one.add_string(4, e.reason);
  }
  return text;
}

}  // namespace cantik::serve
