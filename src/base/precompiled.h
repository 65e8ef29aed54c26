// The headers nearly every file needs, parsed once for the whole build.
#ifndef HILO_BASE_PRECOMPILED_H_
#define HILO_BASE_PRECOMPILED_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/service/hlo.pb.h"
#include "xla/xla.pb.h"
#include "xla/xla_data.pb.h"

#endif  // HILO_BASE_PRECOMPILED_H_
