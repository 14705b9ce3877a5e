# Run by cpack before it makes a package for Debian: what was installed becomes what Debian's
# policy wants. Man pages and changelogs are compressed, the license is in the file "copyright",
# and zsh looks for completions in its vendors' folder.
set(staged "${CPACK_TEMPORARY_INSTALL_DIRECTORY}")
if(NOT IS_DIRECTORY "${staged}/usr")
  set(staged "${CPACK_TEMPORARY_DIRECTORY}")
endif()
set(share "${staged}/usr/share")
set(doc "${share}/doc/cctr")

function(run_or_stop)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result ERROR_VARIABLE why)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${result} ${why}")
  endif()
endfunction()

# The date of the package: SOURCE_DATE_EPOCH, if it is set.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(debian_version "${CPACK_DEBIAN_PACKAGE_VERSION}")
if(debian_version STREQUAL "")
  set(debian_version "${CPACK_PACKAGE_VERSION}")
endif()
file(WRITE "${doc}/changelog" "cctr (${debian_version}) unstable; urgency=medium

  * Release ${CPACK_PACKAGE_VERSION}: CHANGELOG.md.gz says what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")

file(READ "${doc}/LICENSE" license)
file(REMOVE "${doc}/LICENSE")
string(REGEX MATCH "Copyright \\(c\\) ([^\n]*)" holder "${license}")
set(holder "${CMAKE_MATCH_1}")
string(REGEX REPLACE "^.*All rights reserved.\n+" "" license "${license}")
string(STRIP "${license}" license)
string(REPLACE "\n\n" "\n.\n" license "${license}")
string(REPLACE "\n" "\n " license "${license}")
file(WRITE "${doc}/copyright"
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: cctr
Upstream-Contact: ${CPACK_PACKAGE_CONTACT}

Files: *
Copyright: ${holder}
License: BSD-3-Clause

License: BSD-3-Clause
 ${license}
")

# Among ctest's texts are those that jsoncpp says of mistakes in JSON.
file(WRITE "${share}/lintian/overrides/cctr"
  "cctr: embedded-library libjsoncpp [usr/bin/cctr]\n")

file(GLOB_RECURSE pages "${share}/man/*")
run_or_stop(gzip -9n "${doc}/changelog" "${doc}/CHANGELOG.md" ${pages})
file(MAKE_DIRECTORY "${share}/zsh")
if(IS_DIRECTORY "${share}/zsh/site-functions")
  file(RENAME "${share}/zsh/site-functions" "${share}/zsh/vendor-completions")
endif()
run_or_stop(chmod 0644 "${doc}/changelog.gz" "${doc}/CHANGELOG.md.gz" "${doc}/copyright"
  "${share}/lintian/overrides/cctr")
