#include "serve/infer_json.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cantik/tensor.h>
#include <simdjson.h>

#include "base/text.h"
#include "serve/json.h"

namespace cantik::serve {
namespace {

namespace dom = simdjson::dom;

[[noreturn]] void refuse_json(std::string text) { throw Refusal(kBadRequest, std::move(text)); }

// A member of an object; without: it is not there.
std::optional<dom::element> member(dom::object object, std::string_view name) {
  dom::element e;
  if (object[name].get(e)) return {};
  return e;
}

std::string_view text_of(std::string_view what, dom::element e) {
  std::string_view text;
  if (e.get(text)) refuse_json(cat("'", what, "' must be a string"));
  return text;
}

bool truth_of(std::string_view what, dom::element e) {
  bool truth = false;
  if (e.get(truth)) refuse_json(cat("'", what, "' must be true or false"));
  return truth;
}

std::optional<dom::object> parameters_of(dom::object object) {
  const std::optional<dom::element> e = member(object, "parameters");
  if (!e) return {};
  dom::object parameters;
  if (e->get(parameters)) refuse_json("'parameters' must be an object");
  return parameters;
}

std::string name_in(dom::object object, std::string_view list) {
  const std::optional<dom::element> e = member(object, "name");
  if (!e) refuse_json(cat("an object in '", list, "' has no 'name'"));
  return std::string(text_of("name", *e));
}

// JsonNumbers of JSON, one list in another or flat, as numbers of the datatype, one behind the other.
struct JsonNumbers {
  RequestTensor& tensor;
  size_t size = size_of(tensor.datatype);
  size_t expected;
  size_t count = 0;

  void add(dom::array list) {
    for (const dom::element e : list) {
      if (e.type() == dom::element_type::ARRAY)
        add(e.get_array().value_unsafe());
      else
        add_number(e);
    }
  }

  void add_number(dom::element e) {
    if (count == expected)
      refuse_json(cat("the input ", tensor.name, " of the shape ", shape_text(tensor.shape),
                      " has more than ", expected, " numbers"));
    char* at = tensor.numbers.data() + size * count++;
    if (!put(e, at))
      refuse_json(cat("the input ", tensor.name, " has at place ", count - 1, " no number of the datatype ",
                      name_of(tensor.datatype), ": ", simdjson::minify(e)));
  }

  bool put(dom::element e, char* at) const {
    switch (e.type()) {
      case dom::element_type::DOUBLE: return put_number(e.get_double().value_unsafe(), tensor.datatype, at);
      case dom::element_type::INT64: return put_number(e.get_int64().value_unsafe(), tensor.datatype, at);
      case dom::element_type::UINT64: return put_number(e.get_uint64().value_unsafe(), tensor.datatype, at);
      case dom::element_type::BOOL:
        return put_number(static_cast<int64_t>(e.get_bool().value_unsafe()), tensor.datatype, at);
      default: return false;
    }
  }
};

// A list has to have one element for each number: a short text cannot ask for much memory.
void read_numbers(RequestTensor& tensor, dom::element data, size_t text_size) {
  dom::array list;
  if (data.get(list)) refuse_json(cat("'data' of the input ", tensor.name, " must be an array"));
  const auto expected = static_cast<size_t>(count_of(tensor.name, tensor.shape));
  if (expected > text_size)
    refuse_json(cat("the input ", tensor.name, " of the shape ", shape_text(tensor.shape), " has ", expected,
                    " numbers, which the request is too short for"));
  tensor.numbers.resize(expected * size_of(tensor.datatype));
  JsonNumbers numbers{.tensor = tensor, .expected = expected};
  numbers.add(list);
  if (numbers.count != expected)
    refuse_json(cat("the input ", tensor.name, " of the shape ", shape_text(tensor.shape), " has ", expected,
                    " numbers; ", numbers.count, " came"));
  tensor.data = tensor.numbers.data();
  tensor.bytes = tensor.numbers.size();
}

// The bytes behind the JSON, in the order of the inputs.
struct BinaryTail {
  const char* at;
  size_t left;

  void give(RequestTensor& tensor, dom::element size) {
    uint64_t n = 0;
    if (size.get(n))
      refuse_json(cat("'binary_data_size' of the input ", tensor.name, " must be a whole number"));
    if (n > left)
      refuse_json(cat("the input ", tensor.name, " has ", n, " bytes by 'binary_data_size'; ", left,
                      " are left in the body"));
    tensor.data = at;
    tensor.bytes = n;
    at += n;
    left -= n;
  }
};

RequestTensor read_input(dom::object object, BinaryTail& bytes, size_t text_size) {
  RequestTensor tensor{.name = name_in(object, "inputs")};
  const std::optional<dom::element> datatype = member(object, "datatype"), shape = member(object, "shape");
  if (!datatype || !shape)
    refuse_json(cat("the input ", tensor.name, " has no ", datatype ? "'shape'" : "'datatype'"));
  tensor.datatype = datatype_of(text_of("datatype", *datatype));
  dom::array dims;
  if (shape->get(dims)) refuse_json(cat("'shape' of the input ", tensor.name, " must be an array"));
  for (const dom::element e : dims) {
    int64_t d = 0;
    if (e.get(d)) refuse_json(cat("'shape' of the input ", tensor.name, " must have whole numbers"));
    tensor.shape.push_back(d);
  }
  std::optional<dom::element> size;
  if (const std::optional<dom::object> parameters = parameters_of(object)) {
    if (member(*parameters, "shared_memory_region"))
      refuse_json("tensors in shared memory are not taken: send them in the request");
    size = member(*parameters, "binary_data_size");
  }
  const std::optional<dom::element> data = member(object, "data");
  if (data && size) refuse_json(cat("the input ", tensor.name, " has both 'data' and 'binary_data_size'"));
  if (!data && !size)
    refuse_json(cat("the input ", tensor.name, " has neither 'data' nor 'binary_data_size'"));
  if (size) {
    bytes.give(tensor, *size);
    check_size(tensor);
  } else {
    read_numbers(tensor, *data, text_size);
  }
  return tensor;
}

AskedOutput read_output(dom::object object, bool binary) {
  AskedOutput output{.name = name_in(object, "outputs"), .binary = binary};
  const std::optional<dom::object> parameters = parameters_of(object);
  if (!parameters) return output;
  if (member(*parameters, "shared_memory_region")) refuse_json("results are not put in shared memory");
  if (const auto count = member(*parameters, "classification")) {
    int64_t classes = 0;
    if (count->get(classes) || classes != 0)
      refuse_json("the extension 'classification' is not there: sort the scores");
  }
  if (const auto e = member(*parameters, "binary_data")) output.binary = truth_of("binary_data", *e);
  return output;
}

void read_parameters(dom::object parameters, InferRequest& request) {
  if (const auto e = member(parameters, "binary_data_output"))
    request.binary_outputs = truth_of("binary_data_output", *e);
  const std::optional<dom::element> id = member(parameters, "sequence_id");
  if (!id) return;
  StreamPart part;
  uint64_t number = 0;
  if (id->is_string())
    part.id = std::string(text_of("sequence_id", *id));
  else if (!id->get(number))
    part.id = number == 0 ? std::string() : std::to_string(number);
  else
    refuse_json("'sequence_id' must be a string or a whole number");
  if (part.id.empty()) return;  // 0 and the empty text stand for none
  if (const auto e = member(parameters, "sequence_start")) part.start = truth_of("sequence_start", *e);
  if (const auto e = member(parameters, "sequence_end")) part.end = truth_of("sequence_end", *e);
  request.sequence = std::move(part);
}

template <class Read>
void for_objects(dom::object root, std::string_view name, Read read) {
  const std::optional<dom::element> e = member(root, name);
  if (!e) return;
  dom::array list;
  if (e->get(list)) refuse_json(cat("'", name, "' must be an array"));
  for (const dom::element item : list) {
    dom::object object;
    if (item.get(object)) refuse_json(cat("'", name, "' must have objects"));
    read(object);
  }
}

InferRequest read_body(dom::parser& parser, const std::string& body, size_t json_size) {
  dom::element document;
  if (const auto error = parser.parse(body.data(), json_size, false).get(document))
    refuse_json(cat("the request is no JSON: ", simdjson::error_message(error)));
  dom::object root;
  if (document.get(root)) refuse_json("the request must be a JSON object");
  InferRequest request;
  if (const auto e = member(root, "id")) request.id = std::string(text_of("id", *e));
  if (const auto parameters = parameters_of(root)) read_parameters(*parameters, request);
  BinaryTail bytes{body.data() + json_size, body.size() - json_size};
  for_objects(root, "inputs",
              [&](dom::object o) { request.inputs.push_back(read_input(o, bytes, json_size)); });
  for_objects(root, "outputs",
              [&](dom::object o) { request.outputs.push_back(read_output(o, request.binary_outputs)); });
  if (bytes.left) refuse_json(cat(bytes.left, " bytes of the body belong to no input"));
  return request;
}

bool append_numbers(std::string& to, const AnswerTensor& output) {
  if (!output.data.defined()) {
    for (const int64_t n : output.lengths) {
      append_number(to, n);
      to += ',';
    }
    return true;
  }
  const Tensor& data = output.data;
  if (data.dtype() == DType::float32) {
    for (const float f : data.span<float>()) {
      if (!append_number(to, f)) return false;
      to += ',';
    }
    return true;
  }
  const bool whole =
      data.dtype() == DType::int8 || data.dtype() == DType::int16 || data.dtype() == DType::int32;
  for (int64_t i = 0; i < data.elements(); ++i) {
    const double v = data.at(i);
    if (whole)
      append_number(to, static_cast<int64_t>(v));
    else if (!append_number(to, v))
      return false;
    to += ',';
  }
  return true;
}

}  // namespace

InferRequest read_infer(std::shared_ptr<std::string> body, std::optional<size_t> json_size) {
  const size_t size = json_size.value_or(body->size());
  if (size > body->size())
    refuse_json(
        cat("Inference-Header-Content-Length is ", size, ", and the body has ", body->size(), " bytes"));
  if (size > kLargestJson)
    throw Refusal(kTooLarge, cat("the JSON of a request has at most ", kLargestJson,
                                 " bytes: send tensors as binary data"));
  body->reserve(body->size() + simdjson::SIMDJSON_PADDING);  // the parser reads in steps of so many bytes
  // A parser keeps memory of about 14 times the text: that of small texts is used again.
  constexpr size_t kKept = size_t{256} << 10;
  InferRequest request;
  if (size <= kKept) {
    static thread_local dom::parser kept;
    request = read_body(kept, *body, size);
  } else {
    dom::parser once;
    request = read_body(once, *body, size);
  }
  request.memory = std::move(body);
  return request;
}

InferText write_infer(const std::vector<AskedOutput>& asked, bool binary_outputs, const InferAnswer& answer) {
  InferText text;
  std::string& to = text.body;
  const auto is_binary = [&](const AnswerTensor& output) {
    const auto at =
        std::find_if(asked.begin(), asked.end(), [&](const AskedOutput& a) { return a.name == output.name; });
    return at == asked.end() ? binary_outputs : at->binary;
  };
  size_t size = 256;
  for (const AnswerTensor& output : answer.outputs)
    size += 128 + output.bytes().size() * (is_binary(output) ? 1 : 3);
  to.reserve(size);
  to += "{\"model_name\":";
  append_quoted(to, answer.model);
  to += ",\"model_version\":";
  append_quoted(to, answer.version);
  if (!answer.id.empty()) {
    to += ",\"id\":";
    append_quoted(to, answer.id);
  }
  to += ",\"outputs\":[";
  for (const AnswerTensor& output : answer.outputs) {
    if (&output != answer.outputs.data()) to += ',';
    to += "{\"name\":";
    append_quoted(to, output.name);
    to += ",\"datatype\":\"";
    to += name_of(output.datatype);
    to += "\",\"shape\":[";
    for (const int64_t d : output.shape) {
      append_number(to, d);
      to += ',';
    }
    if (to.back() == ',') to.pop_back();
    to += ']';
    if (is_binary(output)) {
      text.has_bytes = true;
      to += ",\"parameters\":{\"binary_data_size\":";
      append_number(to, static_cast<int64_t>(output.bytes().size()));
      to += "}}";
      continue;
    }
    to += ",\"data\":[";
    if (!append_numbers(to, output))
      throw Refusal(kFailed,
                    cat("the output ", output.name,
                        " has a number that is not finite, which JSON has no word for: ask for binary data"));
    if (to.back() == ',') to.pop_back();
    to += "]}";
  }
  to += "]}";
  text.json_size = to.size();
  for (const AnswerTensor& output : answer.outputs)
    if (is_binary(output)) to += output.bytes();
  return text;
}

}  // namespace cantik::serve
