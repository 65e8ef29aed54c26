#include "runtime/saved_program.h"

#include <cstring>
#include <type_traits>
#include <utility>

#include "absl/log/check.h"
#include "absl/strings/match.h"
#include "base/status_macros.h"
#include "xla/tsl/lib/strings/proto_serialization.h"
#include "xla/util.h"

namespace xla::runtime {
namespace {

constexpr absl::string_view kMagic = "HILOPROG";
constexpr uint32_t kFormatVersion = 11;
constexpr size_t kHeaderBytes = 8 + 4 + 8;
constexpr int64_t kMostLaunchSites = 1 << 24;

// Writer and Reader have the same interface, so that Transfer says once what a file has.
class Writer {
 public:
  template <typename T>
  void Number(const T& value) {
    static_assert(std::is_arithmetic_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void String(const std::string& value) {
    Number(static_cast<uint64_t>(value.size()));
    bytes_.append(value);
  }
  void Block(const Memory& memory, int64_t bytes) { bytes_.append(memory.get(), bytes); }
  template <typename Proto>
  void Message(const Proto& message) {
    std::string bytes;
    CHECK(tsl::SerializeToStringDeterministic(message, &bytes)) << "a message has over 2 GiB";
    String(bytes);
  }
  void Value(const Shape& shape) { Message(shape.ToProto()); }
  void Value(const HloInstructionProto& instruction) { Message(instruction); }
  template <typename T, typename Each>
  void List(const std::vector<T>& list, const Each& each) {
    Number(static_cast<uint64_t>(list.size()));
    for (const T& element : list) each(element);
  }

  std::string Take() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// After the first error nothing is read any more.
class Reader {
 public:
  explicit Reader(absl::string_view bytes) : rest_(bytes) {}

  template <typename T>
  void Number(T& value) {
    static_assert(std::is_arithmetic_v<T>);
    if (!Has(sizeof value)) return;
    if constexpr (std::is_same_v<T, bool>) {
      value = rest_[0] != 0;
    } else {
      std::memcpy(&value, rest_.data(), sizeof value);
    }
    rest_.remove_prefix(sizeof value);
  }
  void String(std::string& value) {
    uint64_t size = 0;
    Number(size);
    if (!Has(size)) return;
    value.assign(rest_.data(), size);
    rest_.remove_prefix(size);
  }
  void Block(Memory& memory, int64_t bytes) {
    if (bytes < 0) return Fail("a block of memory has no size");
    if (!Has(static_cast<uint64_t>(bytes))) return;
    absl::StatusOr<Memory> block = Allocate(bytes);
    if (!block.ok()) {
      status_ = block.status();
      return;
    }
    memory = *std::move(block);
    std::memcpy(memory.get(), rest_.data(), bytes);
    rest_.remove_prefix(bytes);
  }
  template <typename Proto>
  void Message(Proto& message) {
    std::string bytes;
    String(bytes);
    if (status_.ok() && !message.ParseFromString(bytes)) Fail("a message cannot be read");
  }
  void Value(Shape& shape) {
    ShapeProto message;
    Message(message);
    if (!status_.ok()) return;
    absl::StatusOr<Shape> read = Shape::FromProto(message);
    if (!read.ok()) return Fail(read.status().message());
    shape = *std::move(read);
  }
  void Value(HloInstructionProto& instruction) { Message(instruction); }
  template <typename T, typename Each>
  void List(std::vector<T>& list, const Each& each) {
    uint64_t size = 0;
    Number(size);
    // Every element takes a byte at least.
    if (!Has(size)) return;
    for (uint64_t i = 0; i < size && status_.ok(); ++i) each(list.emplace_back());
  }

  absl::Status Finish() {
    if (status_.ok() && !rest_.empty()) Fail("it is too long");
    return status_;
  }

 private:
  bool Has(uint64_t bytes) {
    if (status_.ok() && bytes > rest_.size()) Fail("it is cut off");
    return status_.ok();
  }
  void Fail(absl::string_view what) {
    status_ = InvalidArgument("the saved program is damaged: %s", what);
  }

  absl::string_view rest_;
  absl::Status status_;
};

template <typename File, typename Array>
void TransferListedArray(File& file, Array& array) {
  int32_t of = array.of;
  file.Number(of);
  if constexpr (!std::is_const_v<Array>) array.of = static_cast<ListedArray::Of>(of);
  file.Number(array.number);
  file.Number(array.offset);
}

template <typename File, typename Call>
void TransferCall(File& file, Call& call) {
  const auto number = [&](auto& value) { file.Number(value); };
  const auto shape = [&](auto& value) { file.Value(value); };
  file.String(call.kernel);
  file.Value(call.instruction);
  file.List(call.operands, shape);
  file.List(call.results, shape);
  file.List(call.whole_operands, shape);
  file.List(call.function_arguments, number);
  file.Number(call.epilogue_columns);
  file.Number(call.factor_bytes);
  file.Number(call.replicas);
  file.Number(call.partitions);
  file.Number(call.beside);
  file.Number(call.may_call_any_function);
}

template <typename File, typename Region>
void TransferRegion(File& file, Region& region) {
  const auto string = [&](auto& value) { file.String(value); };
  file.String(region.name);
  file.String(region.kind);
  file.String(region.text);
  file.List(region.instructions, string);
  file.List(region.sources, string);
  file.Number(region.parent);
  for (auto* work : {&region.per_call, &region.per_trip}) {
    file.Number(work->bytes);
    file.Number(work->flops);
    file.Number(work->additions);
  }
}

template <typename File, typename Image>
void Transfer(File& file, Image& image) {
  const auto number = [&](auto& value) { file.Number(value); };
  file.String(image.name);
  file.String(image.key);
  file.String(image.interface);
  file.Number(image.seed);
  file.Number(image.keeps_subnormals);
  file.List(image.objects, [&](auto& object) { file.String(object); });
  file.Number(image.arena_bytes);
  file.List(image.lists, [&](auto& array) { TransferListedArray(file, array); });
  file.List(image.constant_offsets, number);
  file.Number(image.constant_bytes);
  file.Block(image.constants, image.constant_bytes);
  file.List(image.parameter_bytes, number);
  file.List(image.result_bytes, number);
  file.List(image.calls, [&](auto& call) { TransferCall(file, call); });
  file.List(image.in_place, [&](auto& pair) {
    file.Number(pair.first);
    file.Number(pair.second);
  });
  file.List(image.regions, [&](auto& region) { TransferRegion(file, region); });
  file.Number(image.launch_sites);
}

bool LiesInside(const ListedArray& array, const ProgramImage& image) {
  const auto [of, number, offset] = array;
  const auto lies_in = [&](const std::vector<int64_t>& bytes) {
    return 0 <= number && number < static_cast<int64_t>(bytes.size()) && offset <= bytes[number];
  };
  if (offset < 0) return false;
  switch (of) {
    case ListedArray::kParameter:
      return lies_in(image.parameter_bytes);
    case ListedArray::kResult:
      return lies_in(image.result_bytes);
    case ListedArray::kConstant:
      return 0 <= number && number < static_cast<int64_t>(image.constant_offsets.size()) &&
             offset <= image.constant_bytes - image.constant_offsets[number];
    case ListedArray::kArena:
      return number == 0 && offset <= image.arena_bytes;
  }
  return false;
}

absl::Status CheckSizes(const ProgramImage& image) {
  bool is_right =
      image.arena_bytes >= 0 && 0 <= image.launch_sites && image.launch_sites <= kMostLaunchSites;
  for (int64_t offset : image.constant_offsets)
    is_right &= 0 <= offset && offset <= image.constant_bytes && offset % kAlignment == 0;
  for (int64_t bytes : image.parameter_bytes) is_right &= bytes >= 0;
  for (int64_t bytes : image.result_bytes) is_right &= bytes >= 0;
  for (const auto& [result, parameter] : image.in_place) {
    is_right &= 0 <= result && result < static_cast<int64_t>(image.result_bytes.size());
    is_right &= 0 <= parameter && parameter < static_cast<int64_t>(image.parameter_bytes.size());
  }
  for (size_t i = 0; i < image.regions.size(); ++i)
    is_right &= -1 <= image.regions[i].parent && image.regions[i].parent < static_cast<int64_t>(i);
  // These are compared with the sizes.
  for (const ListedArray& array : image.lists) is_right = is_right && LiesInside(array, image);
  if (is_right) return absl::OkStatus();
  return InvalidArgument("the saved program is damaged: a size is wrong");
}

absl::Status CheckVersion(const std::string& version) {
  if (version == HILO_VERSION) return absl::OkStatus();
  return FailedPrecondition("the program was saved by Hilo %s and does not run with %s", version,
                            HILO_VERSION);
}

}  // namespace

std::string SaveProgram(const ProgramImage& image) {
  Writer writer;
  writer.String(HILO_VERSION);
  const codegen::Target& target = image.target;
  writer.String(target.name);
  writer.String(target.triple);
  writer.List(target.features, [&](const std::string& feature) { writer.String(feature); });
  Transfer(writer, image);
  const std::string body = std::move(writer).Take();
  std::string file(kMagic);
  const uint64_t checksum = Checksum(body);
  file.append(reinterpret_cast<const char*>(&kFormatVersion), sizeof kFormatVersion);
  file.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
  return file + body;
}

bool IsSavedProgram(absl::string_view bytes) { return absl::StartsWith(bytes, kMagic); }

absl::StatusOr<ProgramImage> RestoreProgram(absl::string_view bytes) {
  if (!IsSavedProgram(bytes) || bytes.size() < kHeaderBytes)
    return InvalidArgument("this is no saved program");
  uint32_t format;
  uint64_t checksum;
  std::memcpy(&format, bytes.data() + 8, sizeof format);
  std::memcpy(&checksum, bytes.data() + 12, sizeof checksum);
  if (format != kFormatVersion) {
    return FailedPrecondition("the saved program has format %d; this version reads format %d",
                              format, kFormatVersion);
  }
  const absl::string_view body = bytes.substr(kHeaderBytes);
  if (Checksum(body) != checksum)
    return InvalidArgument("the saved program is damaged: its checksum is wrong");
  Reader reader(body);
  std::string version, name, triple;
  std::vector<std::string> features;
  reader.String(version);
  HILO_RETURN_IF_ERROR(CheckVersion(version));
  reader.String(name);
  reader.String(triple);
  reader.List(features, [&](std::string& feature) { reader.String(feature); });
  ProgramImage image;
  image.target = codegen::Target::Make(std::move(name), std::move(triple), std::move(features));
  Transfer(reader, image);
  HILO_RETURN_IF_ERROR(reader.Finish());
  HILO_RETURN_IF_ERROR(CheckSizes(image));
  return image;
}

uint64_t Checksum(absl::string_view bytes, uint64_t seed) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  uint64_t sum = seed ^ (bytes.size() * kOdd);
  const auto add = [&](uint64_t word) {
    sum = (sum ^ word) * kOdd;
    sum ^= sum >> 29;
  };
  while (bytes.size() >= 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data(), sizeof word);
    add(word);
    bytes.remove_prefix(8);
  }
  uint64_t last = 0;
  std::memcpy(&last, bytes.data(), bytes.size());
  add(last);
  add(seed + 1);
  return sum;
}

}  // namespace xla::runtime
