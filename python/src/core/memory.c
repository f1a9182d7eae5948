/* SPDX-License-Identifier: Apache-2.0
 *
 * The type Memory: memory of a device or of another library; that on the host is a Python buffer, too.
 * DLPack in and out, with the capsules of DLPack 0.x ("dltensor") and of 1.x ("dltensor_versioned",
 * https://dmlc.github.io/dlpack), of which only the latter tell that an array is read-only. */
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

/* Of a capsule "dltensor". */
typedef struct dl_managed_tensor {
  dl_tensor tensor;
  void *manager;
  void (*deleter)(struct dl_managed_tensor *);
} dl_managed_tensor;

/* Of a capsule "dltensor_versioned". */
typedef struct dl_versioned_tensor {
  uint32_t major, minor;
  void *manager;
  void (*deleter)(struct dl_versioned_tensor *);
  uint64_t flags;
  dl_tensor tensor;
} dl_versioned_tensor;

/* DLDeviceType */
enum { DL_CPU = 1, DL_CUDA = 2, DL_CUDA_HOST = 3, DL_CUDA_MANAGED = 13 };
static const char unused_name[] = "dltensor", used_name[] = "used_dltensor";
static const char unused_versioned[] = "dltensor_versioned", used_versioned[] = "used_dltensor_versioned";
enum { MOST_DIMENSIONS = 64, DL_MAJOR = 1, DL_MINOR = 0, DL_READ_ONLY = 1 };

int is_memory(PyObject *object)
{
  return PyObject_TypeCheck(object, memory_type);
}

PyObject *memory_new(void *pointer, size_t bytes, locked_context *home, PyObject *owner, int device,
                     uintptr_t stream, int read_only)
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
  m->read_only = read_only;
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

static PyObject *get_read_only(PyObject *self, void *unused)
{
  (void)unused;
  return PyBool_FromLong(((memory *)self)->read_only);
}

/* Of memory on the host, so that NumPy makes an array of it without a copy. */
static int memory_getbuffer(PyObject *self, Py_buffer *view, int flags)
{
  const memory *const m = (memory *)self;
  static char nothing;
  if (m->device != ON_HOST) {
    PyErr_SetString(PyExc_BufferError, "the memory is not on the host");
    view->obj = NULL;
    return -1;
  }
  void *const data = m->pointer ? m->pointer : &nothing;
  return PyBuffer_FillInfo(view, self, data, (Py_ssize_t)m->bytes, m->read_only, flags);
}

static PyGetSetDef memory_getset[] = { { "pointer", get_pointer, NULL, NULL, NULL },
                                       { "bytes", get_bytes, NULL, NULL, NULL },
                                       { "device", get_device, NULL, NULL, NULL },
                                       { "stream", get_stream, NULL, NULL, NULL },
                                       { "read_only", get_read_only, NULL, NULL, NULL },
                                       { NULL, NULL, NULL, NULL, NULL } };
static PyType_Slot memory_slots[] = { { Py_tp_dealloc, memory_dealloc },
                                      { Py_tp_getset, memory_getset },
                                      { Py_bf_getbuffer, memory_getbuffer },
                                      { 0, NULL } };
PyType_Spec memory_spec = { "isowarp._core.Memory", sizeof(memory), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, memory_slots };

/* ---- Functions ---- */

/* wrap(pointer, bytes, device, stream, owner, read_only): memory of another library, which lives as long as
 * the owner. */
static PyObject *py_wrap(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 6);
  const size_t pointer = take_size(&c), bytes = take_size(&c);
  const int device = take_int(&c);
  const size_t stream = take_size(&c);
  PyObject *const owner = take(&c);
  const int read_only = take_int(&c);
  return c.failed ? NULL : memory_new((void *)pointer, bytes, NULL, owner, device, stream, read_only);
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
      memory_new(pointer, bytes, in, NULL, device, device >= 0 && like ? like->stream : 0, 0);
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

static void end_versioned_import(PyObject *capsule)
{
  dl_versioned_tensor *const m = PyCapsule_GetPointer(capsule, used_versioned);
  if (m != NULL && m->deleter != NULL)
    m->deleter(m);
}

/* Takes a capsule, which is used then; returns a new one that keeps the tensor, or NULL with an exception. */
static PyObject *take_capsule(PyObject *capsule, void *managed, const char *used, PyCapsule_Destructor end)
{
  PyObject *const owner = PyCapsule_New(managed, used, end);
  if (owner == NULL || PyCapsule_SetName(capsule, used) != 0 || PyCapsule_SetDestructor(capsule, NULL) != 0) {
    if (owner != NULL)
      PyCapsule_SetDestructor(owner, NULL);
    Py_XDECREF(owner);
    return NULL;
  }
  return owner;
}

/* The Memory of a tensor with its shape and type, as dlpack_import() returns them. */
static PyObject *imported(const dl_tensor *t, PyObject *owner, size_t stream, int read_only)
{
  const int on_host = t->device.type == DL_CPU || t->device.type == DL_CUDA_HOST;
  PyObject *shape = PyTuple_New(t->ndim), *strides = t->strides ? PyTuple_New(t->ndim) : Py_NewRef(Py_None);
  size_t bytes = ((size_t)t->dtype.bits * t->dtype.lanes + 7) / 8;
  int good = shape != NULL && strides != NULL;
  for (int32_t i = 0; i < t->ndim && good; i++) {
    bytes *= (size_t)t->shape[i];
    good = PyTuple_SetItem(shape, i, PyLong_FromLongLong(t->shape[i])) == 0 &&
        (t->strides == NULL || PyTuple_SetItem(strides, i, PyLong_FromLongLong(t->strides[i])) == 0);
  }
  PyObject *const made = good
      ? memory_new((char *)t->data + t->byte_offset, bytes, NULL, owner,
                   on_host ? ON_HOST : (int)t->device.id, on_host ? 0 : stream, read_only)
      : NULL;
  PyObject *const result = made
      ? Py_BuildValue("OOOiii", made, shape, strides, t->dtype.code, t->dtype.bits, t->dtype.lanes)
      : NULL;
  Py_XDECREF(made);
  Py_XDECREF(shape);
  Py_XDECREF(strides);
  return result;
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
  const int versioned = PyCapsule_IsValid(capsule, unused_versioned);
  void *const managed = PyCapsule_GetPointer(capsule, versioned ? unused_versioned : unused_name);
  if (managed == NULL)
    return NULL;
  const dl_versioned_tensor *const v = versioned ? managed : NULL;
  const dl_tensor *const t = versioned ? &v->tensor : &((const dl_managed_tensor *)managed)->tensor;
  if (versioned && v->major != DL_MAJOR) /* the rest of the struct may differ */
    return PyErr_Format(PyExc_BufferError, "the array comes by DLPack %u.%u; 0 and 1 are known",
                        (unsigned)v->major, (unsigned)v->minor);
  const int known = t->device.type == DL_CPU || t->device.type == DL_CUDA_HOST || t->device.type == DL_CUDA ||
      t->device.type == DL_CUDA_MANAGED;
  if (!known || t->ndim < 0 || t->ndim > MOST_DIMENSIONS)
    return PyErr_Format(PyExc_BufferError, "an array on a device of DLPack's type %d, with %d dimensions",
                        (int)t->device.type, (int)t->ndim);
  PyObject *const owner = take_capsule(capsule, managed, versioned ? used_versioned : used_name,
                                       versioned ? end_versioned_import : end_import);
  if (owner == NULL)
    return NULL;
  PyObject *const result = imported(t, owner, stream, versioned && (v->flags & DL_READ_ONLY) != 0);
  Py_DECREF(owner);
  return result;
}

static void end_manager(void *manager)
{
  const PyGILState_STATE state = PyGILState_Ensure();
  Py_XDECREF((PyObject *)manager);
  PyGILState_Release(state);
}

static void delete_export(dl_managed_tensor *m)
{
  end_manager(m->manager);
  free(m);
}

static void delete_versioned_export(dl_versioned_tensor *m)
{
  end_manager(m->manager);
  free(m);
}

/* Of a capsule that nobody has imported. */
static void end_export(PyObject *capsule)
{
  if (PyCapsule_IsValid(capsule, unused_name))
    delete_export(PyCapsule_GetPointer(capsule, unused_name));
  else if (PyCapsule_IsValid(capsule, unused_versioned))
    delete_versioned_export(PyCapsule_GetPointer(capsule, unused_versioned));
}

/* Fills in a tensor in C order. `shape` has room for its dimensions. */
static void export_tensor(call *c, dl_tensor *t, const memory *m, PyObject *dimensions, int code, int bits,
                          int64_t *shape)
{
  t->data = m->pointer;
  t->device.type = m->device >= 0 ? DL_CUDA : DL_CPU;
  t->device.id = m->device >= 0 ? m->device : 0;
  t->ndim = (int32_t)PyTuple_Size(dimensions);
  t->dtype.code = (uint8_t)code;
  t->dtype.bits = (uint8_t)bits;
  t->dtype.lanes = 1;
  t->shape = shape;
  t->strides = shape + t->ndim; /* 1.x: not NULL */
  int64_t stride = 1;
  for (int32_t i = t->ndim; i-- > 0;) {
    t->shape[i] = (int64_t)size_of(c, member_of(c, dimensions, i));
    t->strides[i] = stride;
    stride *= t->shape[i];
  }
}

/* dlpack_export(Memory, shape, code, bits, versioned): a capsule of an array in C order. */
static PyObject *py_dlpack_export(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 5);
  PyObject *const object = take(&c), *const dimensions = take(&c);
  const int code = take_int(&c), bits = take_int(&c), versioned = take_int(&c);
  const Py_ssize_t ndim = c.failed ? -1 : PyTuple_Size(dimensions);
  if (ndim < 0 || !is_memory(object))
    return NULL;
  const memory *const m = (memory *)object;
  const size_t shape_bytes = 2 * (size_t)ndim * sizeof(int64_t);
  PyObject *capsule = NULL;
  if (versioned) {
    dl_versioned_tensor *const made = calloc(1, sizeof *made + shape_bytes);
    if (made == NULL)
      return PyErr_NoMemory();
    *made = (dl_versioned_tensor){ .major = DL_MAJOR,
                                   .minor = DL_MINOR,
                                   .manager = Py_NewRef(object),
                                   .deleter = delete_versioned_export,
                                   .flags = m->read_only ? DL_READ_ONLY : 0 };
    export_tensor(&c, &made->tensor, m, dimensions, code, bits, (int64_t *)(made + 1));
    if (c.failed || (capsule = PyCapsule_New(made, unused_versioned, end_export)) == NULL)
      delete_versioned_export(made);
  } else {
    dl_managed_tensor *const made = calloc(1, sizeof *made + shape_bytes);
    if (made == NULL)
      return PyErr_NoMemory();
    *made = (dl_managed_tensor){ .manager = Py_NewRef(object), .deleter = delete_export };
    export_tensor(&c, &made->tensor, m, dimensions, code, bits, (int64_t *)(made + 1));
    if (c.failed || (capsule = PyCapsule_New(made, unused_name, end_export)) == NULL)
      delete_export(made);
  }
  return capsule;
}

PyMethodDef memory_functions[] = { FAST(wrap),          FAST(allocate),      FAST(copy),
                                   FAST(dlpack_import), FAST(dlpack_export), { NULL, NULL, 0, NULL } };
