// The values that TuplePointsToAnalysis tells apart.
#ifndef XLA_SERVICE_LOGICAL_BUFFER_H_
#define XLA_SERVICE_LOGICAL_BUFFER_H_

#include "xla/service/buffer_value.h"

namespace xla {

// An array that an instruction makes or, where it makes a tuple, the tuple itself.
class LogicalBuffer : public BufferValue {
 public:
  using BufferValue::BufferValue;
};

}  // namespace xla

#endif  // XLA_SERVICE_LOGICAL_BUFFER_H_
