# What compilers and linkers offer against faults in C, for optimised builds: CctrBuild
# gets the flags that are there. Sanitizers replace them.
include(CheckCSourceCompiles)

option(CCTR_HARDENING "harden Release, RelWithDebInfo and MinSizeRel builds" ON)

set(cctr_is_optimised
  "$<OR:$<CONFIG:Release>,$<CONFIG:RelWithDebInfo>,$<CONFIG:MinSizeRel>>")

# cctr_harden_compiler(name flag...): CctrBuild gets the flags where they compile without a
# warning. name is the result's.
function(cctr_harden_compiler name)
  string(REPLACE ";" " " CMAKE_REQUIRED_FLAGS "-O2 -Werror ${ARGN}")
  check_c_source_compiles("#include <string.h>
int main(int argc, char **argv) { return (int)strlen(argv[argc - 1]); }" ${name})
  if(${name})
    target_compile_options(CctrBuild INTERFACE "$<${cctr_is_optimised}:${ARGN}>")
  endif()
endfunction()

# The same for flags of the linker.
function(cctr_harden_linker name)
  set(CMAKE_REQUIRED_LINK_OPTIONS ${ARGN})
  check_c_source_compiles("int main(void) { return 0; }" ${name})
  if(${name})
    target_link_options(CctrBuild INTERFACE "$<${cctr_is_optimised}:${ARGN}>")
  endif()
endfunction()

if(CCTR_HARDENING AND NOT CCTR_SANITIZE)
  cctr_harden_compiler(CCTR_FORTIFY_3 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  if(NOT CCTR_FORTIFY_3)
    cctr_harden_compiler(CCTR_FORTIFY_2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
  endif()
  cctr_harden_compiler(CCTR_STACK_PROTECTOR -fstack-protector-strong)
  cctr_harden_compiler(CCTR_STACK_CLASH -fstack-clash-protection)
  cctr_harden_compiler(CCTR_CONTROL_FLOW -fcf-protection=full)
  cctr_harden_compiler(CCTR_PIE_COMPILER -fPIE)
  cctr_harden_linker(CCTR_PIE_LINKER -pie)
  cctr_harden_linker(CCTR_RELRO LINKER:-z,relro,-z,now)
  cctr_harden_linker(CCTR_STACK_NOT_EXECUTABLE LINKER:-z,noexecstack)
endif()
