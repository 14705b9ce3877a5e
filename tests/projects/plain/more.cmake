# Read by the test runner, before the tests of the directory are added.
set(ENV{FROM_INCLUDE_FILE} yes)
foreach(i RANGE 1 2)
  add_test(included_${i} "/bin/sh" "-c" "echo \$FROM_INCLUDE_FILE")
endforeach()
