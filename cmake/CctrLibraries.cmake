# Foreign libraries, by pkg-config: PkgConfig::UV and so on. Optional ones set
# CCTR_HAS_<NAME>; the folder that uses one chooses its file or the null twin by it.
find_package(PkgConfig REQUIRED)

pkg_check_modules(UV REQUIRED IMPORTED_TARGET libuv>=1.30)
pkg_check_modules(CJSON REQUIRED IMPORTED_TARGET libcjson)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8>=10.30)
pkg_check_modules(EXPAT REQUIRED IMPORTED_TARGET expat>=2.2)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)

# cctr_optional_library(HWLOC hwloc>=2.0): as CCTR_WITH_HWLOC says.
function(cctr_optional_library name module)
  set(has OFF)
  if("${CCTR_WITH_${name}}" STREQUAL "AUTO")
    pkg_check_modules(${name} IMPORTED_TARGET ${module})
  elseif(CCTR_WITH_${name})
    pkg_check_modules(${name} REQUIRED IMPORTED_TARGET ${module})
  endif()
  if(TARGET PkgConfig::${name})
    set(has ON)
  endif()
  set(CCTR_HAS_${name} ${has} PARENT_SCOPE)
endfunction()

cctr_optional_library(HWLOC hwloc>=2.0)
cctr_optional_library(YAML yaml-0.1>=0.2)
cctr_optional_library(CURL libcurl>=7.68)
