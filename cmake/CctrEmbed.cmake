# Files that become part of the program. cctr_embed(page page.html page.css) makes page.c in the
# build tree, which has page_html and page_css of page.h, when one of the files has changed. This
# file is also the script that does it: cmake -DNAME=page -DFILES=... -DOUTPUT=... -P CctrEmbed.cmake
function(cctr_embed name)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${name}.c")
  list(TRANSFORM ARGN PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" OUTPUT_VARIABLE files)
  file(RELATIVE_PATH header "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}/${name}.h")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DHEADER=${header}" "-DFILES=${files}" "-DOUTPUT=${output}"
      -P "${PROJECT_SOURCE_DIR}/cmake/CctrEmbed.cmake"
    DEPENDS ${files} "${PROJECT_SOURCE_DIR}/cmake/CctrEmbed.cmake"
    VERBATIM)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  set(text "/* Made by CctrEmbed.cmake. */\n#include \"${HEADER}\"\n")
  foreach(file IN LISTS FILES)
    get_filename_component(symbol "${file}" NAME)
    string(MAKE_C_IDENTIFIER "${symbol}" symbol)
    file(READ "${file}" bytes HEX)
    string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(APPEND text "\nstatic const unsigned char ${symbol}_bytes[] = {\n${bytes}\n};\n"
      "const struct str ${symbol} = {(const char *)${symbol}_bytes, sizeof ${symbol}_bytes};\n")
  endforeach()
  file(WRITE "${OUTPUT}" "${text}")
endif()
