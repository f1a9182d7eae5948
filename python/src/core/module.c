/* SPDX-License-Identifier: Apache-2.0
 *
 * The module isowarp._core. */
#include "core.h"

PyObject *error_class, *finding_error_class;
PyTypeObject *memory_type, *context_type, *kernel_type;

static int add_type(PyObject *module, const char *name, PyType_Spec *spec, PyTypeObject **type)
{
  *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
  return *type != NULL && PyModule_AddObjectRef(module, name, (PyObject *)*type) == 0;
}

static int add_class(PyObject *module, const char *name, const char *full_name, const char *doc,
                     PyObject *base, PyObject **made)
{
  *made = PyErr_NewExceptionWithDoc(full_name, doc, base, NULL);
  return *made != NULL && PyModule_AddObjectRef(module, name, *made) == 0;
}

static int fill_module(PyObject *module)
{
  PyMethodDef *const tables[] = { array_functions,  context_functions, memory_functions, kernel_functions,
                                  reduce_functions, histogram_functions, move_functions,   whole_functions, statistics_functions };
  if (memory_type != NULL) {
    PyErr_SetString(PyExc_ImportError, "isowarp can be imported by one interpreter of a process only");
    return -1;
  }
  if (!add_class(module, "Error", "isowarp.Error",
                 "The library cannot do what was asked: a backend is not available, or "
                 "a kernel does not run there.",
                 PyExc_RuntimeError, &error_class) ||
      !add_class(module, "FindingError", "isowarp.FindingError",
                 "The simulated GPU found an error in a kernel; its second "
                 "argument is the list of findings.",
                 error_class, &finding_error_class) ||
      !add_type(module, "Memory", &memory_spec, &memory_type) ||
      !add_type(module, "Context", &context_spec, &context_type) ||
      !add_type(module, "Kernel", &kernel_spec, &kernel_type))
    return -1;
  /* The operators' names in the order of their values, as one string. */
#define OPERATOR(NAME, name, takes, result) #name " "
  if (PyModule_AddStringConstant(module, "OPERATORS", IW_BUILTIN_OPERATORS(OPERATOR)) != 0)
    return -1;
#undef OPERATOR
  static const struct { const char *name; long value; } constants[] = {
    { "DROP", IW_POLICY_DROP }, { "CLAMP", IW_POLICY_CLAMP }, { "COUNT", IW_POLICY_COUNT },
    { "CLOSED_TOP", IW_HIST_CLOSED_TOP }, { "HI_INCLUDED", IW_HIST_HI_INCLUDED },
  };
  for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
    if (PyModule_AddIntConstant(module, constants[i].name, constants[i].value) != 0)
      return -1;
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    if (PyModule_AddFunctions(module, tables[i]) != 0)
      return -1;
  return 0;
}

static PyModuleDef_Slot slots[] = { { Py_mod_exec, fill_module },
#ifdef Py_GIL_DISABLED
                                    { Py_mod_gil, Py_MOD_GIL_NOT_USED },
#endif
                                    { 0, NULL } };
static struct PyModuleDef definition = {
  PyModuleDef_HEAD_INIT, "_core", NULL, 0, NULL, slots, NULL, NULL, NULL
};

PyMODINIT_FUNC PyInit__core(void)
{
  return PyModuleDef_Init(&definition);
}
