// The headers nearly every test needs.
#ifndef HILO_TESTS_PRECOMPILED_H_
#define HILO_TESTS_PRECOMPILED_H_

#include "base/precompiled.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#endif  // HILO_TESTS_PRECOMPILED_H_
