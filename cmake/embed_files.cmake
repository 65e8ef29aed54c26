# hilo_embed_files(TARGET HEADER NAMESPACE FILES...): a header for TARGET, included as "HEADER", in which the text of each
# file is a constant called after it: page.css is kPageCss. It is written anew when a file changes.
function(hilo_embed_files target header namespace)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/generated/${header})
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${output}" "-DNAMESPACE=${namespace}" "-DFILES=${ARGN}"
            -P ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
    DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated)
endfunction()

# The command above runs this file as a script.
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  set(constants "")
  foreach(file IN LISTS FILES)
    get_filename_component(name ${file} NAME)
    string(REGEX MATCHALL "[A-Za-z0-9]+" words ${name})
    set(constant k)
    foreach(word IN LISTS words)
      string(SUBSTRING ${word} 0 1 first)
      string(SUBSTRING ${word} 1 -1 rest)
      string(TOUPPER ${first} first)
      string(APPEND constant ${first}${rest})
    endforeach()
    file(READ ${file} text)
    string(APPEND constants "inline constexpr char ${constant}[] = R\"embedded(${text})embedded\";\n")
  endforeach()
  file(WRITE ${OUTPUT} "namespace ${NAMESPACE} {\n${constants}}  // namespace ${NAMESPACE}\n")
endif()
