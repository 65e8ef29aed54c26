// The lists of replica groups of collective instructions.
#ifndef XLA_HLO_IR_REPLICA_GROUP_H_
#define XLA_HLO_IR_REPLICA_GROUP_H_

#include "xla/hlo/ir/collective_device_list.h"

#endif  // XLA_HLO_IR_REPLICA_GROUP_H_
