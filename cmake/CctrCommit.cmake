# CCTR_COMMIT: the commit that is built, for --version=full; "" where nothing says it. A checkout
# asks git, an archive that git made has it in commit.txt.
set(CCTR_COMMIT "")
find_program(GIT git)
mark_as_advanced(GIT)
if(GIT AND EXISTS "${PROJECT_SOURCE_DIR}/.git")
  execute_process(COMMAND "${GIT}" rev-parse HEAD
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    OUTPUT_VARIABLE CCTR_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  # A new commit configures again.
  execute_process(COMMAND "${GIT}" rev-parse --git-path logs/HEAD
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    OUTPUT_VARIABLE cctr_head OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  get_filename_component(cctr_head "${cctr_head}" ABSOLUTE BASE_DIR "${PROJECT_SOURCE_DIR}")
  if(EXISTS "${cctr_head}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${cctr_head}")
  endif()
else()
  file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/commit.txt" CCTR_COMMIT LIMIT_COUNT 1)
endif()
if(NOT CCTR_COMMIT MATCHES "^[0-9a-f]+$")
  set(CCTR_COMMIT "")
endif()
