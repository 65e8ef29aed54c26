#include "xla/hlo/ir/tile_assignment.h"

#include <algorithm>
#include <mutex>
#include <numeric>

#include "absl/algorithm/container.h"
#include "absl/log/check.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "data/checked_math.h"
#include "xla/permutation_util.h"
#include "xla/util.h"

namespace xla {
namespace {

// InvalidArgument unless all sizes are positive and their product is within the limit.
absl::StatusOr<int64_t> DeviceCount(absl::Span<const int64_t> dims) {
  int64_t count = 1;
  for (const int64_t size : dims) {
    if (size <= 0) {
      return InvalidArgument("device dimensions must be positive, got [%s]",
                             absl::StrJoin(dims, ","));
    }
    if (!CheckedMultiply(count, size, &count) || count > kMaxDeviceCount) {
      return InvalidArgument("[%s] stands for more than %d devices, the most that are supported",
                             absl::StrJoin(dims, ","), kMaxDeviceCount);
    }
  }
  return count;
}

std::vector<int> Identity(size_t size) {
  std::vector<int> identity(size);
  std::iota(identity.begin(), identity.end(), 0);
  return identity;
}

std::vector<int64_t> Int64s(absl::Span<const int> values) {
  return std::vector<int64_t>(values.begin(), values.end());
}

// Drops dimensions of size 1 and joins those that stay neighbours.
void Shorten(std::vector<int64_t>* reshape_dims, std::vector<int>* transpose_perm) {
  std::vector<int64_t> sizes;     // In the order of the permutation,
  std::vector<int> first_source;  // each with the dimension that it begins with.
  int last_source = -2;
  std::vector<int> rank_among_kept(reshape_dims->size());
  int kept = 0;
  for (size_t i = 0; i < reshape_dims->size(); ++i) {
    rank_among_kept[i] = kept;
    if ((*reshape_dims)[i] != 1) ++kept;
  }
  for (const int dimension : *transpose_perm) {
    if ((*reshape_dims)[dimension] == 1) continue;
    const int source = rank_among_kept[dimension];
    if (source == last_source + 1) {
      sizes.back() *= (*reshape_dims)[dimension];
    } else {
      sizes.push_back((*reshape_dims)[dimension]);
      first_source.push_back(source);
    }
    last_source = source;
  }
  if (sizes.empty()) {
    *reshape_dims = {1};
    *transpose_perm = {0};
    return;
  }
  std::vector<int> by_source = Identity(sizes.size());
  absl::c_sort(by_source, [&](int a, int b) { return first_source[a] < first_source[b]; });
  reshape_dims->assign(sizes.size(), 0);
  transpose_perm->assign(sizes.size(), 0);
  for (size_t i = 0; i < by_source.size(); ++i) {
    (*reshape_dims)[i] = sizes[by_source[i]];
    (*transpose_perm)[by_source[i]] = static_cast<int>(i);
  }
}

// Calls function(index) for all indices of an array, in row-major order, until it reports an error.
absl::Status ForEachIndex(absl::Span<const int64_t> dims,
                          absl::FunctionRef<absl::Status(absl::Span<const int64_t>)> function) {
  std::vector<int64_t> index(dims.size());
  if (absl::c_linear_search(dims, 0)) return absl::OkStatus();
  while (true) {
    HILO_RETURN_IF_ERROR(function(index));
    int64_t dimension = static_cast<int64_t>(dims.size()) - 1;
    while (dimension >= 0 && ++index[dimension] == dims[dimension]) index[dimension--] = 0;
    if (dimension < 0) return absl::OkStatus();
  }
}

int64_t LinearPosition(absl::Span<const int64_t> dims, absl::Span<const int64_t> index) {
  CHECK_EQ(dims.size(), index.size());
  int64_t position = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    CHECK(index[i] >= 0 && index[i] < dims[i]) << "index " << absl::StrJoin(index, ",");
    position = position * dims[i] + index[i];
  }
  return position;
}

}  // namespace

// ---- IotaTileAssignment -----------------------------------------------------------------------

IotaTileAssignment::IotaTileAssignment(std::vector<int64_t> dims, std::vector<int64_t> reshape_dims,
                                       std::vector<int> transpose_perm)
    : dims_(std::move(dims)),
      reshape_dims_(std::move(reshape_dims)),
      transpose_perm_(std::move(transpose_perm)) {
  Shorten(&reshape_dims_, &transpose_perm_);
}

IotaTileAssignment IotaTileAssignment::Create(absl::Span<const int64_t> dims) {
  return Create(dims, {Product(dims)}, {0});
}

IotaTileAssignment IotaTileAssignment::Create(absl::Span<const int64_t> dims,
                                              absl::Span<const int64_t> reshape_dims,
                                              absl::Span<const int> transpose_perm) {
  absl::StatusOr<IotaTileAssignment> iota =
      CreateChecked(dims, reshape_dims, Int64s(transpose_perm));
  CHECK_OK(iota.status());
  return *std::move(iota);
}

absl::StatusOr<IotaTileAssignment> IotaTileAssignment::CreateChecked(
    absl::Span<const int64_t> dims, absl::Span<const int64_t> reshape_dims,
    absl::Span<const int64_t> transpose_perm) {
  HILO_ASSIGN_OR_RETURN(const int64_t count, DeviceCount(dims));
  HILO_ASSIGN_OR_RETURN(const int64_t counted, DeviceCount(reshape_dims));
  if (count > counted) {
    return InvalidArgument("[%s] has %d elements, but <=[%s] counts only %d",
                           absl::StrJoin(dims, ","), count, absl::StrJoin(reshape_dims, ","),
                           counted);
  }
  std::vector<int> permutation(transpose_perm.begin(), transpose_perm.end());
  if (permutation.empty()) {
    permutation = Identity(reshape_dims.size());
  } else if (transpose_perm.size() != reshape_dims.size() || !IsPermutation(transpose_perm)) {
    return InvalidArgument("T(%s) is not a permutation of the %d dimensions of <=[%s]",
                           absl::StrJoin(transpose_perm, ","), reshape_dims.size(),
                           absl::StrJoin(reshape_dims, ","));
  }
  return IotaTileAssignment({dims.begin(), dims.end()}, {reshape_dims.begin(), reshape_dims.end()},
                            std::move(permutation));
}

int64_t IotaTileAssignment::num_elements() const { return Product(dims_); }

int64_t IotaTileAssignment::value_at(absl::Span<const int64_t> index) const {
  return value_at_linear(LinearPosition(dims_, index));
}

int64_t IotaTileAssignment::value_at_linear(int64_t position) const {
  DimensionVector digits(reshape_dims_.size());
  for (int64_t i = static_cast<int64_t>(transpose_perm_.size()) - 1; i >= 0; --i) {
    const int64_t size = reshape_dims_[transpose_perm_[i]];
    digits[transpose_perm_[i]] = position % size;
    position /= size;
  }
  return LinearPosition(reshape_dims_, digits);
}

std::vector<int64_t> IotaTileAssignment::index_for(int64_t value) const {
  DimensionVector digits(reshape_dims_.size());
  for (int64_t i = static_cast<int64_t>(digits.size()) - 1; i >= 0; --i) {
    digits[i] = value % reshape_dims_[i];
    value /= reshape_dims_[i];
  }
  int64_t position = 0;
  for (const int dimension : transpose_perm_)
    position = position * reshape_dims_[dimension] + digits[dimension];
  CHECK(value == 0 && position >= 0 && position < num_elements());
  std::vector<int64_t> index(dims_.size());
  for (int64_t i = static_cast<int64_t>(index.size()) - 1; i >= 0; --i) {
    index[i] = position % dims_[i];
    position /= dims_[i];
  }
  return index;
}

Array<int64_t> IotaTileAssignment::ToArray() const {
  Array<int64_t> array(dims_);
  for (int64_t i = 0; i < array.num_elements(); ++i) array.begin()[i] = value_at_linear(i);
  return array;
}

// The finest division of the array's dimensions and of the reshape dimensions into the same
// factors.
struct IotaTileAssignment::Factors {
  std::vector<std::vector<int>> of_dimension;  // Positions in the lists below.
  std::vector<int64_t> sizes;                  // In the order of the permutation.
  std::vector<std::pair<int, int>> sources;    // The reshape dimension, and which part of it.

  // The array of `dims` made of the factors in a new order.
  IotaTileAssignment Assemble(std::vector<int64_t> dims, absl::Span<const int> order) const {
    std::vector<int> by_source = Identity(sizes.size());
    absl::c_sort(by_source, [&](int a, int b) { return sources[a] < sources[b]; });
    std::vector<int> rank(sizes.size());
    std::vector<int64_t> reshape_dims;
    for (size_t i = 0; i < by_source.size(); ++i) {
      rank[by_source[i]] = static_cast<int>(i);
      reshape_dims.push_back(sizes[by_source[i]]);
    }
    std::vector<int> permutation;
    for (const int factor : order) permutation.push_back(rank[factor]);
    return IotaTileAssignment(std::move(dims), std::move(reshape_dims), std::move(permutation));
  }
};

namespace {

// The factors of each dimension, in the order of the permutation, as a function call for each:
// add(dimension, size, reshape dimension, which part of it). False where they do not divide.
template <typename Add>
bool FindCommonFactors(absl::Span<const int64_t> dims, absl::Span<const int64_t> reshape_dims,
                       absl::Span<const int> transpose_perm, Add add) {
  if (Product(dims) != Product(reshape_dims)) return false;
  size_t next_source = 0;
  int64_t rest = 1;  // What is not yet used of the current reshape dimension.
  int part = 0;
  for (size_t d = 0; d < dims.size(); ++d) {
    for (int64_t size = dims[d]; size > 1;) {
      if (rest == 1) {
        rest = reshape_dims[transpose_perm[next_source++]];
        part = 0;
        continue;
      }
      const int64_t factor = std::min(size, rest);
      if (size % factor != 0 || rest % factor != 0) return false;
      add(d, factor, transpose_perm[next_source - 1], part++);
      size /= factor;
      rest /= factor;
    }
  }
  return true;
}

}  // namespace

std::optional<IotaTileAssignment::Factors> IotaTileAssignment::CommonFactors() const {
  Factors factors;
  factors.of_dimension.resize(dims_.size());
  const auto add = [&](size_t dimension, int64_t size, int source, int part) {
    factors.of_dimension[dimension].push_back(static_cast<int>(factors.sizes.size()));
    factors.sizes.push_back(size);
    factors.sources.emplace_back(source, part);
  };
  if (!FindCommonFactors(dims_, reshape_dims_, transpose_perm_, add)) return std::nullopt;
  return factors;
}

absl::StatusOr<std::vector<SubDimInfo>> GetOrderedSubDims(absl::Span<const int64_t> dims,
                                                          absl::Span<const int64_t> reshape_dims,
                                                          absl::Span<const int> transpose_perm) {
  if (transpose_perm.size() != reshape_dims.size() || !IsPermutation(Int64s(transpose_perm)) ||
      absl::c_any_of(dims, [](int64_t size) { return size < 1; }) ||
      absl::c_any_of(reshape_dims, [](int64_t size) { return size < 1; })) {
    return InvalidArgument("[%s]<=[%s]T(%s) is no formula", absl::StrJoin(dims, ","),
                           absl::StrJoin(reshape_dims, ","), absl::StrJoin(transpose_perm, ","));
  }
  std::vector<SubDimInfo> found;
  std::vector<int> parts;
  const auto add = [&](size_t dimension, int64_t size, int source, int part) {
    for (SubDimInfo& before : found) {
      before.tile_sub_dim_index += before.tile_dim_index == static_cast<int64_t>(dimension);
    }
    found.push_back({static_cast<int64_t>(dimension), 0, source, size});
    parts.push_back(part);
  };
  if (!FindCommonFactors(dims, reshape_dims, transpose_perm, add)) {
    return InvalidArgument("the dimensions of [%s]<=[%s]T(%s) do not divide each other",
                           absl::StrJoin(dims, ","), absl::StrJoin(reshape_dims, ","),
                           absl::StrJoin(transpose_perm, ","));
  }
  std::vector<int> order = Identity(found.size());
  absl::c_sort(order, [&](int a, int b) {
    return std::make_pair(found[a].reshape_dim_index, parts[a]) <
           std::make_pair(found[b].reshape_dim_index, parts[b]);
  });
  std::vector<SubDimInfo> ordered;
  for (const int i : order) ordered.push_back(found[i]);
  return ordered;
}

std::optional<std::vector<SubDimInfo>> GetOrderedSubDimsFromIotaTileAssignment(
    const IotaTileAssignment& iota) {
  absl::StatusOr<std::vector<SubDimInfo>> ordered =
      GetOrderedSubDims(iota.dims(), iota.reshape_dims(), iota.transpose_perm());
  if (!ordered.ok()) return std::nullopt;
  return *std::move(ordered);
}

std::optional<AnalyzeTileAssignmentResult> AnalyzeTileAssignment(
    const TileAssignment& tile_assignment) {
  std::optional<IotaTileAssignment> formula = tile_assignment.iota();
  if (!formula.has_value()) {
    if (tile_assignment.num_elements() == 0) return std::nullopt;
    formula = IotaTileAssignment::Create(tile_assignment.dimensions());
    if (TileAssignment(*formula) != tile_assignment) return std::nullopt;
  }
  std::optional<std::vector<SubDimInfo>> sub_dims =
      GetOrderedSubDimsFromIotaTileAssignment(*formula);
  if (!sub_dims.has_value()) return std::nullopt;
  AnalyzeTileAssignmentResult result{*std::move(sub_dims), {}};
  for (const SubDimInfo& factor : result.sub_dims) result.local_mesh.push_back(factor.size);
  return result;
}

std::optional<IotaTileAssignment> IotaTileAssignment::Transpose(absl::Span<const int> perm) const {
  const std::optional<Factors> factors = CommonFactors();
  if (!factors.has_value()) return std::nullopt;
  std::vector<int64_t> dims;
  std::vector<int> order;
  for (const int dimension : perm) {
    dims.push_back(dims_[dimension]);
    absl::c_copy(factors->of_dimension[dimension], std::back_inserter(order));
  }
  return factors->Assemble(std::move(dims), order);
}

std::optional<IotaTileAssignment> IotaTileAssignment::SortLastDimension() const {
  const std::optional<Factors> factors = CommonFactors();
  if (!factors.has_value()) return std::nullopt;
  std::vector<int> order = Identity(factors->sizes.size());
  std::sort(order.end() - factors->of_dimension.back().size(), order.end(),
            [&](int a, int b) { return factors->sources[a] < factors->sources[b]; });
  return factors->Assemble(dims_, order);
}

void IotaTileAssignment::Print(Printer* printer) const {
  printer->Append("[");
  printer->AppendInt64List(dims_, /*leading_comma=*/false);
  printer->Append("]<=");
  PrintFormula(printer);
}

void IotaTileAssignment::PrintFormula(Printer* printer) const {
  printer->Append("[");
  printer->AppendInt64List(reshape_dims_, /*leading_comma=*/false);
  printer->Append("]");
  if (reshape_dims_.size() > 1) {
    printer->Append("T(");
    printer->AppendInt64List(Int64s(transpose_perm_), /*leading_comma=*/false);
    printer->Append(")");
  }
}

std::string IotaTileAssignment::ToString() const {
  StringPrinter printer;
  Print(&printer);
  return std::move(printer).ToString();
}

std::string IotaTileAssignment::ArrayToString() const {
  StringPrinter printer;
  PrintFormula(&printer);
  return std::move(printer).ToString();
}

// ---- TileAssignment ---------------------------------------------------------------------------

// The array of a formula.
struct TileAssignment::WrittenOut {
  std::once_flag is_made;
  std::shared_ptr<const Array<int64_t>> array;
};

TileAssignment::TileAssignment() {
  static const auto* const no_device = new std::shared_ptr<const Array<int64_t>>(
      std::make_shared<const Array<int64_t>>(absl::Span<const int64_t>({0})));
  array_ = *no_device;
}

TileAssignment::TileAssignment(int64_t device_id)
    : array_(std::make_shared<const Array<int64_t>>(absl::Span<const int64_t>({1}), device_id)) {}

TileAssignment::TileAssignment(Array<int64_t> array)
    : TileAssignment(std::make_shared<const Array<int64_t>>(std::move(array))) {}

TileAssignment::TileAssignment(std::shared_ptr<const Array<int64_t>> array)
    : array_(std::move(array)) {}

TileAssignment::TileAssignment(IotaTileAssignment iota)
    : iota_(std::move(iota)), written_out_(std::make_shared<WrittenOut>()) {}

TileAssignment::TileAssignment(absl::Span<const int64_t> dims)
    : TileAssignment(IotaTileAssignment::Create(dims)) {}

TileAssignment::TileAssignment(std::initializer_list<int64_t> dims)
    : TileAssignment(absl::Span<const int64_t>(dims)) {}

TileAssignment::TileAssignment(absl::Span<const int64_t> dims,
                               absl::Span<const int64_t> reshape_dims,
                               absl::Span<const int> transpose_perm)
    : TileAssignment(IotaTileAssignment::Create(dims, reshape_dims, transpose_perm)) {
  CHECK_EQ(Product(dims), Product(reshape_dims));
}

absl::StatusOr<TileAssignment> TileAssignment::CreateChecked(absl::Span<const int64_t> dims,
                                                             absl::Span<const int64_t> devices) {
  HILO_ASSIGN_OR_RETURN(const int64_t count, DeviceCount(dims));
  if (count != static_cast<int64_t>(devices.size())) {
    return InvalidArgument("devices=[%s] takes %d devices, got %d", absl::StrJoin(dims, ","), count,
                           devices.size());
  }
  return TileAssignment(Array<int64_t>(dims, devices));
}

absl::StatusOr<TileAssignment> TileAssignment::CreateChecked(
    absl::Span<const int64_t> dims, absl::Span<const int64_t> reshape_dims,
    absl::Span<const int64_t> transpose_perm) {
  HILO_ASSIGN_OR_RETURN(IotaTileAssignment iota,
                        IotaTileAssignment::CreateChecked(dims, reshape_dims, transpose_perm));
  if (Product(dims) != Product(reshape_dims)) {
    return InvalidArgument("[%s] and <=[%s] have different numbers of elements",
                           absl::StrJoin(dims, ","), absl::StrJoin(reshape_dims, ","));
  }
  return TileAssignment(std::move(iota));
}

absl::Span<const int64_t> TileAssignment::dimensions() const {
  return iota_.has_value() ? iota_->dims() : array_->dimensions();
}

int64_t TileAssignment::num_elements() const {
  return iota_.has_value() ? iota_->num_elements() : array_->num_elements();
}

int64_t TileAssignment::DeviceAt(int64_t position) const {
  return iota_.has_value() ? iota_->value_at_linear(position) : array_->begin()[position];
}

int64_t TileAssignment::first() const {
  CHECK_GT(num_elements(), 0);
  return DeviceAt(0);
}

int64_t TileAssignment::operator()(absl::Span<const int64_t> index) const {
  return DeviceAt(LinearPosition(dimensions(), index));
}

void TileAssignment::Each(
    absl::FunctionRef<void(absl::Span<const int64_t>, int64_t)> function) const {
  EachStatus([&](absl::Span<const int64_t> index, int64_t device) {
    function(index, device);
    return absl::OkStatus();
  }).IgnoreError();
}

absl::Status TileAssignment::EachStatus(
    absl::FunctionRef<absl::Status(absl::Span<const int64_t>, int64_t)> function) const {
  int64_t position = 0;
  return ForEachIndex(dimensions(), [&](absl::Span<const int64_t> index) {
    return function(index, DeviceAt(position++));
  });
}

bool TileAssignment::UsesDevice(int64_t device) const {
  if (iota_.has_value()) return device >= 0 && device < iota_->num_elements();
  return absl::c_linear_search(*array_, device);
}

TileAssignment TileAssignment::Reshape(absl::Span<const int64_t> dims) const {
  CHECK_EQ(Product(dims), num_elements());
  if (iota_.has_value()) {
    return TileAssignment(dims, iota_->reshape_dims(), iota_->transpose_perm());
  }
  Array<int64_t> array = *array_;
  array.Reshape(dims);
  return TileAssignment(std::move(array));
}

TileAssignment TileAssignment::Transpose(absl::Span<const int> perm) const {
  if (iota_.has_value()) {
    if (std::optional<IotaTileAssignment> iota = iota_->Transpose(perm)) {
      return TileAssignment(*std::move(iota));
    }
  }
  Array<int64_t> array = ToArray();
  array.TransposeDimensions(perm);
  return TileAssignment(std::move(array));
}

TileAssignment TileAssignment::SortLastDimension() const {
  if (iota_.has_value()) {
    if (std::optional<IotaTileAssignment> iota = iota_->SortLastDimension()) {
      return TileAssignment(*std::move(iota));
    }
  }
  Array<int64_t> array = ToArray();
  const int64_t row = dimensions().back();
  for (int64_t* begin = array.begin(); begin != array.end(); begin += row) {
    std::sort(begin, begin + row);
  }
  TileAssignment sorted(std::move(array));
  return sorted == *this ? *this : sorted;
}

std::shared_ptr<const Array<int64_t>> TileAssignment::shared_array() const {
  if (!iota_.has_value()) return array_;
  std::call_once(written_out_->is_made, [this] {
    written_out_->array = std::make_shared<const Array<int64_t>>(iota_->ToArray());
  });
  return written_out_->array;
}

std::vector<int64_t> TileAssignment::devices() const {
  std::vector<int64_t> devices(num_elements());
  for (int64_t i = 0; i < num_elements(); ++i) devices[i] = DeviceAt(i);
  return devices;
}

void TileAssignment::Print(Printer* printer) const {
  printer->Append("devices=");
  if (iota_.has_value()) return iota_->Print(printer);
  printer->Append("[");
  printer->AppendInt64List(array_->dimensions(), /*leading_comma=*/false);
  AppendCat(printer, "]", ArrayToString());
}

std::string TileAssignment::ArrayToString() const {
  return iota_.has_value() ? iota_->ArrayToString() : absl::StrJoin(*array_, ",");
}

std::string TileAssignment::ToString() const {
  StringPrinter printer;
  Print(&printer);
  return std::move(printer).ToString();
}

bool TileAssignment::operator==(const TileAssignment& other) const {
  if (iota_.has_value() && other.iota_.has_value()) return *iota_ == *other.iota_;
  if (dimensions() != other.dimensions()) return false;
  if (array_ != nullptr && array_ == other.array_) return true;
  for (int64_t i = 0; i < num_elements(); ++i) {
    if (DeviceAt(i) != other.DeviceAt(i)) return false;
  }
  return true;
}

}  // namespace xla
