// Where TuplePointsToAnalysis was before.
#ifndef XLA_SERVICE_TUPLE_POINTS_TO_ANALYSIS_H_
#define XLA_SERVICE_TUPLE_POINTS_TO_ANALYSIS_H_

#include "xla/hlo/analysis/tuple_points_to_analysis.h"  // IWYU pragma: export

#endif  // XLA_SERVICE_TUPLE_POINTS_TO_ANALYSIS_H_
