# Runs others, in this process and in another.
set(CTEST_RUN_CURRENT_SCRIPT OFF)
set(of_nested "seen by nobody")
set(ENV{NESTED} "set by nested")
ctest_run_script("${CTEST_SCRIPT_DIRECTORY}/inner.cmake" RETURN_VALUE value)
message("inner: ${value}; tested '${tested}', environment '$ENV{INNER}'")
ctest_run_script(NEW_PROCESS "${CTEST_SCRIPT_DIRECTORY}/inner.cmake,again"
  RETURN_VALUE value)
message("inner in a process: ${value}")
ctest_run_script("${CTEST_SCRIPT_DIRECTORY}/no_such.cmake" RETURN_VALUE value)
message("no such script: ${value}")
ctest_run_script("${CTEST_SCRIPT_DIRECTORY}/broken.cmake"
  "${CTEST_SCRIPT_DIRECTORY}/inner.cmake,last" RETURN_VALUE value)
message("two: ${value}")
