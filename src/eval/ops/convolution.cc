// Convolution with all its options.
#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

#include "base/status_macros.h"
#include "eval/frame.h"
#include "eval/walk.h"
#include "eval/wide_array.h"
#include "eval/windows.h"
#include "ir/records.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::eval {
namespace {

DimensionVector InOrder(int64_t first, absl::Span<const int64_t> spatial, int64_t last) {
  DimensionVector order = {first};
  order.insert(order.end(), spatial.begin(), spatial.end());
  order.push_back(last);
  return order;
}

// Input as [batch, spatial..., feature], kernel as [spatial..., input feature, output feature],
// result as [batch, spatial..., feature].
struct Dimensions {
  DimensionVector input_order, kernel_order, output_order;
  DimensionVector input, kernel, output;  // sizes in these orders
  int64_t feature_groups, batch_groups;

  Dimensions(const ConvolutionAttributes& attributes, const Shape& input_shape,
             const Shape& kernel_shape, const Shape& output_shape)
      : feature_groups(attributes.feature_group_count), batch_groups(attributes.batch_group_count) {
    const ConvolutionDimensionNumbers& numbers = attributes.dimension_numbers;
    input_order = InOrder(numbers.input_batch_dimension(), numbers.input_spatial_dimensions(),
                          numbers.input_feature_dimension());
    kernel_order.assign(numbers.kernel_spatial_dimensions().begin(),
                        numbers.kernel_spatial_dimensions().end());
    kernel_order.push_back(numbers.kernel_input_feature_dimension());
    kernel_order.push_back(numbers.kernel_output_feature_dimension());
    output_order = InOrder(numbers.output_batch_dimension(), numbers.output_spatial_dimensions(),
                           numbers.output_feature_dimension());
    input = Pick(input_shape.dimensions(), input_order);
    kernel = Pick(kernel_shape.dimensions(), kernel_order);
    output = Pick(output_shape.dimensions(), output_order);
  }

  size_t spatial_rank() const { return input.size() - 2; }
  absl::Span<const int64_t> InputSpatial() const {
    return absl::MakeConstSpan(input).subspan(1, spatial_rank());
  }
  absl::Span<const int64_t> KernelSpatial() const {
    return absl::MakeConstSpan(kernel).first(spatial_rank());
  }
  absl::Span<const int64_t> OutputSpatial() const {
    return absl::MakeConstSpan(output).subspan(1, spatial_rank());
  }
};

template <typename Wide>
class Convolver {
 public:
  Convolver(const Dimensions& dimensions, const Window& window, const Literal& input,
            const Literal& kernel)
      : dimensions_(dimensions),
        window_(window),
        windows_(window, dimensions.InputSpatial()),
        input_strides_(RowMajorStrides(dimensions.input)),
        input_(Pack(LoadAs<Wide>(input), dimensions.input,
                    Pick(RowMajorStrides(input.shape().dimensions()), dimensions.input_order))),
        kernel_(Pack(LoadAs<Wide>(kernel), dimensions.kernel,
                     Pick(RowMajorStrides(kernel.shape().dimensions()), dimensions.kernel_order))) {
  }

  std::vector<Wide> Run() const {
    const int64_t batch = dimensions_.output.front(), features = dimensions_.output.back();
    std::vector<Wide> output;
    for (int64_t b = 0; b < batch; ++b) {
      for (Walk<0> at(dimensions_.OutputSpatial(), {}); !at.done(); at.Next()) {
        output.resize(output.size() + features);
        AddWindow(b, at.index(), output.data() + output.size() - features);
      }
    }
    return output;
  }

 private:
  // All products for one place of the result, into the sums of its features.
  void AddWindow(int64_t b, absl::Span<const int64_t> place, Wide* sums) const {
    const int64_t kernel_size =
        dimensions_.kernel[dimensions_.spatial_rank()] * dimensions_.kernel.back();
    const Wide* kernel = kernel_.data();
    for (Walk<0> at(dimensions_.KernelSpatial(), {}); !at.done();
         at.Next(), kernel += kernel_size) {
      int64_t position = 0;
      bool inside = true;
      for (size_t d = 0; d < place.size() && inside; ++d) {
        const WindowDimension& window = window_.dimensions(static_cast<int>(d));
        const int64_t k =
            window.window_reversal() ? window.size() - 1 - at.index()[d] : at.index()[d];
        const int64_t index = windows_.Index(d, place[d], k);
        inside = index >= 0;
        position += index * input_strides_[d + 1];
      }
      if (inside) AddProducts(b, position, kernel, sums);
    }
  }

  // Input features of one place times kernel[input feature, output feature]. Each group of output
  // features has its own group of input features, or of batches.
  void AddProducts(int64_t b, int64_t position, const Wide* kernel, Wide* sums) const {
    const int64_t inputs = dimensions_.kernel[dimensions_.spatial_rank()];
    const int64_t outputs = dimensions_.kernel.back();
    const int64_t groups = dimensions_.feature_groups * dimensions_.batch_groups;
    const int64_t group_outputs = outputs / groups;
    for (int64_t group = 0; group < groups; ++group) {
      const int64_t feature_group = group % dimensions_.feature_groups;
      const int64_t batch_group = group / dimensions_.feature_groups;
      const int64_t row = batch_group * dimensions_.output.front() + b;
      const Wide* features =
          input_.data() + row * input_strides_.front() + position + feature_group * inputs;
      for (int64_t i = 0; i < inputs; ++i) {
        AddScaledRow(features[i], kernel + i * outputs + group * group_outputs, group_outputs,
                     sums + group * group_outputs);
      }
    }
  }

  const Dimensions& dimensions_;
  const Window& window_;
  const Windows windows_;
  const DimensionVector input_strides_;
  const std::vector<Wide> input_;
  const std::vector<Wide> kernel_;
};

// Names the elements of each product.
void Trace(const Dimensions& dimensions, const Window& window, const Shape& input,
           const Shape& kernel, const Shape& result,
           const std::function<void(int64_t, int64_t, int64_t)>& handler) {
  const auto strides = [](const Shape& shape, const DimensionVector& order) {
    return Pick(RowMajorStrides(shape.dimensions()), order);
  };
  const DimensionVector of_input = strides(input, dimensions.input_order);
  const DimensionVector of_kernel = strides(kernel, dimensions.kernel_order);
  const DimensionVector of_result = strides(result, dimensions.output_order);
  const Windows windows(window, dimensions.InputSpatial());
  const size_t rank = dimensions.spatial_rank();
  const int64_t inputs = dimensions.kernel[rank];
  const int64_t group_outputs =
      dimensions.kernel.back() / (dimensions.feature_groups * dimensions.batch_groups);
  for (Walk<1> to(dimensions.output, {of_result}); !to.done(); to.Next()) {
    const int64_t group = to.index().back() / group_outputs;
    const int64_t first_feature = group % dimensions.feature_groups * inputs;
    const int64_t row =
        group / dimensions.feature_groups * dimensions.output.front() + to.index().front();
    for (Walk<0> at(dimensions.KernelSpatial(), {}); !at.done(); at.Next()) {
      int64_t from = row * of_input.front() + first_feature * of_input.back();
      int64_t with = to.index().back() * of_kernel.back();
      bool inside = true;
      for (size_t d = 0; d < rank && inside; ++d) {
        const WindowDimension& along = window.dimensions(static_cast<int>(d));
        const int64_t k =
            along.window_reversal() ? along.size() - 1 - at.index()[d] : at.index()[d];
        const int64_t index = windows.Index(d, to.index()[d + 1], k);
        inside = index >= 0;
        from += index * of_input[d + 1];
        with += at.index()[d] * of_kernel[d];
      }
      for (int64_t i = 0; inside && i < inputs; ++i)
        handler(to[0], from + i * of_input.back(), with + i * of_kernel[rank]);
    }
  }
}

template <typename Wide>
absl::StatusOr<Value> Convolve(const Literal& input, const Literal& kernel,
                               const HloInstruction& instruction) {
  const auto& attributes = instruction.attributes_as<ConvolutionAttributes>();
  const Dimensions dimensions(attributes, input.shape(), kernel.shape(), instruction.shape());
  const Format& format = FormatOf(instruction.shape().element_type());
  HILO_ASSIGN_OR_RETURN(Literal ordered, MakeArray(format.type, dimensions.output));
  HILO_ASSIGN_OR_RETURN(Literal result, MakeArray(instruction.shape()));
  if (result.element_count() == 0) return Value(std::move(result));
  std::vector<Wide> output = Convolver<Wide>(dimensions, attributes.window, input, kernel).Run();
  RoundProducts(instruction, output);
  StoreFrom(output, ordered);
  CopyStrided(format.bytes, dimensions.output, Data(ordered), RowMajorStrides(dimensions.output),
              MutableData(result),
              Pick(RowMajorStrides(result.shape().dimensions()), dimensions.output_order));
  return Value(std::move(result));
}

// The array that a sparse one stands for: elements, and their places in blocks along a dimension.
absl::StatusOr<Value> Dense(const Value& sparse,
                            const SparsityConfig::TensorSparsityConfig& sparsity) {
  const Literal& elements = sparse.elements()[0].array();
  const Literal& places = sparse.elements()[1].array();
  const int64_t stored = sparsity.num_non_zero(), block = sparsity.block_size();
  const auto sizes = elements.shape().dimensions();
  DimensionVector dense_sizes(sizes.begin(), sizes.end());
  const int64_t size = sizes[sparsity.dimension()];
  dense_sizes[sparsity.dimension()] = size / stored * block;
  HILO_ASSIGN_OR_RETURN(Literal dense, MakeArray(elements.shape().element_type(), dense_sizes));
  const int64_t bytes = FormatOf(elements.shape().element_type()).bytes;
  const int64_t inner = Product(sizes.subspan(sparsity.dimension() + 1));
  const std::vector<int64_t> in_block = LoadAs<int64_t>(places);
  for (int64_t i = 0; i < static_cast<int64_t>(in_block.size()); ++i) {
    if (in_block[i] < 0 || in_block[i] >= block) continue;
    const int64_t line = i / inner / size, along = i / inner % size;
    const int64_t to =
        (line * (size / stored) + along / stored) * block * inner + in_block[i] * inner + i % inner;
    std::memcpy(MutableData(dense) + to * bytes, Data(elements) + i * bytes, bytes);
  }
  return Value(std::move(dense));
}

// The size of a dimension of an operand, once it is dense.
int64_t DenseSize(const Value& operand, bool is_sparse,
                  const SparsityConfig::TensorSparsityConfig& sparsity, int64_t dimension) {
  const Literal& array = is_sparse ? operand.elements()[0].array() : operand.array();
  const int64_t size = array.shape().dimensions(static_cast<int>(dimension));
  if (!is_sparse || dimension != sparsity.dimension()) return size;
  return size / std::max<int64_t>(1, sparsity.num_non_zero()) * sparsity.block_size();
}

}  // namespace

absl::StatusOr<Value> Convolution(Frame& frame, const HloInstruction& instruction) {
  if (frame.operand_count() != 2)
    return Unimplemented("convolution %s with sparse operands", instruction.name());
  const SparsityConfig& sparsity = instruction.attributes_as<ConvolutionAttributes>().sparsity;
  Value input = frame.operand(0), kernel = frame.operand(1);
  if (sparsity.has_lhs() || sparsity.has_rhs()) {
    const auto& numbers = instruction.convolution_dimension_numbers();
    const int64_t features =
        DenseSize(input, sparsity.has_lhs(), sparsity.lhs(), numbers.input_feature_dimension());
    const int64_t taken = DenseSize(kernel, sparsity.has_rhs(), sparsity.rhs(),
                                    numbers.kernel_input_feature_dimension());
    if (taken > features) {
      return InvalidArgument("%s: the kernel has %d input features, the input %d",
                             instruction.name(), taken, features);
    }
  }
  if (sparsity.has_lhs()) {
    HILO_ASSIGN_OR_RETURN(input, Dense(input, sparsity.lhs()));
  }
  if (sparsity.has_rhs()) {
    HILO_ASSIGN_OR_RETURN(kernel, Dense(kernel, sparsity.rhs()));
  }
  if (const auto& handler = frame.evaluator().options().trace_mac_handler) {
    const auto& attributes = instruction.attributes_as<ConvolutionAttributes>();
    const Shape &from = input.array().shape(), &with = kernel.array().shape();
    const Shape& result = instruction.shape();
    if (!ShapeUtil::IsZeroElementArray(result))
      Trace({attributes, from, with, result}, attributes.window, from, with, result, handler);
  }
  HILO_ASSIGN_OR_RETURN(const Kind kind, ProductKind(instruction));
  return KindSwitch(
      [&](auto wide) {
        return Convolve<decltype(wide)>(input.array(), kernel.array(), instruction);
      },
      kind);
}

}  // namespace xla::eval
