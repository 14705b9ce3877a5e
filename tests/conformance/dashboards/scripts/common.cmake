# What the machines of a project share; a script of a few lines sets variables and
# includes it.
#
#   dashboard_model       Nightly, Experimental or Continuous
#   dashboard_loop        seconds to go on for
#   dashboard_cache       lines for the first CMakeCache.txt
#   dashboard_no_test     nothing is run
#   dashboard_begin(), dashboard_end(), dashboard_before_submit()   macros, if there are
cmake_minimum_required(VERSION 3.10 FATAL_ERROR)

if(NOT DEFINED dashboard_model)
  set(dashboard_model "Experimental")
endif()
if(NOT "${dashboard_model}" MATCHES "^(Nightly|Experimental|Continuous)$")
  message(FATAL_ERROR "dashboard_model must not be ${dashboard_model}")
endif()
if(NOT DEFINED dashboard_loop)
  if("${dashboard_model}" STREQUAL "Continuous")
    set(dashboard_loop 43200)
  else()
    set(dashboard_loop 0)
  endif()
endif()
if(NOT DEFINED CTEST_SITE)
  site_name(CTEST_SITE)
endif()
if(NOT DEFINED CTEST_CONFIGURATION_TYPE)
  set(CTEST_CONFIGURATION_TYPE Debug)
endif()
if(NOT DEFINED CTEST_TEST_TIMEOUT)
  set(CTEST_TEST_TIMEOUT 1500)
endif()
find_program(CTEST_GIT_COMMAND NAMES git git.cmd)
if(NOT DEFINED CTEST_GIT_UPDATE_OPTIONS)
  set(CTEST_GIT_UPDATE_OPTIONS "--quiet")
endif()
if(NOT DEFINED CTEST_CHECKOUT_COMMAND AND NOT EXISTS "${CTEST_SOURCE_DIRECTORY}")
  set(CTEST_CHECKOUT_COMMAND
    "\"${CTEST_GIT_COMMAND}\" clone --quiet \"${dashboard_url}\" \"${CTEST_SOURCE_DIRECTORY}\"")
endif()
list(APPEND CTEST_NOTES_FILES
  "${CTEST_SCRIPT_DIRECTORY}/${CTEST_SCRIPT_NAME}"
  "${CMAKE_CURRENT_LIST_FILE}")

set(shown CTEST_SITE CTEST_BUILD_NAME CTEST_SOURCE_DIRECTORY CTEST_BINARY_DIRECTORY
  CTEST_CMAKE_GENERATOR CTEST_CONFIGURATION_TYPE CTEST_CHECKOUT_COMMAND CTEST_SCRIPT_NAME
  dashboard_model)
set(text "")
foreach(variable IN LISTS shown)
  set(text "${text}  ${variable}=[${${variable}}]\n")
endforeach()
message("Dashboard configuration:\n${text}")

macro(write_cache)
  file(WRITE "${CTEST_BINARY_DIRECTORY}/CMakeCache.txt" "
SITE:STRING=${CTEST_SITE}
BUILDNAME:STRING=${CTEST_BUILD_NAME}
CTEST_USE_LAUNCHERS:BOOL=${CTEST_USE_LAUNCHERS}
DART_TESTING_TIMEOUT:STRING=${CTEST_TEST_TIMEOUT}
${dashboard_cache}
")
endmacro()

macro(submit)
  if(COMMAND dashboard_before_submit)
    dashboard_before_submit(${ARGN})
  endif()
  ctest_submit(${ARGN})
endmacro()

if(COMMAND dashboard_begin)
  dashboard_begin()
endif()
set(done FALSE)
set(first TRUE)
while(NOT done)
  set(START_TIME ${CTEST_ELAPSED_TIME})
  if(first AND EXISTS "${CTEST_BINARY_DIRECTORY}/CMakeCache.txt")
    message("Clearing the build tree...")
    ctest_empty_binary_directory("${CTEST_BINARY_DIRECTORY}")
  endif()
  file(MAKE_DIRECTORY "${CTEST_BINARY_DIRECTORY}")
  if(first OR NOT EXISTS "${CTEST_BINARY_DIRECTORY}/CMakeCache.txt")
    message("Starting fresh build...")
    write_cache()
  endif()
  ctest_start(${dashboard_model})
  ctest_update(RETURN_VALUE count)
  set(CTEST_CHECKOUT_COMMAND)
  message("Found ${count} changed files")
  if(first OR count GREATER 0 OR NOT "${dashboard_model}" STREQUAL "Continuous")
    ctest_configure(RETURN_VALUE configured)
    ctest_read_custom_files(${CTEST_BINARY_DIRECTORY})
    submit(PARTS Update Configure Notes)
    if(configured EQUAL 0)
      ctest_build(RETURN_VALUE built)
      submit(PARTS Build)
      if(NOT dashboard_no_test)
        ctest_test(${CTEST_TEST_ARGS} RETURN_VALUE tested)
        submit(PARTS Test)
      endif()
    endif()
    submit(PARTS Done)
  endif()
  set(first FALSE)
  if(CTEST_ELAPSED_TIME LESS dashboard_loop)
    ctest_sleep(${START_TIME} 300 ${CTEST_ELAPSED_TIME})
  else()
    set(done TRUE)
  endif()
endwhile()
if(COMMAND dashboard_end)
  dashboard_end()
endif()
