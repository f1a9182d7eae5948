# SPDX-License-Identifier: Apache-2.0
#
# vcpkg's port, as an overlay: vcpkg install isowarp --overlay-ports=packaging/vcpkg. It builds the commit that is checked out around it;
# a release replaces clone and bootstrap by vcpkg_download_distfile() with its SHA512. bootstrap needs the system's Autotools and
# autoconf-archive.
get_filename_component(CHECKOUT "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(SOURCE_PATH "${CURRENT_BUILDTREES_DIR}/src/checkout")
file(REMOVE_RECURSE "${SOURCE_PATH}")
find_program(GIT git REQUIRED)
vcpkg_execute_required_process(
  COMMAND "${GIT}" clone --quiet "${CHECKOUT}" "${SOURCE_PATH}"
  WORKING_DIRECTORY "${CURRENT_BUILDTREES_DIR}"
  LOGNAME clone
)
vcpkg_execute_required_process(COMMAND ./bootstrap WORKING_DIRECTORY "${SOURCE_PATH}" LOGNAME bootstrap)

if("tools" IN_LIST FEATURES)
  set(TOOL_OPTIONS --with-cairo --with-libzip)
else()
  set(TOOL_OPTIONS --without-cairo --without-libzip)
endif()

vcpkg_make_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS --without-cuda --with-mpi=no --disable-bench ${TOOL_OPTIONS}
)
vcpkg_make_install()
vcpkg_fixup_pkgconfig()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/isowarp)
vcpkg_copy_tool_dependencies("${CURRENT_PACKAGES_DIR}/tools/${PORT}")

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
