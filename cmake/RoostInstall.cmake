# What `cmake --install` installs where, and the packages that CPack makes of it: libroost0 (the
# shared library), libroost-dev (for linking), roost (the command), python3-roost and, where there
# is an MPI, libroost-mpi.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
find_program(ROOST_GZIP gzip REQUIRED)
mark_as_advanced(ROOST_GZIP)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/roost")

set_target_properties(roost PROPERTIES EXPORT_NAME roost_static)
set_target_properties(roost_shared PROPERTIES EXPORT_NAME roost)
install(TARGETS roost_shared EXPORT roost-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS roost EXPORT roost-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/roost DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development FILES_MATCHING PATTERN "*.h"
        PATTERN device EXCLUDE)

# roost_install_device(SOURCE DIRECTORY): installs a header into a directory of the include path,
# with the dialect's headers that it includes. These go to roost/device/dialect, and the copies name
# that place. So a user's include path has only PREFIX/include, and no portable/hash.h.
function(roost_install_device source directory)
    get_filename_component(name "${source}" NAME)
    set(copy "${PROJECT_BINARY_DIR}/installed/${directory}/${name}")
    get_property(copies GLOBAL PROPERTY ROOST_DEVICE_COPIES)
    if(copy IN_LIST copies)
        return()
    endif()
    set_property(GLOBAL APPEND PROPERTY ROOST_DEVICE_COPIES "${copy}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
    file(READ "${source}" text)
    string(REGEX MATCHALL "#include \"(portable|engines)/[^\"]*" includes "${text}")
    string(REGEX REPLACE "#include \"(portable|engines)/" "#include \"roost/device/dialect/\\1/" text "${text}")
    file(WRITE "${copy}" "${text}")
    install(FILES "${copy}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/${directory}" COMPONENT development)
    foreach(include IN LISTS includes)
        string(REPLACE "#include \"" "" include "${include}")
        get_filename_component(below "${include}" DIRECTORY)
        roost_install_device("${PROJECT_SOURCE_DIR}/src/${include}" "roost/device/dialect/${below}")
    endforeach()
endfunction()
# The device API of each engine of this build that has one.
foreach(engine IN LISTS ROOST_ENGINE_ROOMS)
    if(EXISTS "${PROJECT_SOURCE_DIR}/include/roost/device/${engine}.h")
        roost_install_device("${PROJECT_SOURCE_DIR}/include/roost/device/${engine}.h" roost/device)
    endif()
endforeach()

# roost_compress(FILE): writes FILE.gz as Debian requires.
function(roost_compress file)
    execute_process(COMMAND "${ROOST_GZIP}" -9nkf "${file}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# find_package(roost) gives roost::roost and roost::roost_static.
install(EXPORT roost-targets NAMESPACE roost:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(cmake/roost-config.cmake.in "${PROJECT_BINARY_DIR}/roost-config.cmake"
                              INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/roost-config-version.cmake" COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/roost-config.cmake" "${PROJECT_BINARY_DIR}/roost-config-version.cmake"
        DESTINATION ${package_dir} COMPONENT development)

# pkg-config derives the prefix from the file's own place, so an installed tree may be moved.
# roost.pc is the shared library. roost-static.pc names libroost.a by its path, because -lroost
# would take the shared library beside it. Neither names a folder of this machine: the user adds the
# CUDA toolkit's library folder if it is not searched.
file(RELATIVE_PATH ROOST_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
set(ROOST_PC_STATIC "-lpthread -lm -ldl")
if(ROOST_WITH_CUDA)
    string(APPEND ROOST_PC_STATIC " -lcudart_static -lrt -lstdc++")
endif()
foreach(pc IN ITEMS roost roost-static)
    configure_file(cmake/${pc}.pc.in "${PROJECT_BINARY_DIR}/${pc}.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/${pc}.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endforeach()

# The library of comms over MPI.  Its users compile with the MPI's own compiler.
if(TARGET roost_mpi_shared)
    install(TARGETS roost_mpi_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT mpi)
    install(FILES include/roost-mpi/roost/mpi.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/roost COMPONENT mpi)
    configure_file(cmake/roost-mpi.pc.in "${PROJECT_BINARY_DIR}/roost-mpi.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/roost-mpi.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT mpi)
endif()

if(TARGET roost_command)
    install(TARGETS roost_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
    configure_file(docs/roost.1.in "${PROJECT_BINARY_DIR}/roost.1" @ONLY)
    roost_compress("${PROJECT_BINARY_DIR}/roost.1")
    install(FILES "${PROJECT_BINARY_DIR}/roost.1.gz" DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
    foreach(shell IN ITEMS bash zsh fish)
        add_custom_command(OUTPUT "${PROJECT_BINARY_DIR}/completion.${shell}"
                           COMMAND roost_command completion ${shell} > "${PROJECT_BINARY_DIR}/completion.${shell}"
                           DEPENDS roost_command VERBATIM)
    endforeach()
    add_custom_target(roost_completion ALL DEPENDS "${PROJECT_BINARY_DIR}/completion.bash" "${PROJECT_BINARY_DIR}/completion.zsh"
                                                   "${PROJECT_BINARY_DIR}/completion.fish")
    add_dependencies(roost_ship roost_completion)
    install(FILES "${PROJECT_BINARY_DIR}/completion.bash" DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME roost
            COMPONENT command)
    install(FILES "${PROJECT_BINARY_DIR}/completion.zsh" DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _roost
            COMPONENT command)
    install(FILES "${PROJECT_BINARY_DIR}/completion.fish" DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME roost.fish
            COMPONENT command)
endif()

# The Python package, for Debian's Python alone: others take the wheel, or `pip install .`.
set(python_place lib/python3/dist-packages/roost)
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/debian/_built.py" @ONLY CONTENT
"# The build wrote this: the library that the package is for.
VERSION = \"@PROJECT_VERSION@\"
LIBRARY = \"libroost.so.@PROJECT_VERSION_MAJOR@\"
")
install(DIRECTORY python/roost/ DESTINATION ${python_place} COMPONENT python EXCLUDE_FROM_ALL
        FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
install(FILES "${PROJECT_BINARY_DIR}/debian/_built.py" DESTINATION ${python_place} COMPONENT python EXCLUDE_FROM_ALL)
file(WRITE "${PROJECT_BINARY_DIR}/debian/python/postinst" "#!/bin/sh\nset -e\nif command -v py3compile >/dev/null; then py3compile -p python3-roost; fi\n")
file(WRITE "${PROJECT_BINARY_DIR}/debian/python/prerm" "#!/bin/sh\nset -e\nif command -v py3clean >/dev/null; then py3clean -p python3-roost; fi\n")
file(CHMOD "${PROJECT_BINARY_DIR}/debian/python/postinst" "${PROJECT_BINARY_DIR}/debian/python/prerm"
     PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_PACKAGE_NAME roost)
set(CPACK_PACKAGE_CONTACT "The Roost authors <roost@roost.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Hash tables for GPUs and CPUs behind one small C API")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME "roost-${PROJECT_VERSION}")
set(CPACK_SOURCE_IGNORE_FILES "/\\\\.git/" "/build[^/]*/" "/shared/")
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL runtime development command python)
if(TARGET roost_mpi_shared)
    list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libroost${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA "${PROJECT_BINARY_DIR}/debian/shlibs;${PROJECT_BINARY_DIR}/debian/triggers")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libroost-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libroost${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME roost)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS gnuplot-nox)
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-roost)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= 3.9), python3-numpy, libroost${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA "${PROJECT_BINARY_DIR}/debian/python/postinst;${PROJECT_BINARY_DIR}/debian/python/prerm")
set(CPACK_DEBIAN_MPI_PACKAGE_NAME libroost-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_MPI_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}")
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS
    "libroost${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(CPACK_DEBIAN_MPI_PACKAGE_CONTROL_EXTRA "${PROJECT_BINARY_DIR}/debian/triggers")
set(CPACK_COMPONENT_MPI_DESCRIPTION "Tables over the processes of an MPI job: library and header.")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "The shared library.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Header, static library, pkg-config file and CMake package.")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "The Python package roost: tables of arrays of NumPy, Arrow and others.")
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "The command roost: counts keys, replays workloads,\ndescribes engines and devices.")

# Files of each Debian package in /usr/share/doc/PACKAGE: its licence and its changelog.
string(TIMESTAMP debian_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/debian/copyright" @ONLY CONTENT
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: roost
Source: @PROJECT_NAME@-@PROJECT_VERSION@.tar.gz

Files: *
Copyright: 2026 The Roost authors
License: Apache-2.0
 On Debian systems, the full text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
")
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/debian/changelog.Debian" @ONLY CONTENT
"roost (@PROJECT_VERSION@-@CPACK_DEBIAN_PACKAGE_RELEASE@) unstable; urgency=medium

  * Version @PROJECT_VERSION@; CHANGELOG.md of the sources says what is new.

 -- @CPACK_PACKAGE_CONTACT@  @debian_date@
")
roost_compress("${PROJECT_BINARY_DIR}/debian/changelog.Debian")
file(WRITE "${PROJECT_BINARY_DIR}/debian/triggers" "activate-noawait ldconfig\n")
file(WRITE "${PROJECT_BINARY_DIR}/debian/shlibs"
     "libroost ${PROJECT_VERSION_MAJOR} libroost${PROJECT_VERSION_MAJOR} (>= ${PROJECT_VERSION})\n")
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
    string(TOUPPER ${component} upper)
    set(alone "")
    if(component STREQUAL "python")
        set(alone EXCLUDE_FROM_ALL)
    endif()
    install(FILES "${PROJECT_BINARY_DIR}/debian/copyright" "${PROJECT_BINARY_DIR}/debian/changelog.Debian.gz"
            DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME} COMPONENT ${component} ${alone})
endforeach()
include(CPack)
