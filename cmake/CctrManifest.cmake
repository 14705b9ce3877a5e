# Lets a real CMake evaluate one test file (CTestTestfile.cmake, CTestCustom.cmake) and
# writes down the calls it makes. cctr does so for files that leave the subset of the
# language that it evaluates itself. It runs, in the directory of the file,
#
#   cmake --log-level=NOTICE -P SCRIPT
#
# with a script that lists the commands to record in _cctr_commands, includes this file,
# sets the variables to start with, includes the test file and calls _cctr_answer. Where the
# global property CCTR_FOLDER is set, it stops at each subdirectory until cctr has read it.
# CCTR_REFUSAL is the kind of message for a call that ctest refuses.
# (Environment variables or cache entries in its place would be seen by the test file.)
#
# The record is a sequence of lines; lengths count bytes, fields may hold line breaks:
#
#   NAME ARGC P LENGTH:ARGUMENTS       joined by ';', a ';' inside an argument is '\;'
#   NAME ARGC N LENGTH:ARG LENGTH:ARG ...
#
# The commands come in their order, then "variable" with name and value for each variable
# that is set, then "end". No "end": the file was not read to its end.
#
# The file must find what it finds in ctest: no policy set, no variable of ours, none of
# those that only a script has. Whoever overrides add_test finds ours as _add_test.
cmake_policy(PUSH)
cmake_policy(VERSION 3.17...3.31)

# Appending to a global property is cheap; to a variable of another scope it is not.
set_property(GLOBAL PROPERTY CCTR_RECORD "")

# ---- the commands of test files ----------------------------------------------------------
# Functions, since the arguments of a macro are evaluated a second time. One call of
# cmake_parse_arguments joins all arguments. That can be undone unless an argument ends in
# '\' or brackets are unbalanced; then the list seems shorter than ARGC, and the arguments
# are written one by one.

# A call that ctest refuses is complained about here, where its line is known, and is not
# recorded.
function(_cctr_check name argc arguments)
  set(_cctr_complaint "")
  if(name MATCHES "^set_")
    # As text: an unbalanced bracket in a name hides the elements behind it.
    string(FIND ";${arguments};" ";PROPERTIES;" _cctr_at)
    if(_cctr_at EQUAL -1)
      set(_cctr_complaint "${name} unknown error.")
    endif()
  elseif(argc EQUAL 0 OR name STREQUAL "add_test")
    set(_cctr_complaint "${name} called with incorrect number of arguments")
  endif()
  if(NOT _cctr_complaint STREQUAL "")
    get_property(_cctr_refusal GLOBAL PROPERTY CCTR_REFUSAL)
    message(${_cctr_refusal} "${_cctr_complaint}")
  endif()
  set(_cctr_complaint "${_cctr_complaint}" PARENT_SCOPE)
endfunction()

foreach(_cctr_name IN LISTS _cctr_commands)
  function(${_cctr_name})
    cmake_parse_arguments(PARSE_ARGV 0 _cctr "" "" "")
    list(LENGTH _cctr_UNPARSED_ARGUMENTS _cctr_n)
    if(ARGC LESS 2 OR CMAKE_CURRENT_FUNCTION MATCHES "^set_")
      _cctr_check("${CMAKE_CURRENT_FUNCTION}" ${ARGC} "${_cctr_UNPARSED_ARGUMENTS}")
      if(NOT _cctr_complaint STREQUAL "")
        return()
      endif()
    endif()
    if(_cctr_n EQUAL ARGC OR ARGC EQUAL 1)
      string(LENGTH "${_cctr_UNPARSED_ARGUMENTS}" _cctr_n)
      set_property(GLOBAL APPEND_STRING PROPERTY CCTR_RECORD
        "${CMAKE_CURRENT_FUNCTION} ${ARGC} P ${_cctr_n}:${_cctr_UNPARSED_ARGUMENTS}\n")
    else()
      set(_cctr_line "${CMAKE_CURRENT_FUNCTION} ${ARGC} N")
      math(EXPR _cctr_last "${ARGC}-1")
      foreach(_cctr_i RANGE ${_cctr_last})
        string(LENGTH "${ARGV${_cctr_i}}" _cctr_n)
        string(APPEND _cctr_line " ${_cctr_n}:${ARGV${_cctr_i}}")
      endforeach()
      set_property(GLOBAL APPEND_STRING PROPERTY CCTR_RECORD "${_cctr_line}\n")
    endif()
    if(CMAKE_CURRENT_FUNCTION STREQUAL "subdirs"
        OR CMAKE_CURRENT_FUNCTION STREQUAL "add_subdirectory")
      get_property(_cctr_folder GLOBAL PROPERTY CCTR_FOLDER)
      if(_cctr_folder)
        _cctr_take_turns("${_cctr_folder}")
        include("${_cctr_folder}/reply.cmake" NO_POLICY_SCOPE)
      endif()
    endif()
  endfunction()
endforeach()
unset(_cctr_name)
unset(_cctr_commands)

# ---- the answer ----------------------------------------------------------------------------

function(_cctr_variables _cctr_result)
  get_cmake_property(_cctr_names VARIABLES)
  # In a list, a bracket or a backslash in a name would join it to the next one.
  string(ASCII 1 _cctr_open)
  string(ASCII 2 _cctr_close)
  string(ASCII 3 _cctr_back)
  string(REPLACE "[" "${_cctr_open}" _cctr_names "${_cctr_names}")
  string(REPLACE "]" "${_cctr_close}" _cctr_names "${_cctr_names}")
  string(REPLACE "\\" "${_cctr_back}" _cctr_names "${_cctr_names}")
  set(_cctr_lines "")
  foreach(_cctr_name IN LISTS _cctr_names)
    if(_cctr_name MATCHES "^(_cctr_.*|ARG[CVN][0-9]*)$")
      continue()
    endif()
    if(_cctr_name MATCHES "[${_cctr_open}-${_cctr_back}]")
      string(REPLACE "${_cctr_open}" "[" _cctr_name "${_cctr_name}")
      string(REPLACE "${_cctr_close}" "]" _cctr_name "${_cctr_name}")
      string(REPLACE "${_cctr_back}" "\\" _cctr_name "${_cctr_name}")
    endif()
    string(LENGTH "${_cctr_name}" _cctr_n)
    string(LENGTH "${${_cctr_name}}" _cctr_m)
    string(APPEND _cctr_lines
      "variable 2 N ${_cctr_n}:${_cctr_name} ${_cctr_m}:${${_cctr_name}}\n")
  endforeach()
  set(${_cctr_result} "${_cctr_lines}" PARENT_SCOPE)
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
  message(SEND_ERROR "cannot list the environment with env -0: ${_cctr_n}")
endfunction()

function(_cctr_answer _cctr_folder)
  _cctr_variables(_cctr_lines)
  _cctr_environment("${_cctr_folder}/environment")
  get_property(_cctr_record GLOBAL PROPERTY CCTR_RECORD)
  file(WRITE "${_cctr_folder}/record" "${_cctr_record}${_cctr_lines}end 0 N\n")
  set_property(GLOBAL PROPERTY CCTR_RECORD "")
endfunction()

# At a subdirectory cctr reads it and writes what has changed meanwhile to reply.cmake, which
# sets it in the scope of the caller. It holds the lock until then. The warning is for cctr:
# its call stack says where the subdirectory is named.
function(_cctr_take_turns _cctr_folder)
  _cctr_answer("${_cctr_folder}")
  foreach(_cctr_name IN ITEMS LOG_LEVEL INDENT CONTEXT_SHOW)
    set(CMAKE_MESSAGE_${_cctr_name} "")
  endforeach()
  get_filename_component(_cctr_name "${_cctr_folder}" NAME)
  message(WARNING "${_cctr_name}")
  get_property(_cctr_turn GLOBAL PROPERTY CCTR_TURN)
  math(EXPR _cctr_turn "0${_cctr_turn}+1")
  set_property(GLOBAL PROPERTY CCTR_TURN ${_cctr_turn})
  file(WRITE "${_cctr_folder}/requests" "x")
  file(LOCK "${_cctr_folder}/turn${_cctr_turn}")
  file(LOCK "${_cctr_folder}/turn${_cctr_turn}" RELEASE)
endfunction()

# ---- the variables of ctest's reader --------------------------------------------------------
# Test files ask CMAKE_SCRIPT_MODE_FILE whether they run while building.

foreach(_cctr_i RANGE ${CMAKE_ARGC})
  unset(CMAKE_ARGV${_cctr_i})
endforeach()
unset(_cctr_i)
unset(CMAKE_ARGC)
foreach(_cctr_i IN ITEMS CMAKE_COMMAND CMAKE_CTEST_COMMAND CMAKE_CPACK_COMMAND CMAKE_ROOT)
  unset(${_cctr_i} CACHE)
endforeach()
unset(_cctr_i)
unset(CMAKE_SCRIPT_MODE_FILE)
unset(CMAKE_CURRENT_SOURCE_DIR)
unset(CMAKE_CURRENT_BINARY_DIR)
if(CMAKE_VERSION VERSION_LESS 4.0)
  set(CMAKE_SOURCE_DIR "")
  set(CMAKE_BINARY_DIR "")
else()
  unset(CMAKE_SOURCE_DIR)
  unset(CMAKE_BINARY_DIR)
endif()
cmake_policy(POP)
