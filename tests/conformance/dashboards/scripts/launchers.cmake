# A build whose commands are recorded as they run.
get_filename_component(top "${CTEST_SCRIPT_DIRECTORY}" DIRECTORY)
set(CTEST_SITE "here")
set(CTEST_BUILD_NAME "launchers")
set(CTEST_SOURCE_DIRECTORY "${top}/source")
set(CTEST_BINARY_DIRECTORY "${top}/build")
set(CTEST_CMAKE_GENERATOR "Ninja")
set(CTEST_USE_LAUNCHERS 1)
set(CTEST_BUILD_FLAGS "-k0 -j1")
set(CTEST_CUSTOM_WARNING_EXCEPTION "not_used")

ctest_start(Experimental)
ctest_configure(OPTIONS "-DSMALL_WARNS=ON;-DSMALL_BROKEN=ON;-DCTEST_USE_LAUNCHERS=ON"
  "-DSMALL_LAUNCHER=${top}/bin/launcher" RETURN_VALUE value)
message("configure: ${value}")
ctest_build(RETURN_VALUE value NUMBER_ERRORS errors NUMBER_WARNINGS warnings
  CAPTURE_CMAKE_ERROR captured)
message("build: ${value}, ${errors} errors, ${warnings} warnings, ${captured}")
ctest_submit(PARTS Configure Build RETURN_VALUE value)
message("submit: ${value}")
ctest_build(TARGET counting APPEND RETURN_VALUE value)
message("one target: ${value}")
