# Options that make compiler and linker faster and change nothing of what the programs do.
include(CheckLinkerFlag)

# GCC collects its garbage from 128 MiB on by default, again and again in files that need 1 GiB anyway.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=4000000>)
endif()

# GNU ld takes ten seconds for a program that these link in one.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT CMAKE_EXE_LINKER_FLAGS MATCHES "-fuse-ld")
  foreach(linker IN ITEMS lld gold)
    check_linker_flag(CXX -fuse-ld=${linker} HILO_LINKS_WITH_${linker})
    if(HILO_LINKS_WITH_${linker})
      add_link_options(-fuse-ld=${linker})
      break()
    endif()
  endforeach()
endif()
