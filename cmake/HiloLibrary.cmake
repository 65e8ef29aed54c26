# hilo_library(NAME FOLDERS folders... LINKS libraries...): one static library from the .cc files of folders of src/.
# The LINKS line is the layer rule: a folder may include only what it links (scripts/check_layers.py has the same table).
function(hilo_library name)
  cmake_parse_arguments(arg "" "" "LINKS;FOLDERS" ${ARGN})
  set(sources)
  foreach(folder IN LISTS arg_FOLDERS)
    file(GLOB folder_sources CONFIGURE_DEPENDS ${folder}/*.cc)
    list(APPEND sources ${folder_sources})
  endforeach()
  list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/base/precompiled.cc)
  if(sources)
    add_library(${name} STATIC ${sources})
    hilo_compile_options(${name})
    hilo_link(${name} PUBLIC ${arg_LINKS})
  else()
    add_library(${name} INTERFACE)
    hilo_link(${name} INTERFACE ${arg_LINKS})
  endif()
  set_property(GLOBAL APPEND PROPERTY HILO_LIBRARIES ${name})
endfunction()

# target_link_libraries, but programs whose property HILO_STATIC is on get the archives of Abseil and protobuf.
function(hilo_link target scope)
  set(linked "$<BUILD_INTERFACE:$<IF:$<BOOL:$<TARGET_PROPERTY:HILO_STATIC>>,\\1_\\2_archived,\\0>>")
  list(TRANSFORM ARGN REPLACE "^(absl|protobuf)::(.+)$" "${linked}$<INSTALL_INTERFACE:\\0>")
  target_link_libraries(${target} ${scope} ${ARGN})
endfunction()

# Warnings, include paths and the precompiled header that targets share: that of the libraries, or of the one given.
function(hilo_compile_options target)
  set(precompiled hilo_precompiled)
  if(ARGN)
    set(precompiled ${ARGN})
  endif()
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers
                                           -fno-math-errno -ffp-contract=off)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # False alarms inside absl::InlinedVector, std::string and the macros of GoogleTest; and what private classes
    # of a file hold looks like linkage to it where several files are compiled as one.
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized -Wno-uninitialized -Wno-stringop-overflow
                                             -Wno-restrict -Wno-array-bounds -Wno-dangling-else
                                             -Wno-subobject-linkage)
  endif()
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  if(target STREQUAL precompiled)
    return()
  endif()
  # A precompiled header serves only files compiled like itself, so programs get the libraries' -fPIC.
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${precompiled})
endfunction()
