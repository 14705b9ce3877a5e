# Memory, as the compiler's own checks see it.
get_filename_component(top "${CTEST_SCRIPT_DIRECTORY}" DIRECTORY)
set(CTEST_SITE "here")
set(CTEST_BUILD_NAME "sanitizer-${CTEST_SCRIPT_ARG}")
set(CTEST_SOURCE_DIRECTORY "${top}/source")
set(CTEST_BINARY_DIRECTORY "${top}/build")
set(CTEST_CMAKE_GENERATOR "Ninja")
set(CTEST_MEMORYCHECK_TYPE "${CTEST_SCRIPT_ARG}")
set(CTEST_MEMORYCHECK_SANITIZER_OPTIONS "verbosity=0:symbolize=0")

ctest_start(Experimental)
ctest_configure(OPTIONS
  "-DSMALL_FLAGS=-g -fsanitize=address -fno-omit-frame-pointer")
ctest_build(FLAGS -j1 NUMBER_ERRORS errors)
message("build: ${errors} errors")
ctest_memcheck(RETURN_VALUE value DEFECT_COUNT defects EXCLUDE "many_lines|to_[35]")
message("memcheck: ${value}, ${defects} defects")
ctest_submit(PARTS MemCheck RETURN_VALUE value)
message("submit: ${value}")
