/* SPDX-License-Identifier: Apache-2.0
 *
 * Contexts: one for each thread, opened at first use and closed when the thread ends; and those that a
 * program opens. */
#include "core.h"
#include <isowarp/sim.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEVICES = 64 };

/* What a thread has. Its contexts are closed without Python: the thread may have no interpreter any more. */
typedef struct thread_data {
  locked_context *host, *chosen; /* its own, and that of isowarp.Context, which is used instead */
  locked_context *devices[MOST_DEVICES];
} thread_data;

typedef struct context_object {
  PyObject_HEAD locked_context *context;
} context_object;

static _Thread_local thread_data *here;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int has_key; /* without one the contexts of a thread outlive it */

void context_keep(locked_context *c)
{
  atomic_fetch_add(&c->references, 1);
}

static void forget_findings(locked_context *c)
{
  for (size_t i = 0; i < c->finding_count; i++) {
    free(c->findings[i].check);
    free(c->findings[i].message);
    free(c->findings[i].file);
    free(c->findings[i].other_file);
  }
  free(c->findings);
  c->findings = NULL;
  c->finding_count = 0;
}

void context_release(locked_context *c)
{
  if (c == NULL || atomic_fetch_sub(&c->references, 1) != 1)
    return;
  iw_context_close(c->iw);
  forget_findings(c);
  pthread_mutex_destroy(&c->lock);
  free(c);
}

static void end_thread(void *data)
{
  thread_data *const t = data;
  context_release(t->host);
  context_release(t->chosen);
  for (int i = 0; i < MOST_DEVICES; i++)
    context_release(t->devices[i]);
  free(t);
  here = NULL;
}

static void make_key(void)
{
  has_key = pthread_key_create(&key, end_thread) == 0;
}

static thread_data *thread_here(void)
{
  if (here == NULL && pthread_once(&once, make_key) == 0)
    here = calloc(1, sizeof *here);
  if (here != NULL && has_key && pthread_getspecific(key) == NULL)
    (void)pthread_setspecific(key, here);
  if (here == NULL)
    PyErr_NoMemory();
  return here;
}

static char *copy_of(const char *text)
{
  return text ? strdup(text) : NULL;
}

/* Called by the library, with the lock and without the GIL. */
static void note_finding(void *user, const iw_sim_finding *f)
{
  locked_context *const c = user;
  finding *const more = realloc(c->findings, (c->finding_count + 1) * sizeof *more);
  if (more == NULL)
    return; /* the status says that there is one */
  c->findings = more;
  more[c->finding_count++] = (finding){ copy_of(f->check_name),
                                        copy_of(f->message),
                                        copy_of(f->file),
                                        copy_of(f->other_file),
                                        f->severity == IW_SIM_ERROR,
                                        f->line,
                                        f->other_line,
                                        f->count,
                                        f->seed };
}

PyObject *take_findings(locked_context *c)
{
  locked_context taken = { .findings = NULL };
  Py_BEGIN_ALLOW_THREADS
  pthread_mutex_lock(&c->lock);
  taken.findings = c->findings;
  taken.finding_count = c->finding_count;
  c->findings = NULL;
  c->finding_count = 0;
  pthread_mutex_unlock(&c->lock);
  Py_END_ALLOW_THREADS
  PyObject *list = PyList_New(0);
  for (size_t i = 0; i < taken.finding_count && list != NULL; i++) {
    const finding *const f = &taken.findings[i];
    PyObject *const one = Py_BuildValue("szzziziKK", f->is_error ? "error" : "note", f->check, f->message,
                                        f->file, f->line, f->other_file, f->other_line,
                                        (unsigned long long)f->count, (unsigned long long)f->seed);
    if (one == NULL || PyList_Append(list, one) != 0)
      Py_CLEAR(list);
    Py_XDECREF(one);
  }
  forget_findings(&taken);
  return list;
}

static locked_context *context_new(const iw_context_options *options)
{
  char message[1024];
  locked_context *const c = calloc(1, sizeof *c);
  iw_status status = IW_ERROR_MEMORY;
  if (c == NULL) {
    PyErr_NoMemory();
    return NULL;
  }
  Py_BEGIN_ALLOW_THREADS
  pthread_mutex_init(&c->lock, NULL);
  atomic_init(&c->references, 1);
  status = iw_context_open(&c->iw, options);
  iw_context_info info = { .size = sizeof info };
  if (status == IW_OK)
    status = iw_context_get_info(c->iw, &info);
  if (status == IW_OK) {
    c->backend = strcmp(info.isa, "sim") == 0 ? IW_BACKEND_SIM : info.backend;
    c->device = info.device;
    if (c->backend == IW_BACKEND_SIM)
      status = iw_sim_set_report(c->iw, note_finding, c);
  }
  if (status != IW_OK)
    snprintf(message, sizeof message, "%s", iw_message());
  Py_END_ALLOW_THREADS
  if (status == IW_OK)
    return c;
  context_release(c);
  PyErr_SetString(status == IW_ERROR_INVALID      ? PyExc_ValueError
                      : status == IW_ERROR_MEMORY ? PyExc_MemoryError
                                                  : error_class,
                  message);
  return NULL;
}

locked_context *thread_context(int device)
{
  thread_data *const t = thread_here();
  if (t == NULL)
    return NULL;
  locked_context *const chosen = t->chosen ? t->chosen : t->host;
  if (device < 0 && chosen != NULL)
    return chosen;
  if (device < 0)
    return t->host = context_new(NULL);
  if (device >= MOST_DEVICES) {
    PyErr_Format(PyExc_ValueError, "CUDA device %d: at most %d devices can be used", device, MOST_DEVICES);
    return NULL;
  }
  if (t->devices[device] == NULL)
    t->devices[device] = context_new(&(iw_context_options){
        .size = sizeof(iw_context_options), .backend = IW_BACKEND_CUDA, .device = device });
  return t->devices[device];
}

/* ---- The type Context, and functions ---- */

static PyObject *context_object_of(locked_context *c)
{
  if (c == NULL)
    Py_RETURN_NONE;
  context_object *const o = PyObject_New(context_object, context_type);
  if (o == NULL)
    return NULL;
  context_keep(c);
  o->context = c;
  return (PyObject *)o;
}

static void context_object_dealloc(PyObject *self)
{
  PyTypeObject *const type = Py_TYPE(self);
  locked_context *const c = ((context_object *)self)->context;
  Py_BEGIN_ALLOW_THREADS
  context_release(c);
  Py_END_ALLOW_THREADS
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyType_Slot context_slots[] = { { Py_tp_dealloc, context_object_dealloc }, { 0, NULL } };
PyType_Spec context_spec = { "isowarp._core.Context", sizeof(context_object), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, context_slots };

/* The context of an argument: a Context, or None for the thread's. */
locked_context *context_argument(PyObject *object)
{
  if (object == Py_None)
    return thread_context(-1);
  if (PyObject_TypeCheck(object, context_type))
    return ((context_object *)object)->context;
  PyErr_SetString(PyExc_TypeError, "a context is needed");
  return NULL;
}

/* open(backend, isa, threads, openmp, device) */
static PyObject *py_open(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 5);
  iw_context_options options = { .size = sizeof options, .backend = (iw_backend)take_int(&c) };
  PyObject *const isa = take(&c);
  if (!c.failed && isa != Py_None)
    c.failed = (options.isa = PyUnicode_AsUTF8AndSize(isa, NULL)) == NULL;
  options.threads = (unsigned)take_int(&c);
  options.openmp = (unsigned)take_int(&c);
  options.device = take_int(&c);
  locked_context *const opened = c.failed ? NULL : context_new(&options);
  PyObject *const result = opened ? context_object_of(opened) : NULL;
  context_release(opened);
  return result;
}

/* use(Context or None): what this thread's calls on host memory run in; returns what they ran in before, or
 * None. */
static PyObject *py_use(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 1);
  PyObject *const wanted = take(&c);
  thread_data *const t = c.failed ? NULL : thread_here();
  if (t == NULL || (wanted != Py_None && context_argument(wanted) == NULL))
    return NULL;
  PyObject *const before = context_object_of(t->chosen);
  if (before == NULL)
    return NULL;
  locked_context *const old = t->chosen;
  t->chosen = NULL;
  if (wanted != Py_None)
    context_keep(t->chosen = context_argument(wanted));
  context_release(old); /* `before` keeps it */
  return before;
}

/* info(Context or None) -> (backend, isa, threads, device, why) */
static PyObject *py_info(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 1);
  iw_context_info info = { .size = sizeof info };
  locked_context *const in = c.failed ? NULL : context_argument(take(&c));
  iw_context *const context = call_begin_in(&c, in);
  if (context == NULL)
    return NULL;
  const iw_backend backend = c.in->backend;
  if (!call_end(&c, iw_context_get_info(context, &info)))
    return NULL;
  return Py_BuildValue("isIis", (int)backend, info.isa, info.threads, info.device, info.why);
}

/* reserve(Context or None, bytes) */
static PyObject *py_reserve(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 2);
  locked_context *const in = c.failed ? NULL : context_argument(take(&c));
  const size_t bytes = take_size(&c);
  iw_context *const context = call_begin_in(&c, in);
  return context ? call_none(&c, iw_context_reserve(context, bytes)) : NULL;
}

/* synchronize(Context or None or Memory) */
static PyObject *py_synchronize(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 1);
  PyObject *const what = take(&c);
  iw_context *context;
  if (!c.failed && is_memory(what)) { /* the context's stream waits for that of the array */
    in_of(&c, what, 0);
    context = call_begin(&c);
  } else
    context = call_begin_in(&c, c.failed ? NULL : context_argument(what));
  return context ? call_none(&c, iw_context_synchronize(context)) : NULL;
}

static PyObject *py_findings(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  call c = call_of(args, count, 1);
  locked_context *const in = c.failed ? NULL : context_argument(take(&c));
  return in ? take_findings(in) : NULL;
}

/* end_thread(): closes the contexts of the calling thread, which otherwise happens when it ends. */
static PyObject *py_end_thread(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  (void)args;
  (void)count;
  if (here != NULL) {
    if (has_key)
      (void)pthread_setspecific(key, NULL);
    end_thread(here);
  }
  Py_RETURN_NONE;
}

static PyObject *py_version(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  (void)self;
  (void)args;
  (void)count;
  return PyUnicode_FromString(iw_version());
}

PyMethodDef context_functions[] = { FAST(open),       FAST(use),         FAST(info),
                                    FAST(reserve),    FAST(synchronize), FAST(findings),
                                    FAST(end_thread), FAST(version),     { NULL, NULL, 0, NULL } };
