set(CTEST_RUN_CURRENT_SCRIPT OFF)
message("broken: $ENV{NESTED}")
message(FATAL_ERROR "on purpose")
