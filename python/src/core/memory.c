/* SPDX-License-Identifier: Apache-2.0
 *
 * The type Memory: memory that is no Python buffer. DLPack in and out; the struct is that of DLPack 0.x,
 * which every version's unversioned capsules have (https://dmlc.github.io/dlpack). */
#include "core.h"

#include <stdlib.h>
#include <structmember.h>

typedef struct dl_tensor {
  void *data;
  struct {
    int32_t type, id;
  } device;
  int32_t ndim;
  struct {
    uint8_t code, bits;
    uint16_t lanes;
  } dtype;
  int64_t *shape, *strides; /* strides in elements, or NULL: C order */
  uint64_t byte_offset;
} dl_tensor;

typedef struct dl_managed_tensor {
  dl_tensor tensor;
  void *manager;
  void (*deleter)(struct dl_managed_tensor *);
} dl_managed_tensor;

/* DLDeviceType */
enum { DL_CPU = 1, DL_CUDA = 2, DL_CUDA_HOST = 3, DL_CUDA_MANAGED = 13 };
static const char unused_name[] = "dltensor", used_name[] = "used_dltensor";
enum { MOST_DIMENSIONS = 64 };

int is_memory(PyObject *object)
{
  return PyObject_TypeCheck(object, memory_type);
}

PyObject *memory_new(void *pointer, size_t bytes, locked_context *home, PyObject *owner, int device,
                     uintptr_t stream)
{
  memory *const m = PyObject_New(memory, memory_type);
  if (m == NULL)
    return NULL;
  m->pointer = pointer;
  m->bytes = bytes;
  m->home = home;
  if (home != NULL)
    context_keep(home);
  Py_XINCREF(owner);
  m->owner = owner;
  m->device = device;
  m->stream = stream;
  return (PyObject *)m;
}

static void memory_dealloc(PyObject *self)
{
  memory *const m = (memory *)self;
  PyTypeObject *const type = Py_TYPE(self);
  if (m->home != NULL) {
    Py_BEGIN_ALLOW_THREADS
    pthread_mutex_lock(&m->home->lock);
    (void)iw_memory_free(m->home->iw, m->pointer); /* waits for kernels that may use it */
    pthread_mutex_unlock(&m->home->lock);
    context_release(m->home);
    Py_END_ALLOW_THREADS
  }
  Py_XDECREF(m->owner);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyObject *get_pointer(PyObject *self, void *unused)
{
  (void)unused;
  return PyLong_FromVoidPtr(((memory *)self)->pointer);
}

static PyObject *get_bytes(PyObject *self, void *unused)
{
  (void)unused;
  return PyLong_FromSize_t(((memory *)self)->bytes);
}

static PyObject *get_device(PyObject *self, void *unused)
{
  (void)unused;
  return PyLong_FromLong(((memory *)self)->device);
}

static PyObject *get_stream(PyObject *self, void *unused)
{
  (void)unused;
  return PyLong_FromSize_t(((memory *)self)->stream);
}

static PyGetSetDef memory_getset[] = { { "pointer", get_pointer, NULL, NULL, NULL },
                                       { "bytes", get_bytes, NULL, NULL, NULL },
                                       { "device", get_device, NULL, NULL, NULL },
                                       { "stream", get_stream, NULL, NULL, NULL },
                                       { NULL, NULL, NULL, NULL, NULL } };
static PyType_Slot memory_slots[] = { { Py_tp_dealloc, memory_dealloc },
                                      { Py_tp_getset, memory_getset },
                                      { 0, NULL } };
PyType_Spec memory_spec = { "isowarp._core.Memory", sizeof(memory), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, memory_slots };

/* ---- Functions ---- */

/* wrap(pointer, bytes, device, stream, owner): memory of another library, which lives as long as the owner.
 */
static PyObject *py_wrap(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 5);
  const size_t pointer = take_size(&c), bytes = take_size(&c);
  const int device = take_int(&c);
  const size_t stream = take_size(&c);
  PyObject *const owner = take(&c);
  return c.failed ? NULL : memory_new((void *)pointer, bytes, NULL, owner, device, stream);
}

/* allocate(Context or None or Memory, bytes): memory where the context's kernels run, or where that Memory
 * is. */
static PyObject *py_allocate(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 2);
  PyObject *const where = take(&c);
  const size_t bytes = take_size(&c);
  const memory *const like = !c.failed && is_memory(where) ? (memory *)where : NULL;
  locked_context *const in = c.failed ? NULL
      : like == NULL                  ? context_argument(where)
      : like->device == ON_HOST       ? thread_context(-1)
      : like->home                    ? like->home
                                      : thread_context(like->device);
  void *pointer = NULL;
  iw_context *const context = call_begin_in(&c, in);
  if (context == NULL || !call_end(&c, iw_memory_allocate(context, bytes, &pointer)))
    return NULL;
  const int device = in->backend == IW_BACKEND_SIM ? ON_SIMULATED
      : in->backend == IW_BACKEND_CUDA             ? in->device
                                                   : ON_HOST;
  PyObject *const made =
      memory_new(pointer, bytes, in, NULL, device, device >= 0 && like ? like->stream : 0);
  if (made == NULL)
    (void)iw_memory_free(in->iw, pointer);
  return made;
}

/* copy(to, from, bytes): either one is a Memory or a buffer. Waits. */
static PyObject *py_copy(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 3);
  PyObject *const first = take(&c), *const second = take(&c);
  const size_t bytes = take_size(&c);
  void *const to = out_of(&c, first, bytes);
  const void *const from = in_of(&c, second, bytes);
  iw_context *const context = call_begin(&c);
  return context ? call_none(&c, bytes ? iw_memory_copy(context, to, from, bytes) : IW_OK) : NULL;
}

/* The capsule that keeps an imported tensor; its deleter runs when the Memory that it owns goes. */
static void end_import(PyObject *capsule)
{
  dl_managed_tensor *const m = PyCapsule_GetPointer(capsule, used_name);
  if (m != NULL && m->deleter != NULL)
    m->deleter(m);
}

/* dlpack_import(capsule, stream) -> (Memory, shape, strides in elements or None, code, bits, lanes) */
static PyObject *py_dlpack_import(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 2);
  PyObject *const capsule = take(&c);
  const size_t stream = take_size(&c);
  if (c.failed)
    return NULL;
  dl_managed_tensor *const m = PyCapsule_GetPointer(capsule, unused_name);
  if (m == NULL)
    return NULL;
  const dl_tensor *const t = &m->tensor;
  const int on_host = t->device.type == DL_CPU || t->device.type == DL_CUDA_HOST;
  if ((!on_host && t->device.type != DL_CUDA && t->device.type != DL_CUDA_MANAGED) || t->ndim < 0 ||
      t->ndim > MOST_DIMENSIONS) {
    PyErr_Format(PyExc_BufferError, "an array on a device of DLPack's type %d, with %d dimensions",
                 (int)t->device.type, (int)t->ndim);
    return NULL;
  }
  PyObject *const owner = PyCapsule_New(m, used_name, end_import);
  if (owner == NULL || PyCapsule_SetName(capsule, used_name) != 0 ||
      PyCapsule_SetDestructor(capsule, NULL) != 0) {
    Py_XDECREF(owner);
    return NULL;
  }
  PyObject *shape = PyTuple_New(t->ndim), *strides = t->strides ? PyTuple_New(t->ndim) : Py_NewRef(Py_None);
  size_t bytes = ((size_t)t->dtype.bits * t->dtype.lanes + 7) / 8;
  int good = shape != NULL && strides != NULL;
  for (int32_t i = 0; i < t->ndim && good; i++) {
    bytes *= (size_t)t->shape[i];
    good = PyTuple_SetItem(shape, i, PyLong_FromLongLong(t->shape[i])) == 0 &&
        (t->strides == NULL || PyTuple_SetItem(strides, i, PyLong_FromLongLong(t->strides[i])) == 0);
  }
  PyObject *const made = good ? memory_new((char *)t->data + t->byte_offset, bytes, NULL, owner,
                                           on_host ? ON_HOST : (int)t->device.id, on_host ? 0 : stream)
                              : NULL;
  PyObject *const result = made
      ? Py_BuildValue("OOOiii", made, shape, strides, t->dtype.code, t->dtype.bits, t->dtype.lanes)
      : NULL;
  Py_XDECREF(made);
  Py_XDECREF(shape);
  Py_XDECREF(strides);
  Py_DECREF(owner);
  return result;
}

static void delete_export(dl_managed_tensor *m)
{
  const PyGILState_STATE state = PyGILState_Ensure();
  Py_XDECREF((PyObject *)m->manager);
  PyGILState_Release(state);
  free(m);
}

/* Of a capsule that nobody has imported. */
static void end_export(PyObject *capsule)
{
  if (PyCapsule_IsValid(capsule, unused_name))
    delete_export(PyCapsule_GetPointer(capsule, unused_name));
}

/* dlpack_export(Memory, shape, code, bits): a capsule of an array in C order. */
static PyObject *py_dlpack_export(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 4);
  PyObject *const object = take(&c), *const shape = take(&c);
  const int code = take_int(&c), bits = take_int(&c);
  const Py_ssize_t ndim = c.failed ? -1 : PyTuple_Size(shape);
  if (ndim < 0 || !is_memory(object))
    return NULL;
  memory *const m = (memory *)object;
  dl_managed_tensor *const made = calloc(1, sizeof *made + (size_t)ndim * sizeof(int64_t));
  if (made == NULL)
    return PyErr_NoMemory();
  dl_tensor *const t = &made->tensor;
  t->data = m->pointer;
  t->device.type = m->device >= 0 ? DL_CUDA : DL_CPU;
  t->device.id = m->device >= 0 ? m->device : 0;
  t->ndim = (int32_t)ndim;
  t->dtype.code = (uint8_t)code;
  t->dtype.bits = (uint8_t)bits;
  t->dtype.lanes = 1;
  t->shape = (int64_t *)(made + 1);
  for (Py_ssize_t i = 0; i < ndim; i++)
    t->shape[i] = (int64_t)size_of(&c, member_of(&c, shape, i));
  made->manager = Py_NewRef(object);
  made->deleter = delete_export;
  PyObject *const capsule = c.failed ? NULL : PyCapsule_New(made, unused_name, end_export);
  if (capsule == NULL)
    delete_export(made);
  return capsule;
}

PyMethodDef memory_functions[] = { FAST(wrap),          FAST(allocate),      FAST(copy),
                                   FAST(dlpack_import), FAST(dlpack_export), { NULL, NULL, 0, NULL } };
