# The front door: each target does its own set-up. CMake and its presets do the work.
PRESET ?= release
BUILD := $(if $(filter release,$(PRESET)),build,build-$(PRESET))
JOBS ?= $(shell nproc)
CONFORMANCE := ../shared/conformance

.PHONY: build run test package wheel format clean configure

# The commands and examples, in build/bin.
build: configure
	@cmake --build --preset $(PRESET) --parallel $(JOBS) --target commands examples

# Trains a classifier on handwritten digits, then runs the program it wrote from the command line.
run: configure
	@cmake --build --preset $(PRESET) --parallel $(JOBS) --target hilo-command digits
	$(BUILD)/bin/digits --output-dir $(BUILD)/digits
	$(BUILD)/bin/hilo run $(BUILD)/digits/digits.hlo

test: configure
	@cmake --build --preset $(PRESET) --parallel $(JOBS)
	@test -d $(CONFORMANCE) || echo "No conformance data in $(CONFORMANCE): the conformance tests are left out."
	@ctest --preset $(PRESET) --parallel $(JOBS)

# Debian packages in build/: libhilo0.1, libhilo-dev and hilo.
package: build
	@cmake --build --preset $(PRESET) --parallel $(JOBS) --target hilo_shared
	@cd $(BUILD) && cpack

# The Python wheel in build-wheel/wheel/: JAX runs on Hilo once it is installed.
wheel:
	@scripts/install-deps
	@python3 scripts/build_wheel.py

format:
	@git ls-files '*.h' '*.cc' | xargs clang-format -i

clean:
	rm -rf build build-debug build-asan build-tsan build-fuzz build-wheel

configure:
	@scripts/install-deps
	@test -f $(BUILD)/build.ninja || cmake --preset $(PRESET)
