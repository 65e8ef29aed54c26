// Names for declaring tests that OpenXLA's tests were once written with. A test that some device is
// not fit for says so with one of
//
//   XLA_TEST_F(FooTest, DISABLED_ON_GPU(Adds)) { ... }
//
// which changes nothing where Hilo runs it: these name devices that Hilo does not have.
#ifndef XLA_TESTS_TEST_MACROS_H_
#define XLA_TESTS_TEST_MACROS_H_

#include "xla/hlo/testlib/test.h"

#define DISABLED_ON_GPU(test_name) test_name
#define DISABLED_ON_GPU_ROCM(test_name) test_name
#define DISABLED_ON_TPU(test_name) test_name
#define DISABLED_ON_ISS(test_name) test_name
#define DISABLED_ON_GRM(test_name) test_name
#define DISABLED_ON_DEBUG(test_name) test_name
// Hilo's back ends do what OpenXLA's for the processor and for the interpreter cannot.
#define DISABLED_ON_CPU(test_name) test_name
#define DISABLED_ON_INTERPRETER(test_name) test_name
#define DISABLED_ON_INTERPRETER_TSAN(test_name) test_name
#define OVERSIZE_ON_GRM(test_name) test_name

// TEST_F and so on, whose test name may be one of these macros.
#define XLA_TEST_F_NAMED(fixture, test_name) TEST_F(fixture, test_name)
#define XLA_TEST_F(fixture, test_name) XLA_TEST_F_NAMED(fixture, test_name)
#define XLA_TEST_P_NAMED(fixture, test_name) TEST_P(fixture, test_name)
#define XLA_TEST_P(fixture, test_name) XLA_TEST_P_NAMED(fixture, test_name)
#define XLA_TYPED_TEST_NAMED(suite, test_name) TYPED_TEST(suite, test_name)
#define XLA_TYPED_TEST(suite, test_name) XLA_TYPED_TEST_NAMED(suite, test_name)

#endif  // XLA_TESTS_TEST_MACROS_H_
