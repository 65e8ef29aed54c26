// Which device has which tile: an array of device numbers, kept as a short formula where it has
// one.
#ifndef XLA_HLO_IR_TILE_ASSIGNMENT_H_
#define XLA_HLO_IR_TILE_ASSIGNMENT_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/array.h"
#include "xla/printer.h"

namespace xla {

// The most devices that a tile assignment, a mesh or a list of replica groups may speak of. What
// comes from text or protos and speaks of more is refused, so that writing out all devices stays
// affordable.
inline constexpr int64_t kMaxDeviceCount = int64_t{1} << 20;

// A factor that a dimension of a tile assignment and one of the dimensions that its formula counts
// along have in common.
struct SubDimInfo {
  int64_t tile_dim_index;
  int64_t tile_sub_dim_index;  // Among the factors of that dimension, counted from the minor side.
  int64_t reshape_dim_index;
  int64_t size;
};

// The array of `dims` whose elements, in row-major order, are those of an array of `reshape_dims`
// that counts up from 0, after its dimensions were permuted by `transpose_perm`. Always in its
// shortest form: no reshape dimension of size 1 and no two that stay neighbours, so that equal
// arrays have equal members.
class IotaTileAssignment {
 public:
  // Counts 0, 1, 2, ...
  static IotaTileAssignment Create(absl::Span<const int64_t> dims);
  // CHECKs what CreateChecked reports.
  static IotaTileAssignment Create(absl::Span<const int64_t> dims,
                                   absl::Span<const int64_t> reshape_dims,
                                   absl::Span<const int> transpose_perm);
  // InvalidArgument unless all sizes are positive, the product of reshape_dims is at most
  // kMaxDeviceCount and not less than that of dims, and transpose_perm is a permutation of
  // reshape_dims' dimensions (or empty for the identity). A formula that counts further than dims
  // needs gives its first elements.
  static absl::StatusOr<IotaTileAssignment> CreateChecked(absl::Span<const int64_t> dims,
                                                          absl::Span<const int64_t> reshape_dims,
                                                          absl::Span<const int64_t> transpose_perm);

  absl::Span<const int64_t> dims() const { return dims_; }
  absl::Span<const int64_t> reshape_dims() const { return reshape_dims_; }
  absl::Span<const int> transpose_perm() const { return transpose_perm_; }
  int64_t ndims() const { return static_cast<int64_t>(dims_.size()); }
  int64_t dim(int n) const { return dims_[n]; }
  int64_t num_elements() const;

  int64_t value_at(absl::Span<const int64_t> index) const;
  // The inverse. CHECKs that the value is one of the elements.
  std::vector<int64_t> index_for(int64_t value) const;
  // The element at a position in row-major order.
  int64_t value_at_linear(int64_t position) const;
  Array<int64_t> ToArray() const;
  // The array with dimensions permuted, where that is an iota too.
  std::optional<IotaTileAssignment> Transpose(absl::Span<const int> perm) const;
  // The array with the elements along the last dimension in ascending order, where that is an iota
  // too.
  std::optional<IotaTileAssignment> SortLastDimension() const;

  // "[2,4]<=[4,2]T(1,0)"; the part behind "<=".
  void Print(Printer* printer) const;
  std::string ToString() const;
  std::string ArrayToString() const;

  bool operator==(const IotaTileAssignment& other) const {
    return dims_ == other.dims_ && reshape_dims_ == other.reshape_dims_ &&
           transpose_perm_ == other.transpose_perm_;
  }
  bool operator!=(const IotaTileAssignment& other) const { return !(*this == other); }
  template <typename H>
  friend H AbslHashValue(H h, const IotaTileAssignment& iota) {
    return H::combine(std::move(h), iota.dims_, iota.reshape_dims_, iota.transpose_perm_);
  }

 private:
  IotaTileAssignment(std::vector<int64_t> dims, std::vector<int64_t> reshape_dims,
                     std::vector<int> transpose_perm);
  struct Factors;
  std::optional<Factors> CommonFactors() const;
  void PrintFormula(Printer* printer) const;

  std::vector<int64_t> dims_;
  std::vector<int64_t> reshape_dims_;
  std::vector<int> transpose_perm_;
};

// A value; copying is cheap.
class TileAssignment {
 public:
  // One dimension of size 0 and no device: what a sharding that is not tiled has.
  TileAssignment();
  // One tile, on one device. What CreateChecked reports is CHECKed by the constructors.
  explicit TileAssignment(int64_t device_id);
  explicit TileAssignment(Array<int64_t> array);
  explicit TileAssignment(std::shared_ptr<const Array<int64_t>> array);
  explicit TileAssignment(IotaTileAssignment iota);
  // Devices 0, 1, 2, ... in row-major order.
  explicit TileAssignment(absl::Span<const int64_t> dims);
  explicit TileAssignment(std::initializer_list<int64_t> dims);
  TileAssignment(absl::Span<const int64_t> dims, absl::Span<const int64_t> reshape_dims,
                 absl::Span<const int> transpose_perm);

  // The devices written out, or as a formula. InvalidArgument unless the sizes are positive and
  // their product is the number of devices.
  static absl::StatusOr<TileAssignment> CreateChecked(absl::Span<const int64_t> dims,
                                                      absl::Span<const int64_t> devices);
  static absl::StatusOr<TileAssignment> CreateChecked(absl::Span<const int64_t> dims,
                                                      absl::Span<const int64_t> reshape_dims,
                                                      absl::Span<const int64_t> transpose_perm);

  absl::Span<const int64_t> dimensions() const;
  int64_t num_dimensions() const { return static_cast<int64_t>(dimensions().size()); }
  int64_t dim(int64_t n) const { return dimensions()[n]; }
  int64_t num_elements() const;
  // The first device. CHECKs that there is one.
  int64_t first() const;

  template <typename... Dims>
  std::enable_if_t<(std::is_integral_v<Dims> && ...), int64_t> operator()(Dims... dims) const {
    return (*this)(absl::Span<const int64_t>({static_cast<int64_t>(dims)...}));
  }
  int64_t operator()(absl::Span<const int64_t> index) const;
  // Calls function(index, device) for every tile, in row-major order, until it reports an error.
  void Each(absl::FunctionRef<void(absl::Span<const int64_t>, int64_t)> function) const;
  absl::Status EachStatus(
      absl::FunctionRef<absl::Status(absl::Span<const int64_t>, int64_t)> function) const;
  bool UsesDevice(int64_t device) const;

  // The same devices, in row-major order, in an array of other dimensions with the same product.
  TileAssignment Reshape(absl::Span<const int64_t> dims) const;
  TileAssignment Transpose(absl::Span<const int> perm) const;
  // With the devices along the last dimension in ascending order.
  TileAssignment SortLastDimension() const;

  // The formula; absent when the devices are a list.
  const std::optional<IotaTileAssignment>& iota() const { return iota_; }
  // All devices, written out. array() and shared_array() keep the array of a formula, which is made
  // when it is first asked for, as long as this assignment or a copy of it lives.
  Array<int64_t> ToArray() const { return array(); }
  const Array<int64_t>& array() const { return *shared_array(); }
  std::shared_ptr<const Array<int64_t>> shared_array() const;
  std::vector<int64_t> devices() const;

  // "devices=[2,2]<=[4]" or "devices=[2,2]0,1,2,3"; the part behind the dimensions, "[4]" or
  // "0,1,2,3".
  void Print(Printer* printer) const;
  std::string ToString() const;
  std::string ArrayToString() const;

  // Equal when they have the same dimensions and devices, be it as a formula or as a list.
  bool operator==(const TileAssignment& other) const;
  bool operator!=(const TileAssignment& other) const { return !(*this == other); }
  template <typename H>
  friend H AbslHashValue(H h, const TileAssignment& tile) {
    return H::combine(std::move(h), tile.dimensions(), tile.num_elements() > 0 ? tile.first() : -1);
  }

 private:
  struct WrittenOut;
  int64_t DeviceAt(int64_t position) const;

  // A list, or a formula with the place of its array; all copies share it.
  std::shared_ptr<const Array<int64_t>> array_;
  std::optional<IotaTileAssignment> iota_;
  std::shared_ptr<WrittenOut> written_out_;
};

// The factors of the formula [dims]<=[reshape_dims]T(transpose_perm), before it is shortened.
// InvalidArgument where the dimensions do not divide each other.
absl::StatusOr<std::vector<SubDimInfo>> GetOrderedSubDims(absl::Span<const int64_t> dims,
                                                          absl::Span<const int64_t> reshape_dims,
                                                          absl::Span<const int> transpose_perm);
std::optional<std::vector<SubDimInfo>> GetOrderedSubDimsFromIotaTileAssignment(
    const IotaTileAssignment& iota);

// The mesh of devices that a tile assignment speaks of: its axes are the factors, with their sizes.
struct AnalyzeTileAssignmentResult {
  std::vector<SubDimInfo> sub_dims;
  std::vector<int64_t> local_mesh;
};
// None where there are no such factors, or the devices are a list that does not count up.
std::optional<AnalyzeTileAssignmentResult> AnalyzeTileAssignment(
    const TileAssignment& tile_assignment);

}  // namespace xla

#endif  // XLA_HLO_IR_TILE_ASSIGNMENT_H_
