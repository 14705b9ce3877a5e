# Lets a real CMake evaluate one test file (CTestTestfile.cmake, CTestCustom.cmake) and
# writes down the calls it makes. cctr does so for files that leave the subset of the
# language that it evaluates itself. It runs, in the directory of the file,
#
#   cmake --log-level=NOTICE -P SCRIPT
#
# with a script that lists the commands to record in _cctr_commands, includes this file,
# sets the variables to start with, includes the test file and calls _cctr_answer. The global
# property CCTR_FOLDER is the folder of the answer. Where CCTR_PAUSES is set, it stops at each
# subdirectory until cctr has read it. CCTR_REFUSAL is the kind of message for a call that
# ctest refuses.
# (Environment variables or cache entries in its place would be seen by the test file.)
#
# Our variables begin with /cctr/, since a function hides what has the names of its own.
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
  set(/cctr/complaint "")
  if(name MATCHES "^set_")
    # As text: an unbalanced bracket in a name hides the elements behind it.
    string(FIND ";${arguments};" ";PROPERTIES;" /cctr/at)
    if(/cctr/at EQUAL -1)
      set(/cctr/complaint "${name} unknown error.")
    endif()
  elseif(argc EQUAL 0 OR name STREQUAL "add_test")
    set(/cctr/complaint "${name} called with incorrect number of arguments")
  endif()
  if(NOT /cctr/complaint STREQUAL "")
    get_property(/cctr/refusal GLOBAL PROPERTY CCTR_REFUSAL)
    message(${/cctr/refusal} "${/cctr/complaint}")
  endif()
  set(/cctr/complaint "${/cctr/complaint}" PARENT_SCOPE)
endfunction()

foreach(_cctr_name IN LISTS _cctr_commands)
  function(${_cctr_name})
    cmake_parse_arguments(PARSE_ARGV 0 /cctr/ "" "" "")
    list(LENGTH /cctr/_UNPARSED_ARGUMENTS /cctr/n)
    if(ARGC LESS 2 OR CMAKE_CURRENT_FUNCTION STREQUAL "set_tests_properties"
        OR CMAKE_CURRENT_FUNCTION STREQUAL "set_directory_properties")
      _cctr_check("${CMAKE_CURRENT_FUNCTION}" ${ARGC} "${/cctr/_UNPARSED_ARGUMENTS}")
      if(NOT /cctr/complaint STREQUAL "")
        return()
      endif()
    endif()
    if(/cctr/n EQUAL ARGC OR ARGC EQUAL 1)
      string(LENGTH "${/cctr/_UNPARSED_ARGUMENTS}" /cctr/n)
      set_property(GLOBAL APPEND_STRING PROPERTY CCTR_RECORD
        "${CMAKE_CURRENT_FUNCTION} ${ARGC} P ${/cctr/n}:${/cctr/_UNPARSED_ARGUMENTS}\n")
    else()
      set(/cctr/line "${CMAKE_CURRENT_FUNCTION} ${ARGC} N")
      math(EXPR /cctr/last "${ARGC}-1")
      foreach(/cctr/i RANGE ${/cctr/last})
        string(LENGTH "${ARGV${/cctr/i}}" /cctr/n)
        string(APPEND /cctr/line " ${/cctr/n}:${ARGV${/cctr/i}}")
      endforeach()
      set_property(GLOBAL APPEND_STRING PROPERTY CCTR_RECORD "${/cctr/line}\n")
    endif()
    if(CMAKE_CURRENT_FUNCTION STREQUAL "subdirs"
        OR CMAKE_CURRENT_FUNCTION STREQUAL "add_subdirectory")
      get_property(/cctr/n GLOBAL PROPERTY CCTR_PAUSES)
      if(/cctr/n)
        set(/cctr/hidden ARGC ARGN ARGV)
        math(EXPR /cctr/last "${ARGC}-1")
        foreach(/cctr/i RANGE ${/cctr/last})
          list(APPEND /cctr/hidden ARGV${/cctr/i})
        endforeach()
        _cctr_take_turns()
        get_property(/cctr/folder GLOBAL PROPERTY CCTR_FOLDER)
        include("${/cctr/folder}/reply.cmake" NO_POLICY_SCOPE)
      endif()
    endif()
  endfunction()
endforeach()
unset(_cctr_name)
unset(_cctr_commands)

# ---- the answer ----------------------------------------------------------------------------

# A process that shows what it inherits is the one exact way to list the environment.
function(_cctr_environment /cctr/file)
  foreach(/cctr/env IN ITEMS /usr/bin/env /bin/env env)
    execute_process(COMMAND "${/cctr/env}" -0
      OUTPUT_FILE "${/cctr/file}" ERROR_QUIET RESULT_VARIABLE /cctr/n)
    if(/cctr/n STREQUAL "0")
      return()
    endif()
  endforeach()
  message(SEND_ERROR "cannot list the environment with env -0: ${/cctr/n}")
endfunction()

function(_cctr_write /cctr/lines)
  get_property(/cctr/folder GLOBAL PROPERTY CCTR_FOLDER)
  _cctr_environment("${/cctr/folder}/environment")
  get_property(/cctr/record GLOBAL PROPERTY CCTR_RECORD)
  file(WRITE "${/cctr/folder}/record" "${/cctr/record}${/cctr/lines}end 0 N\n")
  set_property(GLOBAL PROPERTY CCTR_RECORD "")
endfunction()

# A macro, since a function has an ARGC, ARGN and ARGV of its own. No MATCHES, which sets
# CMAKE_MATCH_0. /cctr/hidden: names whose variables are not those of the file.
macro(_cctr_answer)
  get_cmake_property(/cctr/names VARIABLES)
  # In a list, a bracket or a backslash in a name would join it to the next one.
  string(ASCII 1 /cctr/open)
  string(ASCII 2 /cctr/close)
  string(ASCII 3 /cctr/back)
  string(REPLACE "[" "${/cctr/open}" /cctr/names "${/cctr/names}")
  string(REPLACE "]" "${/cctr/close}" /cctr/names "${/cctr/names}")
  string(REPLACE "\\" "${/cctr/back}" /cctr/names "${/cctr/names}")
  set(/cctr/lines "")
  foreach(/cctr/name IN LISTS /cctr/names)
    string(FIND "${/cctr/name}" "/cctr/" /cctr/n)
    if(/cctr/n EQUAL 0 OR /cctr/name IN_LIST /cctr/hidden)
      continue()
    endif()
    string(REPLACE "${/cctr/open}" "[" /cctr/name "${/cctr/name}")
    string(REPLACE "${/cctr/close}" "]" /cctr/name "${/cctr/name}")
    string(REPLACE "${/cctr/back}" "\\" /cctr/name "${/cctr/name}")
    string(LENGTH "${/cctr/name}" /cctr/n)
    string(LENGTH "${${/cctr/name}}" /cctr/m)
    string(APPEND /cctr/lines
      "variable 2 N ${/cctr/n}:${/cctr/name} ${/cctr/m}:${${/cctr/name}}\n")
  endforeach()
  _cctr_write("${/cctr/lines}")
endmacro()

# At a subdirectory cctr reads it and writes what has changed meanwhile to reply.cmake, which
# sets it in the scope of the caller. It holds the lock until then. The warning is for cctr:
# its call stack says where the subdirectory is named.
function(_cctr_take_turns)
  get_property(/cctr/folder GLOBAL PROPERTY CCTR_FOLDER)
  get_property(/cctr/turn GLOBAL PROPERTY CCTR_TURN)
  math(EXPR /cctr/turn "0${/cctr/turn}+1")
  set_property(GLOBAL PROPERTY CCTR_TURN ${/cctr/turn})
  foreach(/cctr/name IN ITEMS requests turn${/cctr/turn})
    if(NOT EXISTS "${/cctr/folder}/${/cctr/name}")
      message(FATAL_ERROR "${/cctr/folder}/${/cctr/name} was removed")
    endif()
  endforeach()
  _cctr_answer()
  foreach(/cctr/name IN ITEMS LOG_LEVEL INDENT CONTEXT_SHOW)
    set(CMAKE_MESSAGE_${/cctr/name} "")
  endforeach()
  get_filename_component(/cctr/name "${/cctr/folder}" NAME)
  message(WARNING "${/cctr/name}")
  file(WRITE "${/cctr/folder}/requests" "x")
  file(LOCK "${/cctr/folder}/turn${/cctr/turn}")
  file(LOCK "${/cctr/folder}/turn${/cctr/turn}" RELEASE)
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
