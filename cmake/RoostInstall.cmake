# What `cmake --install` puts where, and the packages that CPack makes of it: libroost0 (the shared library), libroost-dev (what
# linking needs) and roost (the command).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(dialect_dir "${CMAKE_INSTALL_INCLUDEDIR}/roost/device/dialect")
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/roost")

set_target_properties(roost PROPERTIES EXPORT_NAME roost_static)
set_target_properties(roost_shared PROPERTIES EXPORT_NAME roost)
install(TARGETS roost_shared EXPORT roost-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${dialect_dir})
install(TARGETS roost EXPORT roost-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${dialect_dir})
install(DIRECTORY include/roost DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

# What roost/device/slab.h includes: the item operations themselves, under the names that they have here.
foreach(header portable/atomic.h portable/bits.h portable/bucket.h portable/drivers.h portable/hash.h portable/item.h portable/machine.h
        portable/partition_items.h portable/slab_alloc.h portable/stamp.h portable/tile.h portable/value.h engines/slab/slab.h engines/slab/slab_items.h
        engines/slab/slab_slots.h)
    get_filename_component(directory ${header} DIRECTORY)
    install(FILES src/${header} DESTINATION ${dialect_dir}/${directory} COMPONENT development)
endforeach()

# find_package(roost) gives roost::roost and roost::roost_static.
install(EXPORT roost-targets NAMESPACE roost:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(cmake/roost-config.cmake.in "${PROJECT_BINARY_DIR}/roost-config.cmake"
                              INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/roost-config-version.cmake" COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/roost-config.cmake" "${PROJECT_BINARY_DIR}/roost-config-version.cmake"
        DESTINATION ${package_dir} COMPONENT development)

# pkg-config finds its prefix by its own place, so that an installed tree may be moved.
file(RELATIVE_PATH ROOST_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
set(ROOST_PC_PRIVATE "${OpenMP_C_FLAGS} -lpthread -lm")
if(ROOST_WITH_CUDA)
    get_filename_component(cudart_dir "${ROOST_CUDART}" DIRECTORY)
    string(APPEND ROOST_PC_PRIVATE " -L${cudart_dir} -lcudart_static -ldl -lrt -lstdc++")
endif()
configure_file(cmake/roost.pc.in "${PROJECT_BINARY_DIR}/roost.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/roost.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

if(TARGET roost_command)
    install(TARGETS roost_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
    configure_file(docs/roost.1.in "${PROJECT_BINARY_DIR}/roost.1" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/roost.1" DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
    install(FILES src/cli/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME roost
            COMPONENT command)
endif()

set(CPACK_PACKAGE_NAME roost)
set(CPACK_PACKAGE_CONTACT "The Roost authors <roost@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Hash tables for GPUs and CPUs behind one small C API")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME "roost-${PROJECT_VERSION}")
set(CPACK_SOURCE_IGNORE_FILES "/\\\\.git/" "/build[^/]*/" "/shared/")
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL runtime development command)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libroost${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libroost-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libroost${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME roost)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS gnuplot-nox)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "The shared library.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Header, static library, pkg-config file and CMake package.")
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "The command roost: counts keys, replays workloads, describes engines and devices.")
include(CPack)
