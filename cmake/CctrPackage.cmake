# cpack -G DEB: a package for Debian and what is made of it. cpack --config CPackSourceConfig.cmake:
# the sources, with the man pages as they were built.
set(CCTR_PACKAGE_CONTACT "cctr maintainers <maintainers@cctr.example.org>" CACHE STRING
  "who answers for a package: NAME <ADDRESS>")

set(CPACK_PACKAGE_NAME cctr)
set(CPACK_PACKAGE_CONTACT "${CCTR_PACKAGE_CONTACT}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "test runner that does what ctest does")
set(CPACK_PACKAGE_DESCRIPTION
"cctr runs the tests of a build tree that CMake made. It has ctest's options,
text, files and exit codes, reads the test files itself, and schedules tests
on the processors, GPUs and nodes that there are.")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_THREADS 0)
set(CPACK_SOURCE_GENERATOR TXZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME "cctr-${PROJECT_VERSION}")
set(CPACK_SOURCE_INSTALLED_DIRECTORIES "${PROJECT_SOURCE_DIR};/;${PROJECT_BINARY_DIR}/man;/man")
set(CPACK_SOURCE_IGNORE_FILES "/\\\\.git(/|$)" "/build[^/]*/" "/core$")
set(CPACK_GENERATOR TXZ)

# The packages that have the libraries which cctr loads when it needs them. What is linked,
# dpkg-shlibdeps finds.
function(cctr_library_package result name)
  set("${result}" "" PARENT_SCOPE)
  cctr_loaded_file(file "${name}")
  if(NOT file)
    return()
  endif()
  execute_process(COMMAND "${DPKG_QUERY}" -S "*/${file}"
    OUTPUT_VARIABLE found ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(found MATCHES "^([a-z0-9.+-]+)[:,]")
    set("${result}" "${CMAKE_MATCH_1}" PARENT_SCOPE)
  endif()
endfunction()

find_program(DPKG_DEB dpkg-deb)
find_program(DPKG_QUERY dpkg-query)
mark_as_advanced(DPKG_DEB DPKG_QUERY)
# Before 3.19 cpack runs no script.
if(DPKG_DEB AND DPKG_QUERY AND NOT CMAKE_VERSION VERSION_LESS 3.19)
  set(CPACK_GENERATOR DEB)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION devel)
  set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
  set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
  set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  cctr_library_package(package EXPAT)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "${package}")
  set(recommended cmake)
  foreach(name IN ITEMS HWLOC YAML CURL)
    if(CCTR_HAS_${name})
      cctr_library_package(package "${name}")
      list(APPEND recommended ${package})
    endif()
  endforeach()
  list(JOIN recommended ", " CPACK_DEBIAN_PACKAGE_RECOMMENDS)
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "git, valgrind")
  set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/CctrDebian.cmake")
endif()
include(CPack)
