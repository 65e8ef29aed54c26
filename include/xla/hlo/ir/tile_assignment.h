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
  // The element at a position in row-major order.
  int64_t value_at_linear(int64_t position) const;
  Array<int64_t> ToArray() const;
  // The array with dimensions permuted, where that is an iota too.
  std::optional<IotaTileAssignment> Transpose(absl::Span<const int> perm) const;
  // The array with the elements along the last dimension in ascending order, where that is an iota
  // too.
  std::optional<IotaTileAssignment> SortLastDimension() const;

  // "[2,4]<=[4,2]T(1,0)".
  void Print(Printer* printer) const;
  std::string ToString() const;

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

  std::vector<int64_t> dims_;
  std::vector<int64_t> reshape_dims_;
  std::vector<int> transpose_perm_;
};

// A value; copying is cheap.
class TileAssignment {
 public:
  // No dimensions and device 0: what a sharding that is not tiled has.
  TileAssignment();
  // One tile, on one device. Arrays must have at least one element; this and what CreateChecked
  // reports is CHECKed by the constructors.
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
  // The first device.
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
  // All devices, written out.
  Array<int64_t> ToArray() const;
  std::vector<int64_t> devices() const;

  // "devices=[2,2]<=[4]" or "devices=[2,2]0,1,2,3".
  void Print(Printer* printer) const;
  std::string ToString() const;

  // Equal when they have the same dimensions and devices, be it as a formula or as a list.
  bool operator==(const TileAssignment& other) const;
  bool operator!=(const TileAssignment& other) const { return !(*this == other); }
  template <typename H>
  friend H AbslHashValue(H h, const TileAssignment& tile) {
    return H::combine(std::move(h), tile.dimensions(), tile.first());
  }

 private:
  int64_t DeviceAt(int64_t position) const;

  // Exactly one of the two is set.
  std::optional<IotaTileAssignment> iota_;
  std::shared_ptr<const Array<int64_t>> array_;
};

}  // namespace xla

#endif  // XLA_HLO_IR_TILE_ASSIGNMENT_H_
