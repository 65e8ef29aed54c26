// Floating-point numbers of 8 bits. eXmY: X exponent and Y mantissa bits. fn: finite (no
// infinities). uz: no minus zero.
#ifndef HILO_INCLUDE_ML_DTYPES_FLOAT8_H_
#define HILO_INCLUDE_ML_DTYPES_FLOAT8_H_

#include "ml_dtypes/include/small_float.h"

namespace ml_dtypes {

using float8_e3m4 = SmallFloat<3, 4, 3, FloatEncoding::kIeee>;
using float8_e4m3 = SmallFloat<4, 3, 7, FloatEncoding::kIeee>;
using float8_e4m3fn = SmallFloat<4, 3, 7, FloatEncoding::kFiniteNan>;
using float8_e4m3fnuz = SmallFloat<4, 3, 8, FloatEncoding::kFiniteUnsignedZero>;
using float8_e4m3b11fnuz = SmallFloat<4, 3, 11, FloatEncoding::kFiniteUnsignedZero>;
using float8_e5m2 = SmallFloat<5, 2, 15, FloatEncoding::kIeee>;
using float8_e5m2fnuz = SmallFloat<5, 2, 16, FloatEncoding::kFiniteUnsignedZero>;

}  // namespace ml_dtypes

#endif  // HILO_INCLUDE_ML_DTYPES_FLOAT8_H_
