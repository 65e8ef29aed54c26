// The algorithms for products of matrices, in HLO one value, in StableHLO several attributes.
#ifndef HILO_FRONT_STABLEHLO_DOT_ALGORITHMS_H_
#define HILO_FRONT_STABLEHLO_DOT_ALGORITHMS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "xla/xla_data.pb.h"

namespace xla::stablehlo {

struct DotAlgorithm {
  absl::string_view operands;      // the element type they are rounded to
  absl::string_view accumulation;  // the element type of sums
  int64_t operations;              // products of parts of operands
  PrecisionConfig::Algorithm value;
};
inline constexpr DotAlgorithm kDotAlgorithms[] = {
    {"f16", "f16", 1, PrecisionConfig::ALG_DOT_F16_F16_F16},
    {"f16", "f32", 1, PrecisionConfig::ALG_DOT_F16_F16_F32},
    {"bf16", "bf16", 1, PrecisionConfig::ALG_DOT_BF16_BF16_BF16},
    {"bf16", "f32", 1, PrecisionConfig::ALG_DOT_BF16_BF16_F32},
    {"bf16", "f32", 3, PrecisionConfig::ALG_DOT_BF16_BF16_F32_X3},
    {"bf16", "f32", 6, PrecisionConfig::ALG_DOT_BF16_BF16_F32_X6},
    {"bf16", "f32", 9, PrecisionConfig::ALG_DOT_BF16_BF16_F32_X9},
    {"tf32", "f32", 1, PrecisionConfig::ALG_DOT_TF32_TF32_F32},
    {"tf32", "f32", 3, PrecisionConfig::ALG_DOT_TF32_TF32_F32_X3},
    {"f32", "f32", 1, PrecisionConfig::ALG_DOT_F32_F32_F32},
    {"f64", "f64", 1, PrecisionConfig::ALG_DOT_F64_F64_F64},
};

}  // namespace xla::stablehlo

#endif  // HILO_FRONT_STABLEHLO_DOT_ALGORITHMS_H_
