# SPDX-License-Identifier: Apache-2.0
#
# find_package(isowarp 0.1 REQUIRED)
# target_link_libraries(program PRIVATE isowarp::isowarp)     # the shared library if it is there, else the static one
# isowarp_add_kernels(program kernel.c ...)                   # kernels of yours: see below
#
# isowarp::static is the static library, where it is installed.

cmake_minimum_required(VERSION 3.18)
include(CMakeFindDependencyMacro)

# As in isowarp.pc: relative to this file where the installation allows it.
set(prefix "${CMAKE_CURRENT_LIST_DIR}/../../..")
set(exec_prefix "${prefix}")
set(libdir "${exec_prefix}/lib")
set(includedir "${prefix}/include")
get_filename_component(ISOWARP_LIBRARY_DIR "${libdir}" ABSOLUTE)
get_filename_component(ISOWARP_INCLUDE_DIR "${includedir}" ABSOLUTE)
unset(prefix)
unset(exec_prefix)
unset(libdir)
unset(includedir)

# Adds an imported target for a library file. Other arguments: what it needs besides.
function(_isowarp_add_target name type file)
  if(TARGET isowarp::${name})
    return()
  endif()
  add_library(isowarp::${name} ${type} IMPORTED)
  set_target_properties(isowarp::${name} PROPERTIES
    IMPORTED_LOCATION "${file}"
    INTERFACE_INCLUDE_DIRECTORIES "${ISOWARP_INCLUDE_DIR}"
    # isowarp.pc says why. nvcc takes neither the option nor the macro that says that it was given.
    INTERFACE_COMPILE_OPTIONS
      "$<$<COMPILE_LANGUAGE:C,CXX>:-ffp-contract=off;-Wno-psabi>;$<$<COMPILE_LANGUAGE:CUDA>:--fmad=false>"
    INTERFACE_COMPILE_DEFINITIONS "$<$<COMPILE_LANGUAGE:C,CXX>:IW_FP_CONTRACT_OFF>"
    INTERFACE_LINK_LIBRARIES "${ARGN}")
endfunction()

set(_isowarp_static "${ISOWARP_LIBRARY_DIR}/libisowarp.a")
find_file(_isowarp_shared NAMES libisowarp.so libisowarp.dylib PATHS "${ISOWARP_LIBRARY_DIR}" NO_DEFAULT_PATH NO_CACHE)
separate_arguments(_isowarp_private UNIX_COMMAND "-fopenmp -lm -L/usr/local/cuda/bin/../targets/x86_64-linux/lib/stubs -L/usr/local/cuda/bin/../targets/x86_64-linux/lib -lcudart_static -lstdc++ -ldl -lrt -lpthread")
if(EXISTS "${_isowarp_static}")
  _isowarp_add_target(static STATIC "${_isowarp_static}" ${_isowarp_private})
endif()
if(_isowarp_shared)
  _isowarp_add_target(isowarp SHARED "${_isowarp_shared}")
elseif(EXISTS "${_isowarp_static}")
  _isowarp_add_target(isowarp STATIC "${_isowarp_static}" ${_isowarp_private})
else()
  set(isowarp_FOUND FALSE)
  set(isowarp_NOT_FOUND_MESSAGE "neither libisowarp.so nor libisowarp.a is in ${ISOWARP_LIBRARY_DIR}")
endif()
unset(_isowarp_static)
unset(_isowarp_shared)
unset(_isowarp_private)

# isowarp_add_kernels(TARGET FILE.c...): adds files with kernels to a target, in three builds: for the CPU (kernel NAME), with
# suffix _sim for the simulated GPU (NAME_sim), and, if the project has enabled the language CUDA, with suffix _cuda by nvcc
# (NAME_cuda, and WITH_CUDA is defined for the target). CMAKE_C_FLAGS choose the instruction set of the first one.
function(isowarp_add_kernels target)
  target_link_libraries(${target} PRIVATE isowarp::isowarp)
  add_library(${target}_kernels_sim OBJECT ${ARGN})
  target_link_libraries(${target}_kernels_sim PRIVATE isowarp::isowarp)
  target_compile_definitions(${target}_kernels_sim PRIVATE IW_SIM IW_KERNEL_SUFFIX=_sim)
  target_sources(${target} PRIVATE ${ARGN} $<TARGET_OBJECTS:${target}_kernels_sim>)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT "CUDA" IN_LIST languages)
    return()
  endif()
  set(cuda_files)
  foreach(file IN LISTS ARGN)
    # CMake gives a file one language, so nvcc compiles another one, which includes it.
    get_filename_component(path "${file}" ABSOLUTE)
    get_filename_component(name "${file}" NAME_WE)
    set(cuda_file "${CMAKE_CURRENT_BINARY_DIR}/${target}_${name}_cuda.cu")
    file(CONFIGURE OUTPUT "${cuda_file}" CONTENT "#include \"@path@\"\n" @ONLY)
    list(APPEND cuda_files "${cuda_file}")
  endforeach()
  add_library(${target}_kernels_cuda OBJECT ${cuda_files})
  target_link_libraries(${target}_kernels_cuda PRIVATE isowarp::isowarp)
  target_compile_features(${target}_kernels_cuda PRIVATE cuda_std_17)
  target_compile_definitions(${target}_kernels_cuda PRIVATE IW_KERNEL_SUFFIX=_cuda)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_kernels_cuda>)
  target_compile_definitions(${target} PRIVATE WITH_CUDA)
endfunction()
