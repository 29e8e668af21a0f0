// NumPy arrays and tensors: the same memory, both ways. The only file that uses NumPy's C interface is
// numpy.cc.
#pragma once

#include <span>

#include "binding/common.h"

namespace cantik::python {

void import_numpy();
bool is_array(nb::handle h);
// Whether NumPy makes an array of it: a list, an array, or a tensor of another program by __array__,
// __array_interface__ or __dlpack__.
bool is_array_like(nb::handle h);

// The array's memory as a tensor, without a copy where its element type is (or may stay) what is wanted and
// its elements lie side by side. `wanted` unknown: float32 for whatever has no element type of ours. With
// `own` the tensor keeps the array alive; without, the caller does: `keep` gets the array that has the
// memory.
Tensor tensor_of_array(nb::handle array, DType wanted, bool own = true, nb::object* keep = nullptr);
// The array that numpy.asarray makes of lists, numbers, anything.
nb::object array_of(nb::handle data);
int rank_of_array(nb::handle array);
Shape shape_of_array(nb::handle array);
// of an array of whole numbers, one after the other
std::vector<int64_t> integers_of_array(nb::handle array);
// The array's numbers into the tensor's memory, of whatever element type and order they are; as many as the
// tensor has.
void copy_array(nb::handle array, const Tensor& target);

// An array over the tensor's memory, which it keeps alive.
nb::object array_of_tensor(const Tensor& t, bool writable = true);
// A new array with memory of its own, not initialised; and one over memory that `base` keeps alive.
nb::object new_array(DType t, std::span<const int64_t> dims, void** data);
void make_read_only(nb::handle array);
nb::object array_over(DType t, std::span<const int64_t> dims, void* data, bool writable, nb::handle base);
// The memory of an array of this element type and shape whose elements lie side by side; null for everything
// else.
const void* plain_data(nb::handle array, DType t, std::span<const int64_t> dims);
nb::object scalar_of(double x, DType t);

DType dtype_of_numpy(nb::handle h);  // of a dtype, a type or a name; unknown if it is not one of ours
nb::handle numpy_type(DType t);      // numpy.float32, borrowed

// An owner of memory that holds a Python object; lets go of it under the lock.
std::shared_ptr<const void> hold(nb::object o);

}  // namespace cantik::python
