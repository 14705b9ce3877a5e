# Foreign libraries, by pkg-config: PkgConfig::UV and so on. Optional ones set
# CCTR_HAS_<NAME>; the folder that uses one chooses its file or the null twin by it. What few
# runs need is loaded when it is first used.
find_package(PkgConfig REQUIRED)

pkg_check_modules(UV REQUIRED IMPORTED_TARGET libuv>=1.30)
pkg_check_modules(CJSON REQUIRED IMPORTED_TARGET libcjson)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8>=10.30)
pkg_check_modules(EXPAT REQUIRED IMPORTED_TARGET expat>=2.2)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)

# cctr_optional_library(HWLOC hwloc>=2.0): as CCTR_WITH_HWLOC says. An archive cannot be loaded.
function(cctr_optional_library name module)
  set(has OFF)
  if("${CCTR_WITH_${name}}" STREQUAL "AUTO")
    pkg_check_modules(${name} IMPORTED_TARGET ${module})
  elseif(CCTR_WITH_${name})
    pkg_check_modules(${name} REQUIRED IMPORTED_TARGET ${module})
  endif()
  if(TARGET PkgConfig::${name})
    cctr_loaded_file(file "${name}")
    if(file)
      set(has ON)
    elseif(NOT CCTR_WITH_${name} STREQUAL "AUTO")
      message(FATAL_ERROR "CCTR_WITH_${name}: there is no shared library")
    endif()
  endif()
  set(CCTR_HAS_${name} ${has} PARENT_SCOPE)
endfunction()

# The name that stands for a library's ABI, libcurl.so.4, with its path where the loader does
# not look by itself; "" for an archive.
function(cctr_loaded_file result name)
  get_target_property(file PkgConfig::${name} INTERFACE_LINK_LIBRARIES)
  list(GET file 0 file)
  get_filename_component(file "${file}" REALPATH)
  string(REGEX REPLACE "(\\.so\\.[0-9]+)\\.[0-9.]+$" "\\1" file "${file}")
  get_filename_component(folder "${file}" DIRECTORY)
  foreach(known IN LISTS CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
    get_filename_component(known "${known}" REALPATH)
    if(folder STREQUAL known)
      get_filename_component(file "${file}" NAME)
    endif()
  endforeach()
  if(NOT file MATCHES "\\.(so|dylib)")
    set(file "")
  endif()
  set("${result}" "${file}" PARENT_SCOPE)
endfunction()

# cctr_loads_library(target NAME source): the source loads the library. It gets its headers, and
# its name as CCTR_<NAME>_LIBRARY.
function(cctr_loads_library target name source)
  cctr_loaded_file(file "${name}")
  if(NOT file)
    message(FATAL_ERROR "there is no shared library: ${name}")
  endif()
  set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_DEFINITIONS
    "CCTR_${name}_LIBRARY=\"${file}\"")
  target_include_directories("${target}" PRIVATE
    $<TARGET_PROPERTY:PkgConfig::${name},INTERFACE_INCLUDE_DIRECTORIES>)
endfunction()

cctr_optional_library(HWLOC hwloc>=2.0)
cctr_optional_library(YAML yaml-0.1>=0.2)
cctr_optional_library(SQLITE sqlite3>=3.24)
cctr_optional_library(CURL libcurl>=7.68)
cctr_optional_library(PMIX pmix>=4.2)
