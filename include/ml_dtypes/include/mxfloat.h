// The element and scale types of the OCP microscaling (MX) formats, one number in the low bits of a
// byte.
#ifndef HILO_INCLUDE_ML_DTYPES_MXFLOAT_H_
#define HILO_INCLUDE_ML_DTYPES_MXFLOAT_H_

#include "ml_dtypes/include/small_float.h"

namespace ml_dtypes {

using float4_e2m1fn = SmallFloat<2, 1, 1, FloatEncoding::kFinite>;
using float6_e2m3fn = SmallFloat<2, 3, 1, FloatEncoding::kFinite>;
using float6_e3m2fn = SmallFloat<3, 2, 3, FloatEncoding::kFinite>;
using float8_e8m0fnu = SmallFloat<8, 0, 127, FloatEncoding::kPowerOfTwo>;

}  // namespace ml_dtypes

#endif  // HILO_INCLUDE_ML_DTYPES_MXFLOAT_H_
