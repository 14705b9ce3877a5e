# All parts in one build: labels say what is of which.
get_filename_component(top "${CTEST_SCRIPT_DIRECTORY}" DIRECTORY)
set(CTEST_SITE "here")
set(CTEST_BUILD_NAME "labels")
set(CTEST_SOURCE_DIRECTORY "${top}/source")
set(CTEST_BINARY_DIRECTORY "${top}/build")
set(CTEST_CMAKE_GENERATOR "Ninja")
set(CTEST_USE_LAUNCHERS ON)
set(CTEST_LABELS_FOR_SUBPROJECTS "shell;core")

ctest_start(Experimental)
ctest_configure(OPTIONS
  "-DPARTS_BROKEN=ON;-DPARTS_LAUNCHER=${top}/bin/launcher;-DCTEST_USE_LAUNCHERS=ON")
ctest_build(FLAGS "-k0 -j1" RETURN_VALUE value NUMBER_ERRORS errors
  NUMBER_WARNINGS warnings CAPTURE_CMAKE_ERROR captured)
message("build: ${value}, ${errors} errors, ${warnings} warnings, ${captured}")
ctest_test(RETURN_VALUE value CAPTURE_CMAKE_ERROR captured)
message("test: ${value}, ${captured}")
ctest_test(INCLUDE_LABEL "^core$" EXCLUDE_LABEL slow APPEND RETURN_VALUE value)
message("core: ${value}")
ctest_submit(RETURN_VALUE value BUILD_ID id)
message("submit: ${value}, build ${id}")
