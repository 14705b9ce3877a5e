# Runs one dashboard script for "cctr -S": real CMake evaluates it, and the ctest_* commands
# are functions that ask cctr. It runs, in the directory of the caller,
#
#   cmake -P SCRIPT, cmake -N -S . -B . -C SCRIPT, or ctest -S SCRIPT
#
# with a script that sets the global property CCTR_FOLDER, includes this file, sets the
# variables that ctest sets, includes the dashboard script and calls _cctr_end.
#
# A question is a file "record" in that folder, a sequence of lines; lengths count bytes,
# fields may hold line breaks:
#
#   call ARGC LENGTH:NAME LENGTH:ARG ...
#   variable LENGTH:NAME LENGTH:VALUE
#   end
#
# A byte in the FIFO "requests" says that it is there. cctr holds a lock until it has
# written reply.cmake, which sets variables in the scope of the caller.
#
# The script must find what it finds in ctest: no policy set, no variable of ours, none of
# those that only cmake -P has.
cmake_policy(PUSH)
cmake_policy(VERSION 3.17...3.31)

# ---- asking --------------------------------------------------------------------------------

function(_cctr_ask)
  get_property(_cctr_folder GLOBAL PROPERTY CCTR_FOLDER)
  get_property(_cctr_turn GLOBAL PROPERTY CCTR_TURN)
  math(EXPR _cctr_turn "0${_cctr_turn}+1")
  set_property(GLOBAL PROPERTY CCTR_TURN ${_cctr_turn})
  get_property(_cctr_text GLOBAL PROPERTY CCTR_RECORD)
  file(WRITE "${_cctr_folder}/record" "${_cctr_text}end\n")
  file(WRITE "${_cctr_folder}/requests" "x")
  file(LOCK "${_cctr_folder}/turn${_cctr_turn}")
  file(LOCK "${_cctr_folder}/turn${_cctr_turn}" RELEASE)
endfunction()

# A process that shows what it inherits is the one exact way to list the environment.
function(_cctr_environment _cctr_file)
  foreach(_cctr_env IN ITEMS /usr/bin/env /bin/env env)
    execute_process(COMMAND "${_cctr_env}" -0
      OUTPUT_FILE "${_cctr_file}" ERROR_QUIET RESULT_VARIABLE _cctr_n)
    if(_cctr_n STREQUAL "0")
      return()
    endif()
  endforeach()
endfunction()

# In a list, a bracket or a backslash in a name would join it to the next one.
macro(_cctr_list_variables)
  get_cmake_property(_cctr_names VARIABLES)
  string(REGEX REPLACE "[][\\]" "?" _cctr_names "${_cctr_names}")
endmacro()

# Functions, since the arguments of a macro are evaluated a second time.
foreach(_cctr_name IN ITEMS ctest_build ctest_configure ctest_coverage
    ctest_empty_binary_directory ctest_memcheck ctest_run_script ctest_sleep ctest_submit
    ctest_test ctest_update ctest_upload _cctr_ctest_read_custom_files
    _cctr_ctest_read_custom_file _cctr_ctest_start _cctr_ctest_configured
    _cctr_ctest_customized)
  function(${_cctr_name})
    string(LENGTH "${CMAKE_CURRENT_FUNCTION}" _cctr_n)
    set(_cctr_first 0)
    set(_cctr_argc ${ARGC})
    if(CMAKE_CURRENT_FUNCTION MATCHES "^_cctr_ctest_(start|read_custom_files)$")
      set(_cctr_first 1)
      set(_cctr_argc "${ARGV0}")
      if(_cctr_argc LESS 0)
        math(EXPR _cctr_argc "${ARGC}-1")
      endif()
    endif()
    set(_cctr_text "call ${_cctr_argc} ${_cctr_n}:${CMAKE_CURRENT_FUNCTION}")
    if(_cctr_argc GREATER 0)
      math(EXPR _cctr_last "${_cctr_first}+${_cctr_argc}-1")
      foreach(_cctr_i RANGE ${_cctr_first} ${_cctr_last})
        string(LENGTH "${ARGV${_cctr_i}}" _cctr_n)
        string(APPEND _cctr_text " ${_cctr_n}:${ARGV${_cctr_i}}")
      endforeach()
    endif()
    string(APPEND _cctr_text "\n")
    # Of files being read, functions and macros, how many there are and how many are not
    # of this file; how many there may be, where no variable says it.
    get_directory_property(_cctr_names LISTFILE_STACK)
    list(LENGTH _cctr_names _cctr_depth_all)
    list(REMOVE_ITEM _cctr_names "${CMAKE_CURRENT_FUNCTION_LIST_FILE}")
    list(LENGTH _cctr_names _cctr_depth_foreign)
    if(NOT CMAKE_VERSION VERSION_LESS 3.27)
      set(_cctr_depth_limit "$ENV{CMAKE_MAXIMUM_RECURSION_DEPTH}")
    endif()
    _cctr_list_variables()
    foreach(_cctr_i IN LISTS _cctr_names)
      if(_cctr_i MATCHES "^(CTEST_|CMAKE_TLS_)" OR _cctr_i MATCHES
          "^(CMAKE_M(INIMUM_REQUIRED_VERSION|AXIMUM_RECURSION_DEPTH)|_cctr_depth_.*)$")
        string(LENGTH "${_cctr_i}" _cctr_n)
        string(LENGTH "${${_cctr_i}}" _cctr_m)
        string(APPEND _cctr_text
          "variable ${_cctr_n}:${_cctr_i} ${_cctr_m}:${${_cctr_i}}\n")
      endif()
    endforeach()
    # No variables, but wanted where the others are.
    foreach(_cctr_i IN ITEMS SubProject SubProjectLabels Label)
      get_property(_cctr_n GLOBAL PROPERTY ${_cctr_i} SET)
      if(_cctr_n)
        get_property(_cctr_value GLOBAL PROPERTY ${_cctr_i})
        string(LENGTH "_cctr_property_${_cctr_i}" _cctr_n)
        string(LENGTH "${_cctr_value}" _cctr_m)
        string(APPEND _cctr_text
          "variable ${_cctr_n}:_cctr_property_${_cctr_i} ${_cctr_m}:${_cctr_value}\n")
      endif()
    endforeach()
    set_property(GLOBAL PROPERTY CCTR_RECORD "${_cctr_text}")
    get_property(_cctr_folder GLOBAL PROPERTY CCTR_FOLDER)
    if(NOT CMAKE_CURRENT_FUNCTION MATCHES
        "^_cctr_ctest_(read|conf|custom)|^ctest_(sleep|empty_binary_directory)$")
      _cctr_environment("${_cctr_folder}/environment")
    endif()
    set(CMAKE_MESSAGE_INDENT "")
    set(CMAKE_MESSAGE_LOG_LEVEL "")
    set(_cctr_goes_on TRUE)
    while(_cctr_goes_on)
      _cctr_ask()
      set(_cctr_goes_on FALSE)
      set(_cctr_errors 0)
      set(_cctr_ends FALSE)
      include("${_cctr_folder}/reply.cmake")
      # Shown as errors: what they mean for the end of the script, cctr knows itself.
      set(_cctr_i 0)
      while(_cctr_i LESS _cctr_errors)
        math(EXPR _cctr_i "${_cctr_i}+1")
        message(WARNING "${_cctr_error_${_cctr_i}}")
      endwhile()
      # Not shown: this is how a script ends.
      if(_cctr_ends)
        message(FATAL_ERROR "_cctr_ends")
      endif()
      set_property(GLOBAL PROPERTY CCTR_RECORD "call 0 11:_cctr_go_on\n")
    endwhile()
  endfunction()
endforeach()
unset(_cctr_name)

function(_cctr_end)
  set_property(GLOBAL PROPERTY CCTR_RECORD "call 0 9:_cctr_end\n")
  _cctr_list_variables()
  foreach(_cctr_i IN LISTS _cctr_names)
    if(_cctr_i MATCHES "^CTEST_")
      string(LENGTH "${_cctr_i}" _cctr_n)
      string(LENGTH "${${_cctr_i}}" _cctr_m)
      set_property(GLOBAL APPEND_STRING PROPERTY CCTR_RECORD
        "variable ${_cctr_n}:${_cctr_i} ${_cctr_m}:${${_cctr_i}}\n")
    endif()
  endforeach()
  if(DEFINED CTEST_COMMAND AND CTEST_RUN_CURRENT_SCRIPT)
    get_property(_cctr_folder GLOBAL PROPERTY CCTR_FOLDER)
    _cctr_environment("${_cctr_folder}/environment")
  endif()
  _cctr_ask()
endfunction()

# ---- the variables of a script --------------------------------------------------------------

if(DEFINED CMAKE_ARGC)
  foreach(_cctr_i RANGE ${CMAKE_ARGC})
    unset(CMAKE_ARGV${_cctr_i})
  endforeach()
  unset(CMAKE_ARGC)
endif()
unset(_cctr_i)
unset(CMAKE_SCRIPT_MODE_FILE)
set(CMAKE_CURRENT_BINARY_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
# Before CTestScriptMode, which would else write files.
if(CMAKE_VERSION VERSION_LESS 4.0)
  set(CTEST_RUN_CURRENT_SCRIPT ON)
endif()
if(CMAKE_VERSION VERSION_LESS 4.3)
  set(CMAKE_BINARY_DIR "")
  set(CMAKE_SOURCE_DIR "")
else()
  unset(CMAKE_BINARY_DIR)
  unset(CMAKE_SOURCE_DIR)
endif()
set(CMAKE_EXECUTABLE_NAME "${CMAKE_COMMAND}")
set(CTEST_ELAPSED_TIME 0)
get_property(_cctr_i GLOBAL PROPERTY CMAKE_ROLE)

# What is for projects alone, no script knows.
if(_cctr_i STREQUAL "PROJECT")
  foreach(_cctr_i IN ITEMS add_compile_definitions add_compile_options add_custom_command
      add_custom_target add_definitions add_dependencies add_executable add_library
      add_link_options add_subdirectory add_test aux_source_directory build_command
      cmake_file_api cmake_instrumentation create_test_sourcelist define_property
      discover_tests enable_language enable_testing export export_library_dependencies
      fltk_wrap_ui get_source_file_property get_target_property get_test_property
      include_directories include_external_msproject include_regular_expression install
      install_files install_programs install_targets link_directories link_libraries
      load_cache load_command output_required_files project qt_wrap_cpp qt_wrap_ui
      remove_definitions set_source_files_properties set_target_properties
      set_tests_properties source_group subdir_depends subdirs target_compile_definitions
      target_compile_features target_compile_options target_include_directories
      target_link_directories target_link_libraries target_link_options
      target_precompile_headers target_sources try_compile try_run utility_source
      variable_requires)
    function(${_cctr_i})
      message(FATAL_ERROR "Unknown CMake command \"${CMAKE_CURRENT_FUNCTION}\".")
    endfunction()
  endforeach()
  set(_cctr_i PROJECT)
endif()
cmake_policy(POP)
# ctest has it already.
if(NOT _cctr_i STREQUAL "CTEST")
  unset(_cctr_i)
  include(CTestScriptMode NO_POLICY_SCOPE)
  # By their role modules know whether they may make targets. A function, since names of
  # properties may hold what a macro's arguments lose.
  cmake_policy(PUSH)
  cmake_policy(VERSION 3.17...3.31)
  function(get_property)
    # What an error leaves as it was.
    unset(_cctr_value)
    if(DEFINED "${ARGV0}")
      set(_cctr_value "${${ARGV0}}")
    endif()
    if(ARGC EQUAL 4)
      _get_property(_cctr_value "${ARGV1}" "${ARGV2}" "${ARGV3}")
      if("${ARGV1} ${ARGV2} ${ARGV3}" STREQUAL "GLOBAL PROPERTY CMAKE_ROLE")
        set(_cctr_value CTEST)
      endif()
    elseif(ARGC EQUAL 5)
      _get_property(_cctr_value "${ARGV1}" "${ARGV2}" "${ARGV3}" "${ARGV4}")
    elseif(ARGC EQUAL 6)
      _get_property(_cctr_value "${ARGV1}" "${ARGV2}" "${ARGV3}" "${ARGV4}" "${ARGV5}")
    else()
      _get_property(${ARGV})
    endif()
    if(DEFINED _cctr_value)
      set("${ARGV0}" "${_cctr_value}" PARENT_SCOPE)
    else()
      unset("${ARGV0}" PARENT_SCOPE)
    endif()
  endfunction()
  cmake_policy(POP)
endif()
unset(_cctr_i)

# Macros, defined with no policy set, as what they include must find it. CTestCustom.cmake
# is OPTIONAL: CMake has reported a file that it cannot parse. The function that they call
# gets the number of their arguments before them, since only quotes keep empty arguments
# and semicolons, and since there are names of arguments up to a number.
macro(ctest_read_custom_files)
  if(${ARGC} GREATER 9)
    _cctr_ctest_read_custom_files(-1 ${ARGV})
  else()
    _cctr_ctest_read_custom_files(${ARGC} "${ARGV0}" "${ARGV1}" "${ARGV2}" "${ARGV3}"
      "${ARGV4}" "${ARGV5}" "${ARGV6}" "${ARGV7}" "${ARGV8}")
  endif()
  foreach(_cctr_file ${_cctr_files})
    include("${_cctr_file}" OPTIONAL NO_POLICY_SCOPE)
    _cctr_ctest_read_custom_file()
  endforeach()
  unset(_cctr_files)
  unset(_cctr_file)
endmacro()

# What CTestConfig.cmake sets is set for the script; what CTestCustom.cmake sets, from 4.0.
macro(ctest_start)
  if(${ARGC} GREATER 9)
    _cctr_ctest_start(-1 ${ARGV})
  else()
    _cctr_ctest_start(${ARGC} "${ARGV0}" "${ARGV1}" "${ARGV2}" "${ARGV3}" "${ARGV4}"
      "${ARGV5}" "${ARGV6}" "${ARGV7}" "${ARGV8}")
  endif()
  foreach(_cctr_file ${_cctr_files})
    include("${_cctr_file}" NO_POLICY_SCOPE)
  endforeach()
  _cctr_ctest_configured()
  get_cmake_property(_cctr_file CCTR_CUSTOM_STAYS)
  if(_cctr_file)
    foreach(_cctr_file ${_cctr_files})
      include("${_cctr_file}" OPTIONAL NO_POLICY_SCOPE)
      _cctr_ctest_read_custom_file()
    endforeach()
  else()
    _cctr_customize()
  endif()
  unset(_cctr_files)
  unset(_cctr_file)
  _cctr_ctest_customized()
endmacro()

# ctest reads it as if nothing was set before.
function(_cctr_customize)
  _cctr_list_variables()
  foreach(_cctr_file ${_cctr_names})
    if(NOT _cctr_file MATCHES "^(CMAKE_.*|_cctr_files|UNIX|LINUX)$")
      unset("${_cctr_file}")
    endif()
  endforeach()
  unset(_cctr_names)
  unset(CMAKE_CURRENT_SOURCE_DIR)
  unset(CMAKE_CURRENT_BINARY_DIR)
  foreach(_cctr_file ${_cctr_files})
    include("${_cctr_file}" OPTIONAL NO_POLICY_SCOPE)
    _cctr_ctest_read_custom_file()
  endforeach()
endfunction()
