# Installs Hilo from BUILD and builds foreign projects against it: with CMake, with pkg-config, and the examples.
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Configures the project in `source` and builds its `targets`.
function(build source binary targets)
  run(${CMAKE_COMMAND} -S ${source} -B ${binary} -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/prefix
      -DCMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${FLAGS}")
  run(${CMAKE_COMMAND} --build ${binary} --target ${targets})
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)

build(${SOURCE}/client ${WORK}/build all)
run(${WORK}/build/client)
run(${WORK}/build/shared_client)
run(${WORK}/build/fixture_test)

# The build of Hilo itself makes all examples, from the same headers; here their project must find Hilo.
build(${EXAMPLES} ${WORK}/examples "minimal;serve")
run(${WORK}/examples/minimal)

find_program(PKG_CONFIG pkg-config REQUIRED)
set(ENV{PKG_CONFIG_PATH} ${WORK}/prefix/lib/pkgconfig)
run(sh -c "${COMPILER} -std=c++17 ${FLAGS} $(${PKG_CONFIG} --cflags hilo) ${SOURCE}/client/client.cc \
           -o ${WORK}/pkg_config_client $(${PKG_CONFIG} --libs hilo)")
run(${WORK}/pkg_config_client)
