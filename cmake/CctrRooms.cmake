# A room: one folder of sources as a static library. ROOMS are the rooms whose headers it
# includes; tests/meta/direction.sh compares them with the includes. SOURCES are files of
# the folder, LIBRARIES foreign ones, which its headers do not show.
#
#   cctr_room(runner/model ROOMS runner/base SOURCES model.c suite.c)
#
# The target of the room runner/model is cctr_runner_model.
function(cctr_room room)
  cmake_parse_arguments(PARSE_ARGV 1 room "" "" "ROOMS;SOURCES;LIBRARIES")
  cctr_room_target(target "${room}")
  set(rooms "")
  foreach(name IN LISTS room_ROOMS)
    cctr_room_target(other "${name}")
    list(APPEND rooms "${other}")
  endforeach()
  add_library("${target}" STATIC ${room_SOURCES})
  target_link_libraries("${target}"
    PUBLIC CctrBuild ${rooms}
    PRIVATE CctrStrict ${room_LIBRARIES})
endfunction()

function(cctr_room_target result room)
  string(REPLACE "/" "_" name "cctr_${room}")
  set("${result}" "${name}" PARENT_SCOPE)
endfunction()
