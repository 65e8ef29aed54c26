// Batch normalisation.
#include <cmath>
#include <vector>

#include "base/status_macros.h"
#include "eval/frame.h"
#include "eval/wide_array.h"
#include "ir/records.h"

namespace xla::eval {
namespace {

using Values = std::vector<double>;

// Which feature each element of an array belongs to.
struct Features {
  int64_t inner = 1, count;
  double per_feature;

  Features(const Shape& shape, int64_t feature_index)
      : count(shape.dimensions(static_cast<int>(feature_index))) {
    int64_t elements = 1;
    for (int d = 0; d < shape.dimensions_size(); ++d) {
      elements *= shape.dimensions(d);
      if (d > feature_index) inner *= shape.dimensions(d);
    }
    per_feature = count == 0 ? 0 : static_cast<double>(elements / count);
  }

  size_t operator()(size_t element) const { return element / inner % count; }
};

absl::StatusOr<Value> Store(const Values& values, const Shape& shape) {
  HILO_ASSIGN_OR_RETURN(Literal result, MakeArray(shape));
  FormatOf(shape.element_type())
      .store(values.data(), static_cast<int64_t>(values.size()), MutableData(result));
  return Value(std::move(result));
}

absl::StatusOr<Value> StoreTuple(const std::vector<Values>& values, const Shape& shape) {
  std::vector<Value> elements;
  for (size_t i = 0; i < values.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(elements.emplace_back(),
                          Store(values[i], shape.tuple_shapes(static_cast<int>(i))));
  }
  return Value(std::move(elements));
}

Values Normalize(const Values& x, const Features& feature, const Values& scale,
                 const Values& offset, const Values& mean, const Values& variance, double epsilon) {
  Values y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t l = feature(i);
    y[i] = scale[l] * (x[i] - mean[l]) / std::sqrt(variance[l] + epsilon) + offset[l];
  }
  return y;
}

}  // namespace

absl::StatusOr<Value> BatchNormInference(Frame& frame, const HloInstruction& instruction) {
  const auto& attributes = instruction.attributes_as<BatchNormAttributes>();
  const Features feature(frame.array(0).shape(), attributes.feature_index);
  return Store(Normalize(LoadAs<double>(frame.array(0)), feature, LoadAs<double>(frame.array(1)),
                         LoadAs<double>(frame.array(2)), LoadAs<double>(frame.array(3)),
                         LoadAs<double>(frame.array(4)), attributes.epsilon),
               instruction.shape());
}

absl::StatusOr<Value> BatchNormTraining(Frame& frame, const HloInstruction& instruction) {
  const auto& attributes = instruction.attributes_as<BatchNormAttributes>();
  const Features feature(frame.array(0).shape(), attributes.feature_index);
  const Values x = LoadAs<double>(frame.array(0));
  Values mean(feature.count), variance(feature.count);
  for (size_t i = 0; i < x.size(); ++i) mean[feature(i)] += x[i];
  for (double& m : mean) m /= feature.per_feature;
  for (size_t i = 0; i < x.size(); ++i) {
    const double deviation = x[i] - mean[feature(i)];
    variance[feature(i)] += deviation * deviation;
  }
  for (double& v : variance) v /= feature.per_feature;
  return StoreTuple({Normalize(x, feature, LoadAs<double>(frame.array(1)),
                               LoadAs<double>(frame.array(2)), mean, variance, attributes.epsilon),
                     mean, variance},
                    instruction.shape());
}

// c = mean(gy (x - mu)) / (sigma^2 + epsilon), d = mean(gy),
// gx = scale / sqrt(sigma^2 + epsilon) (gy - d - c (x - mu)).
absl::StatusOr<Value> BatchNormGrad(Frame& frame, const HloInstruction& instruction) {
  const auto& attributes = instruction.attributes_as<BatchNormAttributes>();
  const Features feature(frame.array(0).shape(), attributes.feature_index);
  const Values x = LoadAs<double>(frame.array(0)), scale = LoadAs<double>(frame.array(1));
  const Values mean = LoadAs<double>(frame.array(2)), variance = LoadAs<double>(frame.array(3));
  const Values gy = LoadAs<double>(frame.array(4));
  Values sum(feature.count), product(feature.count);
  for (size_t i = 0; i < x.size(); ++i) {
    sum[feature(i)] += gy[i];
    product[feature(i)] += gy[i] * (x[i] - mean[feature(i)]);
  }
  Values gx(x.size()), gscale(feature.count);
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t l = feature(i);
    const double shifted_variance = variance[l] + attributes.epsilon;
    const double c = product[l] / feature.per_feature / shifted_variance;
    gx[i] = scale[l] / std::sqrt(shifted_variance) *
            (gy[i] - sum[l] / feature.per_feature - c * (x[i] - mean[l]));
  }
  for (int64_t l = 0; l < feature.count; ++l) {
    gscale[l] = product[l] / std::sqrt(variance[l] + attributes.epsilon);
  }
  return StoreTuple({gx, gscale, sum}, instruction.shape());
}

}  // namespace xla::eval
