#include "binding/numpy.h"

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define NPY_TARGET_VERSION NPY_1_22_API_VERSION
#include <numpy/arrayobject.h>

namespace cantik::python {
namespace {

int typenum(DType t) {
  switch (t) {
    case DType::float32: return NPY_FLOAT32;
    case DType::float64: return NPY_FLOAT64;
    case DType::float16: return NPY_FLOAT16;
    case DType::int8: return NPY_INT8;
    case DType::int16: return NPY_INT16;
    case DType::int32: return NPY_INT32;
    case DType::unknown: break;
  }
  return NPY_FLOAT32;
}

DType dtype_of_typenum(int n) {
  switch (n) {
    case NPY_FLOAT32: return DType::float32;
    case NPY_FLOAT64: return DType::float64;
    case NPY_FLOAT16: return DType::float16;
    case NPY_INT8: return DType::int8;
    case NPY_INT16: return DType::int16;
    case NPY_INT32: return DType::int32;
    default: return DType::unknown;
  }
}

// What keeps an array's memory: a capsule with the tensor's owner in it.
void release(PyObject* capsule) {
  delete static_cast<std::shared_ptr<const void>*>(PyCapsule_GetPointer(capsule, nullptr));
}

PyArrayObject* array_in(nb::handle h) { return reinterpret_cast<PyArrayObject*>(h.ptr()); }

void check_numbers(PyArrayObject* a) {
  if (PyTypeNum_ISCOMPLEX(PyArray_TYPE(a)))
    throw type_error(
        "the numbers are complex; only integer, bool, float32, float64 and float16 are supported")
        .remedy("give .real, .imag or abs() of the array");
  if (PyTypeNum_ISNUMBER(PyArray_TYPE(a)) || PyTypeNum_ISBOOL(PyArray_TYPE(a))) return;
  if (PyArray_TYPE(a) == NPY_OBJECT)
    throw type_error(
        "dtype object is not supported. If this is a batch of sequences, you need to pass them as a "
        "pure-Python list of NumPy arrays")
        .remedy("give list(array)");
  nb::object dtype = nb::borrow(reinterpret_cast<PyObject*>(PyArray_DESCR(a)));
  throw type_error("the elements of the array are " + std::string(nb::str(dtype).c_str()) +
                   ", which are not numbers")
      .remedy("give an array of numbers");
}

}  // namespace

void import_numpy() {
  if (_import_array() < 0) throw nb::python_error();
}

bool is_array(nb::handle h) { return PyArray_Check(h.ptr()); }
bool is_array_like(nb::handle h) {
  if (is_array(h) || PyList_Check(h.ptr()) || PyTuple_Check(h.ptr())) return true;
  if (PyType_Check(h.ptr()) || PyArray_CheckScalar(h.ptr())) return false;
  return nb::hasattr(h, "__array__") || nb::hasattr(h, "__array_interface__") || nb::hasattr(h, "__dlpack__");
}
int rank_of_array(nb::handle h) { return PyArray_NDIM(array_in(h)); }

std::shared_ptr<const void> hold(nb::object o) {
  return {o.release().ptr(), [](const void* p) {
            if (!Py_IsInitialized()) return;
            Locked lock;
            Py_DECREF(static_cast<PyObject*>(const_cast<void*>(p)));
          }};
}

Tensor tensor_of_array(nb::handle array, DType wanted, bool own, nb::object* keep) {
  PyArrayObject* a = array_in(array);
  DType given = dtype_of_typenum(PyArray_TYPE(a));
  if (wanted == DType::unknown)
    wanted = given == DType::unknown || given == DType::int32 ? DType::float32 : given;
  nb::object held;
  constexpr int kNeeded = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED;
  if (given == wanted && PyArray_CHKFLAGS(a, kNeeded) && PyArray_ISNOTSWAPPED(a)) {
    held = nb::borrow(array);
  } else {
    check_numbers(a);
    held = nb::steal(PyArray_FromArray(a, PyArray_DescrFromType(typenum(wanted)),
                                       kNeeded | NPY_ARRAY_NOTSWAPPED | NPY_ARRAY_FORCECAST));
    if (!held.is_valid()) throw nb::python_error();
    a = array_in(held);
  }
  Shape shape = shape_of_array(nb::handle(reinterpret_cast<PyObject*>(a)));
  void* data = PyArray_DATA(a);
  bool read_only = !PyArray_CHKFLAGS(a, NPY_ARRAY_WRITEABLE);
  if (!own) {
    if (keep) *keep = std::move(held);
    return Tensor::borrow(wanted, std::move(shape), data, nullptr, read_only);
  }
  return Tensor::borrow(wanted, std::move(shape), data, hold(std::move(held)), read_only);
}

Shape shape_of_array(nb::handle array) {
  PyArrayObject* a = array_in(array);
  static_assert(sizeof(npy_intp) == sizeof(int64_t));
  const auto* dims = reinterpret_cast<const int64_t*>(PyArray_DIMS(a));
  return Shape(dims, static_cast<size_t>(PyArray_NDIM(a)));
}

std::vector<int64_t> integers_of_array(nb::handle array) {
  nb::object held =
      nb::steal(PyArray_FROMANY(array.ptr(), NPY_INT64, 0, 0, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST));
  if (!held.is_valid()) throw nb::python_error();
  PyArrayObject* a = array_in(held);
  const int64_t* begin = static_cast<const int64_t*>(PyArray_DATA(a));
  return {begin, begin + PyArray_SIZE(a)};
}

void copy_array(nb::handle array, const Tensor& target) {
  PyArrayObject* a = array_in(array);
  check_numbers(a);
  // NumPy converts and gathers while it copies: into an array of the given one's shape over the tensor's
  // memory.
  PyObject* view =
      PyArray_NewFromDescr(&PyArray_Type, PyArray_DescrFromType(typenum(target.dtype())), PyArray_NDIM(a),
                           PyArray_DIMS(a), nullptr, target.raw(), NPY_ARRAY_CARRAY, nullptr);
  if (!view) throw nb::python_error();
  nb::object held = nb::steal(view);
  if (PyArray_CopyInto(reinterpret_cast<PyArrayObject*>(view), a) < 0) throw nb::python_error();
}

nb::object array_of(nb::handle data) {
  if (is_array(data)) return nb::borrow(data);
  if (nb::hasattr(data, "__dlpack__") && !nb::hasattr(data, "__array__"))
    return nb::module_::import_("numpy").attr("from_dlpack")(data);
  nb::object a = nb::steal(PyArray_FROM_O(data.ptr()));
  if (!a.is_valid()) throw nb::python_error();
  return a;
}

nb::object array_of_tensor(const Tensor& t, bool writable) {
  const Shape& s = t.shape();
  const auto* dims = reinterpret_cast<const npy_intp*>(s.data());  // NumPy refuses more axes than it has
  int flags =
      NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED | (writable && !t.is_read_only() ? NPY_ARRAY_WRITEABLE : 0);
  PyObject* a = PyArray_NewFromDescr(&PyArray_Type, PyArray_DescrFromType(typenum(t.dtype())), s.rank(), dims,
                                     nullptr, t.raw(), flags, nullptr);
  if (!a) throw nb::python_error();
  PyObject* base = PyCapsule_New(new std::shared_ptr<const void>(t.owner()), nullptr, release);
  PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(a), base);
  return nb::steal(a);
}

nb::object new_array(DType t, std::span<const int64_t> dims, void** data) {
  static_assert(sizeof(npy_intp) == sizeof(int64_t));
  PyObject* a = PyArray_SimpleNew(static_cast<int>(dims.size()),
                                  reinterpret_cast<const npy_intp*>(dims.data()), typenum(t));
  if (!a) throw nb::python_error();
  *data = PyArray_DATA(reinterpret_cast<PyArrayObject*>(a));
  return nb::steal(a);
}

void make_read_only(nb::handle array) { PyArray_CLEARFLAGS(array_in(array), NPY_ARRAY_WRITEABLE); }

nb::object array_over(DType t, std::span<const int64_t> dims, void* data, bool writable, nb::handle base) {
  const int flags = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED | (writable ? NPY_ARRAY_WRITEABLE : 0);
  PyObject* a = PyArray_New(&PyArray_Type, static_cast<int>(dims.size()),
                            reinterpret_cast<const npy_intp*>(dims.data()), typenum(t), nullptr, data, 0,
                            flags, nullptr);
  if (!a) throw nb::python_error();
  Py_INCREF(base.ptr());
  PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(a), base.ptr());
  return nb::steal(a);
}

const void* plain_data(nb::handle h, DType t, std::span<const int64_t> dims) {
  if (!PyArray_Check(h.ptr())) return nullptr;
  PyArrayObject* a = array_in(h);
  constexpr int kNeeded = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED;
  if (PyArray_TYPE(a) != typenum(t) || PyArray_NDIM(a) != static_cast<int>(dims.size()) ||
      !PyArray_CHKFLAGS(a, kNeeded) || !PyArray_ISNOTSWAPPED(a))
    return nullptr;
  for (size_t i = 0; i < dims.size(); ++i)
    if (PyArray_DIM(a, static_cast<int>(i)) != dims[i]) return nullptr;
  return PyArray_DATA(a);
}

nb::object scalar_of(double x, DType t) {
  PyArray_Descr* d = PyArray_DescrFromType(typenum(t));
  char cell[8];
  copy_numbers(DType::float64, &x, t, cell, 1);
  nb::object o = nb::steal(PyArray_Scalar(cell, d, nullptr));
  Py_DECREF(d);
  return o;
}

DType dtype_of_numpy(nb::handle h) {
  PyArray_Descr* d = nullptr;
  if (!PyArray_DescrConverter(h.ptr(), &d) || !d) {
    PyErr_Clear();
    return DType::unknown;
  }
  DType t = dtype_of_typenum(d->type_num);
  Py_DECREF(d);
  return t;
}

nb::handle numpy_type(DType t) { return reinterpret_cast<PyObject*>(PyArray_TypeObjectFromType(typenum(t))); }

}  // namespace cantik::python
