// Files that are read and written at once, as they are or as messages.
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <limits>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "xla/tsl/platform/env.h"

namespace tsl {
namespace {

absl::Status Write(std::unique_ptr<WritableFile> file, absl::string_view data) {
  HILO_RETURN_IF_ERROR(file->Append(data));
  return file->Close();
}

absl::Status NoMessage(const std::string& path, const std::string& type, absl::string_view form) {
  return absl::DataLossError(absl::StrCat(path, " is not a ", type, " as ", form));
}

bool FromBytes(const std::string& data, google::protobuf::MessageLite* proto) {
  if (data.size() > std::numeric_limits<int>::max()) return false;
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(data.data()),
                                                static_cast<int>(data.size()));
  stream.SetTotalBytesLimit(std::numeric_limits<int>::max());
  return proto->ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
}

// Without messages on the standard error.
bool FromText(const std::string& data, google::protobuf::Message* proto) {
  class Silence : public google::protobuf::io::ErrorCollector {
    void AddError(int, int, const std::string&) override {}
  } silence;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&silence);
  return parser.ParseFromString(data, proto);
}

}  // namespace

absl::Status ReadFileToString(Env* env, const std::string& path, std::string* data) {
  std::unique_ptr<RandomAccessFile> file;
  HILO_RETURN_IF_ERROR(env->NewRandomAccessFile(path, &file));
  data->clear();
  // Files such as those of /proc do not know their size.
  constexpr size_t kPart = size_t{1} << 16;
  uint64_t bytes = 0;
  HILO_RETURN_IF_ERROR(env->GetFileSize(path, &bytes));
  for (size_t wanted = static_cast<size_t>(bytes) + 1;; wanted = kPart) {
    const size_t begin = data->size();
    data->resize(begin + wanted);
    absl::string_view read;
    const absl::Status status = file->Read(begin, read, absl::MakeSpan(&(*data)[begin], wanted));
    data->resize(begin + read.size());
    if (absl::IsOutOfRange(status)) return absl::OkStatus();
    HILO_RETURN_IF_ERROR(status);
  }
}

absl::Status WriteStringToFile(Env* env, const std::string& path, absl::string_view data) {
  std::unique_ptr<WritableFile> file;
  HILO_RETURN_IF_ERROR(env->NewWritableFile(path, &file));
  return Write(std::move(file), data);
}

absl::Status AppendStringToFile(Env* env, const std::string& path, absl::string_view data) {
  std::unique_ptr<WritableFile> file;
  HILO_RETURN_IF_ERROR(env->NewAppendableFile(path, &file));
  return Write(std::move(file), data);
}

absl::Status WriteBinaryProto(Env* env, const std::string& path,
                              const google::protobuf::MessageLite& proto) {
  std::string data;
  if (!proto.SerializeToString(&data)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the ", proto.GetTypeName(), " for ", path, " has no bytes"));
  }
  return WriteStringToFile(env, path, data);
}

absl::Status ReadBinaryProto(Env* env, const std::string& path,
                             google::protobuf::MessageLite* proto) {
  std::string data;
  HILO_RETURN_IF_ERROR(ReadFileToString(env, path, &data));
  return FromBytes(data, proto) ? absl::OkStatus() : NoMessage(path, proto->GetTypeName(), "bytes");
}

absl::Status WriteTextProto(Env* env, const std::string& path,
                            const google::protobuf::Message& proto) {
  std::string text;
  if (!google::protobuf::TextFormat::PrintToString(proto, &text)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the ", proto.GetTypeName(), " for ", path, " has no text"));
  }
  return WriteStringToFile(env, path, text);
}

absl::Status ReadTextProto(Env* env, const std::string& path, google::protobuf::Message* proto) {
  std::string data;
  HILO_RETURN_IF_ERROR(ReadFileToString(env, path, &data));
  return FromText(data, proto) ? absl::OkStatus() : NoMessage(path, proto->GetTypeName(), "text");
}

absl::Status ReadTextOrBinaryProto(Env* env, const std::string& path,
                                   google::protobuf::Message* proto) {
  std::string data;
  HILO_RETURN_IF_ERROR(ReadFileToString(env, path, &data));
  if (FromText(data, proto) || FromBytes(data, proto)) return absl::OkStatus();
  return NoMessage(path, proto->GetTypeName(), "text or bytes");
}

}  // namespace tsl
