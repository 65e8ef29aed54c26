#include "xla/tsl/platform/hash.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <cstring>

#include "xla/tsl/lib/strings/proto_serialization.h"
#include "xla/tsl/platform/fingerprint.h"

namespace tsl {
namespace {

constexpr uint64_t kOdd = 0x9E3779B97F4A7C15;  // 2^64 divided by the golden ratio

// Spreads each bit over all others.
uint64_t Mix(uint64_t x) {
  for (int i = 0; i < 2; ++i) {
    x ^= x >> 32;
    x *= kOdd;
  }
  return x ^ (x >> 29);
}

// Eight bytes at a time, the last ones filled up with zeros, and the length.
uint64_t HashBytes(const char* data, size_t size, uint64_t seed) {
  uint64_t hash = Mix(seed + kOdd);
  for (size_t at = 0; at < size; at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, data + at, size - at < 8 ? size - at : 8);
    hash = Mix(hash ^ (word * kOdd)) + kOdd;
  }
  return Mix(hash ^ size);
}

}  // namespace

uint64_t Hash64(const char* data, size_t size, uint64_t seed) {
  return HashBytes(data, size, seed);
}

uint32_t Hash32(const char* data, size_t size, uint32_t seed) {
  return static_cast<uint32_t>(HashBytes(data, size, seed) >> 32);
}

uint64_t Hash64Combine(uint64_t a, uint64_t b) { return Mix(a + kOdd) ^ (b * kOdd + (a << 6)); }

uint64_t Fingerprint64(absl::string_view text) { return HashBytes(text.data(), text.size(), 0); }

Fprint128 Fingerprint128(absl::string_view text) {
  return {Fingerprint64(text), HashBytes(text.data(), text.size(), 1)};
}

uint32_t Fingerprint32(absl::string_view text) {
  return static_cast<uint32_t>(Fingerprint64(text) >> 32);
}

uint64_t FingerprintCat64(uint64_t first, uint64_t second) {
  return Mix(Mix(first + kOdd) + second);
}

bool SerializeToBufferDeterministic(const google::protobuf::MessageLite& message, char* buffer,
                                    size_t size) {
  if (!message.IsInitialized() || message.ByteSizeLong() != size) return false;
  google::protobuf::io::ArrayOutputStream array(buffer, static_cast<int>(size));
  google::protobuf::io::CodedOutputStream stream(&array);
  stream.SetSerializationDeterministic(true);
  message.SerializeWithCachedSizes(&stream);
  return !stream.HadError() && stream.ByteCount() == static_cast<int>(size);
}

bool SerializeToStringDeterministic(const google::protobuf::MessageLite& message,
                                    std::string* result) {
  const size_t size = message.ByteSizeLong();
  if (size > static_cast<size_t>(INT32_MAX)) return false;
  result->resize(size);
  return SerializeToBufferDeterministic(message, result->data(), size);
}

uint64_t DeterministicProtoHash64(const google::protobuf::MessageLite& message, uint64_t seed) {
  std::string bytes;
  SerializeToStringDeterministic(message, &bytes);
  return Hash64(bytes, seed);
}

uint64_t DeterministicProtoHash64(const google::protobuf::MessageLite& message) {
  std::string bytes;
  SerializeToStringDeterministic(message, &bytes);
  return Hash64(bytes);
}

bool AreSerializedProtosEqual(const google::protobuf::MessageLite& a,
                              const google::protobuf::MessageLite& b) {
  std::string a_bytes, b_bytes;
  return SerializeToStringDeterministic(a, &a_bytes) &&
         SerializeToStringDeterministic(b, &b_bytes) && a_bytes == b_bytes;
}

}  // namespace tsl
