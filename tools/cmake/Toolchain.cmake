# Compiler flags and languages. No fast-math and no contraction anywhere: one contracted a*b+c changes the state
# hash, and hashes are equal on all backends and compilers.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_STANDARD_REQUIRED OFF)  # would inherit ON, and CMake 3.25 knows no CUDA 20; its flag is below
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(CCACHE ccache)
if(CCACHE)
    set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
    # DEPEND saves the second run of the preprocessor; SLOPPINESS is required for precompiled headers
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
endif()

# Half of the time of a build goes into headers and templates. Names in anonymous namespaces of one library must
# therefore not collide.
if(COALESCE_UNITY)
    set(CMAKE_UNITY_BUILD ON)
    set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)
endif()

set(COALESCE_HOST_FLAGS -ffp-contract=off)
if(COALESCE_CPU AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND COALESCE_HOST_FLAGS -march=${COALESCE_CPU})
endif()
# lines in traces, as of tools/emulate-cuda; without tests, too, or they would compile the program anew
list(APPEND COALESCE_HOST_FLAGS -g1)
# -Wpsabi warns about 64-byte vectors passed between translation units; all lane functions are inlined.
set(COALESCE_WARNINGS -Wall -Wextra -Wno-psabi)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # false positives in std::string and std::vector, GCC bug 105651 and the like
    list(APPEND COALESCE_WARNINGS -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()

# The CUDA backend.
set(COALESCE_HAS_CUDA OFF)
if(NOT COALESCE_CUDA STREQUAL "OFF")
    include(CheckLanguage)
    if(NOT CMAKE_CUDA_COMPILER)
        find_program(NVCC nvcc PATHS /usr/local/cuda/bin)
        if(NVCC)
            set(CMAKE_CUDA_COMPILER ${NVCC})
        endif()
    endif()
    # g++ is nvcc's host compiler also when clang builds the rest: nvcc accepts only certain clangs
    if(COALESCE_RELEASE_ARCHS)
        # GeForce 20 to 50, A100, H100; the PTX of 90 and 120 serves the other and later GPUs
        set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90 120)
    elseif(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
        execute_process(COMMAND nvidia-smi -L OUTPUT_VARIABLE gpus ERROR_QUIET RESULT_VARIABLE smi)
        if(smi EQUAL 0 AND gpus MATCHES "GPU")
            set(CMAKE_CUDA_ARCHITECTURES native CACHE STRING "GPU architectures")
        else()
            # PTX only: the driver of any supported GPU translates it at the first start
            set(CMAKE_CUDA_ARCHITECTURES 75-virtual CACHE STRING "GPU architectures")
        endif()
    endif()
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
        enable_language(CUDA)
        find_package(CUDAToolkit 12.4 REQUIRED)
        set(COALESCE_HAS_CUDA ON)
    elseif(COALESCE_CUDA STREQUAL "ON")
        message(FATAL_ERROR "COALESCE_CUDA=ON, but no CUDA toolkit was found. Put nvcc on the PATH, "
            "or configure with -DCOALESCE_CUDA=OFF for a CPU-only build.")
    endif()
endif()
if(COALESCE_HAS_CUDA)
    message(STATUS "CUDA backend: ${CMAKE_CUDA_COMPILER_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}")
else()
    message(STATUS "CUDA backend: off (CPU only)")
endif()

string(JOIN "," host_list ${COALESCE_HOST_FLAGS} ${COALESCE_WARNINGS})
add_compile_options(
    "$<$<COMPILE_LANGUAGE:C,CXX>:${COALESCE_HOST_FLAGS}>"
    "$<$<COMPILE_LANGUAGE:CXX>:${COALESCE_WARNINGS}>"
    # CMake 3.25 silently drops CUDA_STANDARD 20, so the flag is set here. -lineinfo names source lines in profilers.
    "$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20;-fmad=false;-lineinfo;--expt-relaxed-constexpr;-Xcompiler=${host_list}>"
    # fmt 9 disables its constexpr functions for nvcc, but its C++20 code calls them in constant expressions
    "$<$<COMPILE_LANGUAGE:CUDA>:-DFMT_USE_CONSTEXPR=1;-Xcudafe=--display_error_number>")
if(COALESCE_HAS_CUDA AND CMAKE_CUDA_COMPILER_VERSION MATCHES "^13\\.0")
    # of the version that is tested; another may warn of more
    add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>")
endif()
# with -O2 the kernels on the CPU take 1.4 times as long
set(CMAKE_CUDA_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-Og -g")
set(CMAKE_CUDA_FLAGS_DEBUG "-g -Xcompiler=-Og")  # nvcc itself knows no -Og

if(COALESCE_SANITIZE)
    add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=${COALESCE_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all>")
    add_link_options(-fsanitize=${COALESCE_SANITIZE})
endif()

# For targets that run no kernels: -O1 takes two thirds of the time that g++ takes for -O3. Of what loops over particles
# on the host, caches and checks take the same time, and an export of ply, vtk and bgeo 7 % more. Call it before
# precompiled_headers(). Results are the same: no option here changes a floating-point
# operation.
function(quick_to_compile target)
    set_property(TARGET ${target} PROPERTY COALESCE_QUICK ON)
    target_compile_options(${target} PRIVATE "$<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1>")
endfunction()

# Precompiles the headers of the standard library and of fmt, once for all targets of the same options; halves the build
# time. The first target builds the header, later ones reuse it. Every file still includes what it uses, because nvcc
# has no precompiled headers.
function(precompiled_headers target)
    if(NOT COALESCE_PRECOMPILE)
        return()
    endif()
    get_property(quick TARGET ${target} PROPERTY COALESCE_QUICK)
    set(owner_property COALESCE_PRECOMPILED_BY)
    if(quick)
        string(APPEND owner_property _QUICK)
    endif()
    get_property(owner GLOBAL PROPERTY ${owner_property})
    if(owner)
        target_precompile_headers(${target} REUSE_FROM ${owner})
        return()
    endif()
    set_property(GLOBAL PROPERTY ${owner_property} ${target})
    foreach(header algorithm array chrono cmath cstdint filesystem fstream functional map memory optional set span
            string unordered_map utility variant vector fmt/format.h Eigen/Geometry)
        target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:<${header}$<ANGLE-R>>")
    endforeach()
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_compile_options(${target} PUBLIC "$<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>")  # for ccache
    endif()
endfunction()

# Adds files that launch kernels: CUDA when CUDA is on, C++ otherwise. core/for_each.h refuses to compile elsewhere.
# nvcc parses all headers three times and has no precompiled headers, some 7 s per translation unit. The files of
# one call are therefore compiled as one unit, and so are the files of a target that come alone
# (single_device_sources); names in their anonymous namespaces must not collide.
function(device_sources target)
    if(NOT ARGN)
        return()
    endif()
    list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE files)
    target_sources(${target} PRIVATE ${files})
    if(NOT COALESCE_HAS_CUDA)
        set_source_files_properties(${files} TARGET_DIRECTORY ${target} PROPERTIES
            COMPILE_DEFINITIONS COALESCE_DEVICE_SOURCE=1)
        return()
    endif()
    set_source_files_properties(${files} TARGET_DIRECTORY ${target} PROPERTIES HEADER_FILE_ONLY ON)
    list(LENGTH files count)
    if(count EQUAL 1)
        set_property(TARGET ${target} APPEND PROPERTY COALESCE_SINGLE_DEVICE_SOURCES ${files})
        return()
    endif()
    get_filename_component(name ${CMAKE_CURRENT_SOURCE_DIR} NAME)
    get_property(taken DIRECTORY PROPERTY COALESCE_HAS_DEVICE_UNIT)
    if(taken)
        message(FATAL_ERROR "device_sources() was called twice in ${CMAKE_CURRENT_SOURCE_DIR}: use one call.")
    endif()
    set_property(DIRECTORY PROPERTY COALESCE_HAS_DEVICE_UNIT ON)
    device_unit(${target} ${CMAKE_CURRENT_BINARY_DIR}/${name}_device.cu ${files})
endfunction()

# Call it after all device_sources() of the target.
function(single_device_sources target)
    get_property(files TARGET ${target} PROPERTY COALESCE_SINGLE_DEVICE_SOURCES)
    if(files)
        device_unit(${target} ${CMAKE_CURRENT_BINARY_DIR}/${target}_single_device.cu ${files})
    endif()
endfunction()

# One CUDA translation unit of several files.
function(device_unit target unit)
    set(text "")
    foreach(file ${ARGN})
        file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${file})
        string(APPEND text "#include \"${path}\"\n")
    endforeach()
    file(CONFIGURE OUTPUT ${unit} CONTENT "${text}" @ONLY)
    target_sources(${target} PRIVATE ${unit})
    set_source_files_properties(${unit} TARGET_DIRECTORY ${target} PROPERTIES
        LANGUAGE CUDA COMPILE_DEFINITIONS COALESCE_DEVICE_SOURCE=1)
endfunction()
