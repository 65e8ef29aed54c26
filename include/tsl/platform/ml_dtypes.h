// The narrow element types under their tsl names.
#ifndef HILO_INCLUDE_TSL_PLATFORM_ML_DTYPES_H_
#define HILO_INCLUDE_TSL_PLATFORM_ML_DTYPES_H_

#include "ml_dtypes/include/float8.h"
#include "ml_dtypes/include/intn.h"
#include "ml_dtypes/include/mxfloat.h"

namespace tsl {

using float4_e2m1fn = ml_dtypes::float4_e2m1fn;
using float6_e2m3fn = ml_dtypes::float6_e2m3fn;
using float6_e3m2fn = ml_dtypes::float6_e3m2fn;
using float8_e3m4 = ml_dtypes::float8_e3m4;
using float8_e4m3 = ml_dtypes::float8_e4m3;
using float8_e4m3fn = ml_dtypes::float8_e4m3fn;
using float8_e4m3fnuz = ml_dtypes::float8_e4m3fnuz;
using float8_e4m3b11fnuz = ml_dtypes::float8_e4m3b11fnuz;
using float8_e5m2 = ml_dtypes::float8_e5m2;
using float8_e5m2fnuz = ml_dtypes::float8_e5m2fnuz;
using float8_e8m0fnu = ml_dtypes::float8_e8m0fnu;

using int1 = ml_dtypes::int1;
using uint1 = ml_dtypes::uint1;
using int2 = ml_dtypes::int2;
using uint2 = ml_dtypes::uint2;
using int4 = ml_dtypes::int4;
using uint4 = ml_dtypes::uint4;

}  // namespace tsl

#endif  // HILO_INCLUDE_TSL_PLATFORM_ML_DTYPES_H_
