# What a builder may choose, and the flags that every target of cctr shares.
# CctrBuild and CctrStrict (interface libraries) carry them; nothing is set globally.

set(CCTR_WITH_HWLOC AUTO CACHE STRING "machine topology through hwloc: AUTO, ON or OFF")
set(CCTR_WITH_YAML AUTO CACHE STRING "files in YAML through libyaml: AUTO, ON or OFF")
set(CCTR_WITH_SQLITE AUTO CACHE STRING "the history of tests through SQLite: AUTO, ON or OFF")
set(CCTR_WITH_CURL AUTO CACHE STRING "submissions to dashboards through libcurl: AUTO, ON or OFF")
set(CCTR_WITH_PMIX AUTO CACHE STRING "leases for programs that speak PMIx, through libpmix: AUTO, ON or OFF")
set_property(CACHE CCTR_WITH_HWLOC CCTR_WITH_YAML CCTR_WITH_SQLITE CCTR_WITH_CURL CCTR_WITH_PMIX
  PROPERTY STRINGS AUTO ON OFF)
set(CCTR_SANITIZE "" CACHE STRING "sanitizers, such as address,undefined")
option(CCTR_WARNINGS "compile with warnings" ON)
option(CCTR_WERROR "a warning is an error" OFF)
option(CCTR_FUZZ "build the fuzz targets with libFuzzer (clang only)" OFF)

get_property(cctr_is_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT CMAKE_BUILD_TYPE AND NOT cctr_is_multi_config)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "build type" FORCE)
endif()

add_library(CctrBuild INTERFACE)
target_compile_features(CctrBuild INTERFACE c_std_11)
target_compile_definitions(CctrBuild INTERFACE
  _GNU_SOURCE
  CCTR_VERSION="${PROJECT_VERSION}")
target_include_directories(CctrBuild INTERFACE "${PROJECT_SOURCE_DIR}")
target_link_libraries(CctrBuild INTERFACE m)
# What cctr itself is held to beyond what its tests are.
add_library(CctrStrict INTERFACE)
target_link_libraries(CctrStrict INTERFACE CctrBuild)
if(CCTR_WARNINGS)
  target_compile_options(CctrBuild INTERFACE
    -Wall -Wextra $<$<BOOL:${CCTR_WERROR}>:-Werror>)
  target_compile_options(CctrStrict INTERFACE
    -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wcast-qual -Wswitch-enum)
endif()
if(CCTR_SANITIZE)
  set(cctr_sanitize -fsanitize=${CCTR_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  # Not to be relocated: UndefinedBehaviorSanitizer's places are half a million pointers, which took
  # half of the time in which cctr starts.
  target_compile_options(CctrBuild INTERFACE ${cctr_sanitize} -fno-pie)
  target_link_options(CctrBuild INTERFACE ${cctr_sanitize} -no-pie)
endif()
if(CCTR_FUZZ AND NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "CCTR_FUZZ needs clang: CC=clang cmake -DCCTR_FUZZ=ON ...")
elseif(CCTR_FUZZ)
  target_compile_options(CctrBuild INTERFACE -fsanitize=fuzzer-no-link)
endif()
include(CctrHardening)
