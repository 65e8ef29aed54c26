// The checks of the verifier beyond the shape rules.
#ifndef HILO_IR_EXPECT_H_
#define HILO_IR_EXPECT_H_

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

// Returns unless the condition holds; `label` stands at the start of the message as with the rules
// of operations.
#define HILO_EXPECT(label, condition, ...) \
  if (ABSL_PREDICT_TRUE(condition)) {      \
  } else /* NOLINT */                      \
    return absl::InvalidArgumentError(absl::StrCat(label, ": ", absl::StrFormat(__VA_ARGS__)))

#endif  // HILO_IR_EXPECT_H_
