# cmake --install: bin/cctr, share/cctr, the man pages, completions, lib/cmake/cctr. The target
# "uninstall" removes them.
include(CMakePackageConfigHelpers)

install(TARGETS cctr EXPORT cctrTargets RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")

# The CMake files that cctr itself runs; the modules of the build stay here.
install(FILES
  cmake/CctrManifest.cmake
  cmake/CctrScript.cmake
  DESTINATION "${CMAKE_INSTALL_DATADIR}/cctr")

set(cctr_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/cctr")
install(EXPORT cctrTargets NAMESPACE cctr:: DESTINATION "${cctr_package_dir}")
configure_package_config_file(cmake/cctrConfig.cmake.in cctrConfig.cmake
  INSTALL_DESTINATION "${cctr_package_dir}"
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(cctrConfigVersion.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES
  "${PROJECT_BINARY_DIR}/cctrConfig.cmake"
  "${PROJECT_BINARY_DIR}/cctrConfigVersion.cmake"
  DESTINATION "${cctr_package_dir}")

install(FILES LICENSE README.md CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# The pages for users: --help-manual prints the manuals.
install(DIRECTORY Help/guide Help/manual Help/option Help/prop_test
  DESTINATION "${CMAKE_INSTALL_DATADIR}/cctr/Help"
  FILES_MATCHING PATTERN "*.rst" PATTERN "*.json")
install(PROGRAMS cmake/instead-of-ctest DESTINATION "${CMAKE_INSTALL_DATADIR}/cctr")

add_custom_target(uninstall
  COMMAND "${CMAKE_COMMAND}" "-DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt"
    -P "${PROJECT_SOURCE_DIR}/cmake/CctrUninstall.cmake"
  COMMENT "Removing what was installed"
  VERBATIM)

# Man pages are made from Help/ where rst2man (docutils) is found; an archive of the sources
# has them in man/. A manual may include any page of Help/, so that each depends on all of them.
file(GLOB cctr_manuals CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/Help/manual"
  "${PROJECT_SOURCE_DIR}/Help/manual/*.rst")
list(TRANSFORM cctr_manuals REPLACE "\\.rst$" "")
find_program(RST2MAN NAMES rst2man rst2man.py)
mark_as_advanced(RST2MAN)
if(RST2MAN)
  file(GLOB_RECURSE cctr_help CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/Help/*.rst")
  set(cctr_man_pages "")
  foreach(manual IN LISTS cctr_manuals)
    get_filename_component(section "${manual}" LAST_EXT)
    string(SUBSTRING "${section}" 1 1 section)
    set(page "${PROJECT_BINARY_DIR}/man/${manual}")
    add_custom_command(OUTPUT "${page}"
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${PROJECT_BINARY_DIR}/man"
      COMMAND "${RST2MAN}" --halt=warning
        "${PROJECT_SOURCE_DIR}/Help/manual/${manual}.rst" "${page}"
      DEPENDS ${cctr_help}
      COMMENT "Making ${manual}"
      VERBATIM)
    install(FILES "${page}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man${section}")
    list(APPEND cctr_man_pages "${page}")
  endforeach()
  add_custom_target(man ALL DEPENDS ${cctr_man_pages})
else()
  foreach(manual IN LISTS cctr_manuals)
    get_filename_component(section "${manual}" LAST_EXT)
    string(SUBSTRING "${section}" 1 1 section)
    install(FILES "${PROJECT_SOURCE_DIR}/man/${manual}" OPTIONAL
      DESTINATION "${CMAKE_INSTALL_MANDIR}/man${section}")
  endforeach()
endif()

# What the shells complete; cctr makes it from its own table of options.
if(NOT CMAKE_CROSSCOMPILING)
  set(cctr_completions "")
  foreach(shell IN ITEMS bash zsh fish)
    set(script "${PROJECT_BINARY_DIR}/completion/${shell}")
    add_custom_command(OUTPUT "${script}"
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${PROJECT_BINARY_DIR}/completion"
      COMMAND cctr --completion ${shell} > "${script}"
      DEPENDS cctr
      COMMENT "Making the completion of ${shell}"
      VERBATIM)
    list(APPEND cctr_completions "${script}")
  endforeach()
  add_custom_target(completion ALL DEPENDS ${cctr_completions})
  install(FILES "${PROJECT_BINARY_DIR}/completion/bash" RENAME cctr
    DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  install(FILES "${PROJECT_BINARY_DIR}/completion/zsh" RENAME _cctr
    DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
  install(FILES "${PROJECT_BINARY_DIR}/completion/fish" RENAME cctr.fish
    DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
endif()
