# SPDX-License-Identifier: Apache-2.0
#
# vcpkg's port, as an overlay: vcpkg install isowarp --overlay-ports=packaging/vcpkg. It builds the checkout around it; a release replaces
# SOURCE_PATH by vcpkg_download_distfile() with its SHA512. configure needs autoconf-archive, which is the system's.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if("tools" IN_LIST FEATURES)
  set(TOOL_OPTIONS --with-cairo --with-libzip)
else()
  set(TOOL_OPTIONS --without-cairo --without-libzip)
endif()

vcpkg_configure_make(
  SOURCE_PATH "${SOURCE_PATH}"
  AUTOCONFIG
  COPY_SOURCE
  OPTIONS --with-isa=all --without-cuda --with-mpi=no --disable-bench --disable-tests ${TOOL_OPTIONS}
)
vcpkg_install_make()
vcpkg_fixup_pkgconfig()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/isowarp)
vcpkg_copy_tool_dependencies("${CURRENT_PACKAGES_DIR}/tools/${PORT}")

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
