# OpenVDB files, where libopenvdb is installed: the target coalesce_openvdb to link, and openvdb_sources() for the files
# that read and write them.
set(COALESCE_VDB AUTO CACHE STRING "Read and write OpenVDB files: AUTO (when the library is found), ON, OFF")
set_property(CACHE COALESCE_VDB PROPERTY STRINGS AUTO ON OFF)
set(COALESCE_HAS_VDB OFF)
if(NOT COALESCE_VDB STREQUAL "OFF")
    # its own module FindOpenVDB would look for TBB a second time, in another way
    find_path(OPENVDB_INCLUDE openvdb/openvdb.h)
    find_path(OPENVDB_BOOST_INCLUDE boost/numeric/conversion/conversion_traits.hpp)
    find_library(OPENVDB_LIBRARY openvdb)
    if(OPENVDB_INCLUDE AND OPENVDB_BOOST_INCLUDE AND OPENVDB_LIBRARY)
        set(COALESCE_HAS_VDB ON)
    elseif(COALESCE_VDB STREQUAL "ON")
        message(FATAL_ERROR "COALESCE_VDB=ON, but OpenVDB or the headers of Boost were not found. Install "
            "libopenvdb-dev and libboost-dev, or configure with -DCOALESCE_VDB=OFF.")
    endif()
endif()

add_library(coalesce_openvdb INTERFACE)
if(COALESCE_HAS_VDB)
    find_package(Imath 3 REQUIRED CONFIG)
    target_link_libraries(coalesce_openvdb INTERFACE ${OPENVDB_LIBRARY} TBB::tbb Imath::Imath)
    message(STATUS "OpenVDB: ${OPENVDB_LIBRARY}")
elseif(COALESCE_VDB STREQUAL "OFF")
    message(STATUS "OpenVDB: off (COALESCE_VDB=OFF)")
else()
    message(STATUS "OpenVDB: off (libopenvdb-dev and libboost-dev are not installed)")
endif()

# Adds sources that include headers of OpenVDB, or the one that replaces them where it is not installed. Only they see its
# folders, and each is compiled as a unit of its own.
function(openvdb_sources target with without)
    if(NOT COALESCE_HAS_VDB)
        target_sources(${target} PRIVATE ${without})
        set_source_files_properties(${without} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
        return()
    endif()
    target_sources(${target} PRIVATE ${with})
    get_target_property(folders Imath::Imath INTERFACE_INCLUDE_DIRECTORIES)
    list(APPEND folders ${OPENVDB_INCLUDE} ${OPENVDB_BOOST_INCLUDE})
    list(REMOVE_ITEM folders ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})  # named again, they would hide C headers
    set_source_files_properties(${with} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
        INCLUDE_DIRECTORIES "${folders}")
endfunction()
