// NDArrayView: a tensor with CNTK's methods, NumPy's array interface and DLPack.
#include <nanobind/ndarray.h>

#include "binding/arguments.h"
#include "binding/device.h"
#include "binding/numpy.h"
#include "binding/sparse.h"

namespace cantik::python {
namespace {

nb::object tensor_as_array(const Tensor& t) {
  if (t.is_sparse()) return t.shape().rank() == 2 ? csr_of_tensor(t) : array_of_tensor(t.to_dense());
  return array_of_tensor(t.clone());
}

nb::dlpack::dtype dlpack_type(DType t) {
  bool real = t == DType::float32 || t == DType::float64 || t == DType::float16;
  return {static_cast<uint8_t>(real ? nb::dlpack::dtype_code::Float : nb::dlpack::dtype_code::Int),
          static_cast<uint8_t>(size_of(t) * 8), 1};
}

DType from_dlpack_type(nb::dlpack::dtype t) {
  for (DType d : {DType::float32, DType::float64, DType::float16, DType::int8, DType::int16, DType::int32})
    if (nb::dlpack::dtype w = dlpack_type(d); t.code == w.code && t.bits == w.bits && t.lanes == 1) return d;
  throw type_error("the tensor's element type has no counterpart here")
      .remedy("convert the tensor to float32 first");
}

nb::ndarray<> as_dlpack(const Tensor& t) {
  if (t.is_sparse()) throw type_error("a sparse tensor has no DLPack form").remedy("make the tensor dense");
  auto* owner = new Tensor(t);
  nb::capsule keep(owner, [](void* p) noexcept { delete static_cast<Tensor*>(p); });
  std::vector<size_t> dims(t.shape().begin(), t.shape().end());
  return nb::ndarray<>(t.raw(), dims.size(), dims.data(), keep, nullptr, dlpack_type(t.dtype()));
}

Tensor from_dlpack(nb::handle source) {
  auto array = std::make_shared<nb::ndarray<nb::device::cpu>>();
  try {
    *array = nb::cast<nb::ndarray<nb::device::cpu>>(source);
  } catch (const nb::cast_error&) {
    throw type_error("an object with __dlpack__ in the processor's memory was expected, not " +
                     class_name(source));
  }
  Shape shape = Shape(std::vector<int64_t>(array->shape_ptr(), array->shape_ptr() + array->ndim()));
  int64_t step = 1;
  for (size_t i = array->ndim(); i-- > 0; step *= static_cast<int64_t>(array->shape(i)))
    if (array->shape(i) != 1 && array->stride(i) != step)
      throw value_error("the tensor's elements do not lie side by side").remedy("give tensor.contiguous()");
  void* data = array->data();
  std::shared_ptr<const void> owner(data, [array](const void*) mutable {
    if (!Py_IsInitialized()) return;
    Locked lock;
    array.reset();
  });
  return Tensor::borrow(from_dlpack_type(array->dtype()), std::move(shape), data, std::move(owner));
}

Tensor from_dense(nb::handle array, bool read_only, bool borrow) {
  if (!is_array(array)) throw type_error("data must be of type numpy.ndarray and not " + class_name(array));
  DType given = dtype_of_numpy(nb::borrow(array).attr("dtype"));
  if (given == DType::unknown || given == DType::int32)
    throw runtime_error("NumPy array of type int8, int16, float16, float32 or float64 expected, not " +
                        quoted(nb::object(nb::borrow(array).attr("dtype"))));
  Tensor t = tensor_of_array(array, DType::unknown);
  if (!borrow) t = t.clone();
  return read_only ? t.read_only() : t;
}

Tensor from_csr(nb::handle matrix, bool read_only, bool borrow, nb::object shape) {
  if (!is_sparse_matrix(matrix))
    throw type_error("only CSR is supported as of now. Please convert your data using 'tocsr()'");
  Tensor t = tensor_of_csr(matrix, DType::unknown, as_shape(shape));
  if (!borrow) t = t.clone();
  return read_only ? t.read_only() : t;
}

template <class T>
Tensor drawn(const nb::object& shape, double low, double high, uint64_t seed) {
  Tensor t = Initializer(Initializer::Kind::uniform, (high - low) / 2, {.seed = seed})
                 .make(dtype_of<T>, as_shape(shape));
  for (T& x : t.span<T>()) x += static_cast<T>((low + high) / 2);
  return t;
}

}  // namespace

void bind_tensor(nb::module_& m) {
  nb::class_<Tensor>(m, "NDArrayView",
                     "A block of numbers, dense or with sparse rows. Copies of the object share the memory.")
      .def(
          "__init__",
          [](Tensor* self, nb::object shape, nb::object data_type, const std::optional<Device>& device) {
            check_place(device);
            new (self) Tensor(Tensor::zeros(as_dtype(data_type), as_shape(shape)));
          },
          nb::arg("shape"), nb::arg("data_type"), nb::arg("device") = nb::none())
      .def_static(
          "from_dense",
          [](nb::object a, const std::optional<Device>& device, bool read_only, bool borrow) {
            check_place(device);
            return wrap(from_dense(a, read_only, borrow));
          },
          nb::arg("np_array"), nb::arg("device") = nb::none(), nb::arg("read_only") = false,
          nb::arg("borrow") = false, "From an array; with borrow=True its memory, without a copy.")
      .def_static(
          "from_csr",
          [](nb::object a, const std::optional<Device>& device, bool read_only, bool borrow,
             nb::object shape) {
            check_place(device);
            return wrap(from_csr(a, read_only, borrow, shape));
          },
          nb::arg("csr_array"), nb::arg("device") = nb::none(), nb::arg("read_only") = false,
          nb::arg("borrow") = false, nb::arg("shape") = nb::none(),
          "From a SciPy CSR matrix; with borrow=True its memory, without a copy.")
      .def_static(
          "from_data",
          [](nb::object d, const std::optional<Device>& device, bool read_only, bool borrow) {
            check_place(device);
            if (is_sparse_matrix(d)) return wrap(from_csr(d, read_only, borrow, nb::none()));
            if (is_array(d)) return wrap(from_dense(d, read_only, borrow));
            throw type_error(
                "data type \"" + class_name(d) +
                "\" is not supported. Please provide the data as a NumPy array or a SciPy CSR matrix.");
          },
          nb::arg("data"), nb::arg("device") = nb::none(), nb::arg("read_only") = false,
          nb::arg("borrow") = false)
      .def_static(
          "from_dlpack", [](nb::handle source) { return wrap(from_dlpack(source)); }, nb::arg("source"),
          "The memory of a PyTorch tensor, or of anything with __dlpack__.")
      .def_static(
          "random_uniform_float",
          [](nb::object s, double low, double high, std::optional<uint64_t> seed,
             const std::optional<Device>& device) {
            check_place(device);
            return wrap(drawn<float>(s, low, high, seed.value_or(kAutoSeed)));
          },
          nb::arg("shape"), nb::arg("range_start"), nb::arg("range_end"), nb::arg("seed") = nb::none(),
          nb::arg("device") = nb::none())
      .def_static(
          "random_uniform_double",
          [](nb::object s, double low, double high, std::optional<uint64_t> seed,
             const std::optional<Device>& device) {
            check_place(device);
            return wrap(drawn<double>(s, low, high, seed.value_or(kAutoSeed)));
          },
          nb::arg("shape"), nb::arg("range_start"), nb::arg("range_end"), nb::arg("seed") = nb::none(),
          nb::arg("device") = nb::none())
      .def_prop_ro("shape", [](const Tensor& t) { return dims(t.shape()); })
      .def_prop_ro("dtype", [](const Tensor& t) { return wrap(t.dtype()); })
      .def_prop_ro("device", &Tensor::device)
      .def_prop_ro("is_sparse", &Tensor::is_sparse)
      .def_prop_ro("is_read_only", &Tensor::is_read_only)
      .def("get_data_type", [](const Tensor& t) { return static_cast<int>(t.dtype()); })
      .def("get_storage_format", [](const Tensor& t) { return t.is_sparse() ? 1 : 0; })
      .def(
          "slice_view",
          [](const Tensor& t, nb::object start, nb::object extent, bool read_only) {
            Tensor s = t.slice_view(as_shape(start), as_shape(extent));
            return wrap(read_only ? s.read_only() : s);
          },
          nb::arg("start_offset"), nb::arg("extent"), nb::arg("read_only") = true,
          "A contiguous part; shares the memory.")
      .def("is_slice_view", &Tensor::is_slice)
      .def(
          "as_shape", [](const Tensor& t, nb::object shape) { return wrap(t.reshape(as_shape(shape))); },
          nb::arg("new_shape"), "The same memory under another shape.")
      .def(
          "alias", [](const Tensor& t, bool read_only) { return wrap(read_only ? t.read_only() : t); },
          nb::arg("read_only") = false)
      .def("deep_clone",
           [](const Tensor& t, nb::args args, nb::kwargs kwargs) {
             bool read_only = false;  // (device, read_only), (read_only) or ()
             for (nb::handle given : args)
               if (nb::isinstance<Device>(given))
                 check_place(nb::cast<Device>(given));
               else if (!given.is_none())
                 read_only = flag_in(given, "read_only");
             for (auto [key, given] : kwargs) {
               const std::string name = nb::cast<std::string>(key);
               if (name == "read_only")
                 read_only = flag_in(given, "read_only");
               else if (name == "device" && nb::isinstance<Device>(given))
                 check_place(nb::cast<Device>(given));
               else if (name != "device" || !given.is_none())
                 throw type_error("deep_clone takes a device and read_only, not " + name + "=" +
                                  quoted(given));
             }
             Tensor c = t.clone();
             return wrap(read_only ? c.read_only() : c);
           })
      .def(
          "copy_from", [](const Tensor& t, const Tensor& source) { t.copy_from(source); }, nb::arg("source"))
      .def(
          "change_device", [](const Tensor&, const Device& d) { check_place(d); }, nb::arg("device"))
      .def(
          "set_value",
          [](const Tensor& t, nb::handle value) {
            if (PyNumber_Check(value.ptr()) && !is_array(value))
              t.fill(number_in(value, "a value"));
            else if (const Tensor* other = tensor_in(value))
              t.copy_from(*other);
            else
              t.copy_from(tensor_of_array(array_of(value), DType::unknown));
          },
          nb::arg("value"))
      .def("asarray", &tensor_as_array,
           "A copy as a NumPy array, or as a CSR matrix. numpy.asarray(view) is the memory itself.")
      .def("to_ndarray", &tensor_as_array)
      .def("as_string", &Tensor::text)
      .def("__repr__", &Tensor::text)
      .def(
          "__array__",
          [](const Tensor& t, nb::object dtype, std::optional<bool> copy) {
            nb::object a = array_of_tensor(t.is_sparse() ? t.to_dense() : t);
            if (!dtype.is_none())
              a = a.attr("astype")(dtype, nb::arg("copy") = copy.value_or(false));
            else if (copy.value_or(false))
              a = a.attr("copy")();
            return a;
          },
          nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none(), "The memory itself, without a copy.")
      .def("__dlpack__", [](const Tensor& t, nb::kwargs) { return nb::cast(as_dlpack(t)); })
      .def("__dlpack_device__", [](const Tensor&) { return nb::make_tuple(1, 0); });
}

}  // namespace cantik::python
