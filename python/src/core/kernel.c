/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of the user's, from shared objects that `isowarp compile` makes. */
#include "core.h"
#include <isowarp/descriptor.h>

#include <dlfcn.h>

typedef struct kernel_object {
  PyObject_HEAD const iw_kernel *kernel;
} kernel_object;

/* Objects are never unloaded: the library may keep what it knows of a kernel. */
static PyType_Slot kernel_slots[] = { { 0, NULL } };
PyType_Spec kernel_spec = { "isowarp._core.Kernel", sizeof(kernel_object), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, kernel_slots };

/* Makes the library's symbols visible to kernels, which call it on the simulated GPU. Python has loaded it
 * for this extension only. */
static int share_library(void)
{
  Dl_info info;
  if (dladdr((void *)(uintptr_t)iw_version, &info) == 0 ||
      dlopen(info.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD) == NULL) {
    PyErr_Format(error_class, "the library cannot be found again: %s", dlerror());
    return 0;
  }
  return 1;
}

/* load(path, name) -> (Kernel, threads of a block or 0, bytes of its arguments) */
static PyObject *py_load(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 2);
  PyObject *const path = take(&c), *const name = take(&c);
  const char *const path_text = c.failed ? NULL : PyUnicode_AsUTF8AndSize(path, NULL);
  const char *const name_text = path_text ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
  if (name_text == NULL || !share_library())
    return NULL;
  void *const object = dlopen(path_text, RTLD_NOW | RTLD_LOCAL);
  const iw_kernel *const kernel = object ? dlsym(object, name_text) : NULL;
  if (kernel == NULL) {
    PyErr_Format(error_class, "kernel %s: %s", name_text, dlerror());
    return NULL;
  }
  kernel_object *const made = PyObject_New(kernel_object, kernel_type);
  if (made == NULL)
    return NULL;
  made->kernel = kernel;
  PyObject *const result = Py_BuildValue("OIn", made, kernel->block, (Py_ssize_t)kernel->args);
  Py_DECREF(made);
  return result;
}

/* launch(Context, Kernel, grid, block, args, arrays): arrays are the tuple of buffers and Memories that args
 * points to. The launch has ended when it returns. */
static PyObject *py_launch(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 6);
  locked_context *const in = c.failed ? NULL : context_argument(take(&c));
  PyObject *const object = in ? take(&c) : Py_None;
  if (in != NULL && !PyObject_TypeCheck(object, kernel_type)) {
    PyErr_SetString(PyExc_TypeError, "a kernel is needed");
    return NULL;
  }
  const size_t grid = take_size(&c);
  const int block = take_int(&c);
  PyObject *const bytes = take(&c), *const arrays = take(&c);
  const void *const values = in_of(&c, bytes, 0);
  const size_t size = c.failed || in == NULL ? 0 : (size_t)c.buffers[0].len;
  const Py_ssize_t array_count = c.failed || in == NULL ? 0 : PyTuple_Size(arrays);
  for (Py_ssize_t i = 0; i < array_count; i++)
    in_of(&c, member_of(&c, arrays, i), 0);
  const iw_kernel *const kernel = c.failed || in == NULL ? NULL : ((kernel_object *)object)->kernel;
  iw_context *const context = call_begin_in(&c, in);
  if (context == NULL)
    return NULL;
  iw_status status = iw_launch(context, kernel, grid, (unsigned)block, values, size);
  if (status == IW_OK)
    status = iw_context_synchronize(context);
  return call_none(&c, status);
}

PyMethodDef kernel_functions[] = { FAST(load), FAST(launch), { NULL, NULL, 0, NULL } };
