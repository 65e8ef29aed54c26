#include "ir/records.h"

namespace xla {
namespace {

// A field made from a pointer to a member of `Record` (or of one of its bases).
template <typename Record, typename Member>
Field MakeField(absl::string_view name, Member member, Presence presence, ProtoPath proto,
                Form form = Form::kPlain) {
  return Field{name,
               [member](Attributes& attributes) -> FieldReference {
                 return &(static_cast<Record&>(attributes).*member);
               },
               form, presence, proto};
}

FieldReference MakeEnumReference(int* value, absl::Span<const EnumName> names, bool ignore_case) {
  return EnumReference{value, names, ignore_case};
}
FieldReference MakeEnumReference(std::optional<int>* value, absl::Span<const EnumName> names, bool) {
  return OptionalEnumReference{value, names};
}

template <typename Record, typename Member>
Field MakeEnumField(absl::string_view name, Member member, absl::Span<const EnumName> names,
                    Presence presence, ProtoPath proto, bool ignore_case = false) {
  return Field{name,
               [member, names, ignore_case](Attributes& attributes) {
                 return MakeEnumReference(&(static_cast<Record&>(attributes).*member), names,
                                          ignore_case);
               },
               Form::kPlain, presence, proto};
}

constexpr EnumName kComparisonDirections[] = {
    {static_cast<int>(ComparisonDirection::kEq), "EQ"},
    {static_cast<int>(ComparisonDirection::kNe), "NE"},
    {static_cast<int>(ComparisonDirection::kGe), "GE"},
    {static_cast<int>(ComparisonDirection::kGt), "GT"},
    {static_cast<int>(ComparisonDirection::kLe), "LE"},
    {static_cast<int>(ComparisonDirection::kLt), "LT"},
};

constexpr EnumName kComparisonTypes[] = {
    {static_cast<int>(Comparison::Type::kFloat), "FLOAT"},
    {static_cast<int>(Comparison::Type::kFloatTotalOrder), "TOTALORDER"},
    {static_cast<int>(Comparison::Type::kSigned), "SIGNED"},
    {static_cast<int>(Comparison::Type::kUnsigned), "UNSIGNED"},
};

constexpr EnumName kFusionKinds[] = {
    {static_cast<int>(HloInstruction::FusionKind::kLoop), "kLoop"},
    {static_cast<int>(HloInstruction::FusionKind::kInput), "kInput"},
    {static_cast<int>(HloInstruction::FusionKind::kOutput), "kOutput"},
    {static_cast<int>(HloInstruction::FusionKind::kCustom), "kCustom"},
};

constexpr EnumName kTriStates[] = {
    {TRI_STATE_UNSPECIFIED, "unspecified"}, {TRI_STATE_TRUE, "true"}, {TRI_STATE_FALSE, "false"}};

constexpr EnumName kTransposes[] = {
    {TriangularSolveOptions::TRANSPOSE_INVALID, "TRANSPOSE_INVALID"},
    {TriangularSolveOptions::NO_TRANSPOSE, "NO_TRANSPOSE"},
    {TriangularSolveOptions::TRANSPOSE, "TRANSPOSE"},
    {TriangularSolveOptions::ADJOINT, "ADJOINT"},
};

constexpr EnumName kFftTypes[] = {{FFT, "FFT"}, {IFFT, "IFFT"}, {RFFT, "RFFT"}, {IRFFT, "IRFFT"}};

constexpr EnumName kPrecisions[] = {{PrecisionConfig::DEFAULT, "default"},
                                    {PrecisionConfig::HIGH, "high"},
                                    {PrecisionConfig::HIGHEST, "highest"}};

constexpr EnumName kPrecisionAlgorithms[] = {
    {PrecisionConfig::ALG_UNSET, "unset"},
    {PrecisionConfig::ALG_DOT_ANY_F8_ANY_F8_F32, "dot_any_f8_any_f8_f32"},
    {PrecisionConfig::ALG_DOT_ANY_F8_ANY_F8_F32_FAST_ACCUM, "dot_any_f8_any_f8_f32_fast_accum"},
    {PrecisionConfig::ALG_DOT_F16_F16_F16, "dot_f16_f16_f16"},
    {PrecisionConfig::ALG_DOT_F16_F16_F32, "dot_f16_f16_f32"},
    {PrecisionConfig::ALG_DOT_BF16_BF16_BF16, "dot_bf16_bf16_bf16"},
    {PrecisionConfig::ALG_DOT_BF16_BF16_F32, "dot_bf16_bf16_f32"},
    {PrecisionConfig::ALG_DOT_BF16_BF16_F32_X3, "dot_bf16_bf16_f32_x3"},
    {PrecisionConfig::ALG_DOT_BF16_BF16_F32_X6, "dot_bf16_bf16_f32_x6"},
    {PrecisionConfig::ALG_DOT_BF16_BF16_F32_X9, "dot_bf16_bf16_f32_x9"},
    {PrecisionConfig::ALG_DOT_TF32_TF32_F32, "dot_tf32_tf32_f32"},
    {PrecisionConfig::ALG_DOT_TF32_TF32_F32_X3, "dot_tf32_tf32_f32_x3"},
    {PrecisionConfig::ALG_DOT_F32_F32_F32, "dot_f32_f32_f32"},
    {PrecisionConfig::ALG_DOT_F64_F64_F64, "dot_f64_f64_f64"},
};

constexpr EnumName kConvolutionKinds[] = {{CONVOLUTION_KIND_UNSET, "unset"},
                                          {CONVOLUTION_KIND_FPROP, "fprop"},
                                          {CONVOLUTION_KIND_DGRAD, "dgrad"},
                                          {CONVOLUTION_KIND_WGRAD, "wgrad"}};

constexpr EnumName kDistributions[] = {{RNG_UNIFORM, "rng_uniform"}, {RNG_NORMAL, "rng_normal"}};

constexpr EnumName kRandomAlgorithms[] = {{RNG_DEFAULT, "rng_default"},
                                          {RNG_THREE_FRY, "rng_three_fry"},
                                          {RNG_PHILOX, "rng_philox"}};

constexpr EnumName kPaddingTypes[] = {{PADDING_INVALID, "PADDING_INVALID"},
                                      {PADDING_VALID, "PADDING_VALID"},
                                      {PADDING_SAME, "PADDING_SAME"}};

constexpr EnumName kCustomCallSchedules[] = {{SCHEDULE_NONE, "SCHEDULE_NONE"},
                                             {SCHEDULE_LATEST, "SCHEDULE_LATEST"},
                                             {SCHEDULE_EARLIEST, "SCHEDULE_EARLIEST"}};

constexpr EnumName kApiVersions[] = {
    {API_VERSION_ORIGINAL, "API_VERSION_ORIGINAL"},
    {API_VERSION_STATUS_RETURNING, "API_VERSION_STATUS_RETURNING"},
    {API_VERSION_STATUS_RETURNING_UNIFIED, "API_VERSION_STATUS_RETURNING_UNIFIED"},
    {API_VERSION_TYPED_FFI, "API_VERSION_TYPED_FFI"},
};

// The fields of HloInstructionProto that records use.
namespace proto {
constexpr int kLiteral = HloInstructionProto::kLiteralFieldNumber;
constexpr int kParameterNumber = HloInstructionProto::kParameterNumberFieldNumber;
constexpr int kDimensions = HloInstructionProto::kDimensionsFieldNumber;
constexpr int kGather = HloInstructionProto::kGatherDimensionNumbersFieldNumber;
constexpr int kScatter = HloInstructionProto::kScatterDimensionNumbersFieldNumber;
constexpr int kDot = HloInstructionProto::kDotDimensionNumbersFieldNumber;
constexpr int kRaggedDot = HloInstructionProto::kRaggedDotDimensionNumbersFieldNumber;
constexpr int kPrecision = HloInstructionProto::kPrecisionConfigFieldNumber;
constexpr int kTriangularSolve = HloInstructionProto::kTriangularSolveOptionsFieldNumber;
constexpr int kChannelId = HloInstructionProto::kChannelIdFieldNumber;
// replica_groups has several encodings; the codec of CollectiveDeviceList knows them all.
constexpr int kReplicaGroups = HloInstructionProto::kCollectiveDeviceListFieldNumber;
constexpr int kConstrainLayout = HloInstructionProto::kConstrainLayoutFieldNumber;
constexpr int kUseGlobalDeviceIds = HloInstructionProto::kUseGlobalDeviceIdsFieldNumber;
}  // namespace proto

template <typename Record>
std::vector<Field> PrecisionFields() {
  const auto operand_precision = [](Attributes& attributes) -> FieldReference {
    PrecisionConfig& config = static_cast<Record&>(attributes).precision;
    return EnumListReference{config.mutable_operand_precision(), kPrecisions};
  };
  const auto algorithm = [](Attributes& attributes) -> FieldReference {
    PrecisionConfig& config = static_cast<Record&>(attributes).precision;
    return EnumReference{&config, kPrecisionAlgorithms, /*ignore_case=*/true};
  };
  return {{"operand_precision", operand_precision, Form::kPlain, Presence::kUnlessEqual,
           {proto::kPrecision, PrecisionConfig::kOperandPrecisionFieldNumber}},
          {"algorithm", algorithm, Form::kPlain, Presence::kUnlessEqual,
           {proto::kPrecision, PrecisionConfig::kAlgorithmFieldNumber}}};
}

template <typename Record>
std::vector<Field> DotFields() {
  return {MakeField<Record>("lhs_batch_dims", &Record::lhs_batch, Presence::kUnlessEqual,
                            {proto::kDot, DotDimensionNumbers::kLhsBatchDimensionsFieldNumber}),
          MakeField<Record>("lhs_contracting_dims", &Record::lhs_contracting, Presence::kAlways,
                            {proto::kDot, DotDimensionNumbers::kLhsContractingDimensionsFieldNumber}),
          MakeField<Record>("rhs_batch_dims", &Record::rhs_batch, Presence::kUnlessEqual,
                            {proto::kDot, DotDimensionNumbers::kRhsBatchDimensionsFieldNumber}),
          MakeField<Record>("rhs_contracting_dims", &Record::rhs_contracting, Presence::kAlways,
                            {proto::kDot, DotDimensionNumbers::kRhsContractingDimensionsFieldNumber})};
}

// window, dim_labels and the group counts of convolution and custom-call. `dim_labels` is as present as `presence` says.
template <typename Record>
std::vector<Field> ConvolutionFields(Presence presence) {
  return {MakeField<Record>("window", &Record::window, Presence::kUnlessEqual,
                            {HloInstructionProto::kWindowFieldNumber}),
          MakeField<Record>("dim_labels", &Record::dimension_numbers, presence,
                            {HloInstructionProto::kConvolutionDimensionNumbersFieldNumber}),
          MakeField<Record>("feature_group_count", &Record::feature_group_count,
                            Presence::kUnlessEqual,
                            {HloInstructionProto::kFeatureGroupCountFieldNumber}),
          MakeField<Record>("batch_group_count", &Record::batch_group_count, Presence::kUnlessEqual,
                            {HloInstructionProto::kBatchGroupCountFieldNumber})};
}

template <typename Record>
std::vector<Field> CollectiveFields() {
  return {MakeField<Record>("channel_id", &Record::channel_id, Presence::kUnlessEqual,
                            {proto::kChannelId}),
          MakeField<Record>("replica_groups", &Record::replica_groups, Presence::kAlways,
                            {proto::kReplicaGroups})};
}

template <typename Record>
Field ConstrainLayoutField() {
  return MakeField<Record>("constrain_layout", &Record::constrain_layout, Presence::kUnlessEqual,
                           {proto::kConstrainLayout});
}

template <typename Record>
Field GlobalDeviceIdsField() {
  return MakeField<Record>("use_global_device_ids", &Record::use_global_device_ids,
                           Presence::kUnlessEqual, {proto::kUseGlobalDeviceIds});
}

// dimensions={d}
template <typename Record>
Field OneDimensionField() {
  return MakeField<Record>("dimensions", &Record::dimension, Presence::kRequired,
                           {proto::kDimensions}, Form::kOneInBraces);
}

template <typename Record>
Field DimensionsField(Presence presence) {
  return MakeField<Record>("dimensions", &Record::dimensions, presence, {proto::kDimensions});
}

template <typename Record>
Field AliasingField() {
  return MakeField<Record>("output_to_operand_aliasing", &Record::output_to_operand_aliasing,
                           Presence::kUnlessEqual,
                           {HloInstructionProto::kOutputOperandAliasingFieldNumber});
}

std::vector<Field> operator+(std::vector<Field> list, Field field) {
  list.push_back(std::move(field));
  return list;
}

std::vector<Field> operator+(std::vector<Field> list, std::vector<Field> more) {
  for (Field& field : more) list.push_back(std::move(field));
  return list;
}

}  // namespace

absl::Span<const EnumName> ComparisonDirectionNames() { return kComparisonDirections; }
absl::Span<const EnumName> ComparisonTypeNames() { return kComparisonTypes; }
absl::Span<const EnumName> FusionKindNames() { return kFusionKinds; }

// The fields in the order in which they are printed.
#define HILO_FIELDS(Record, ...)                                               \
  absl::Span<const Field> Record::FieldList() {                                \
    using This [[maybe_unused]] = Record;                                      \
    static const std::vector<Field>& fields = *new std::vector<Field>(__VA_ARGS__); \
    return fields;                                                             \
  }

HILO_FIELDS(NoAttributes, std::vector<Field>{})

HILO_FIELDS(ReducePrecisionAttributes,
            {MakeField<This>("exponent_bits", &This::exponent_bits, Presence::kRequired,
                             {HloInstructionProto::kExponentBitsFieldNumber}),
             MakeField<This>("mantissa_bits", &This::mantissa_bits, Presence::kRequired,
                             {HloInstructionProto::kMantissaBitsFieldNumber})})

HILO_FIELDS(CompareAttributes,
            {MakeEnumField<This>("direction", &This::direction, kComparisonDirections,
                                 Presence::kRequired,
                                 {HloInstructionProto::kComparisonDirectionFieldNumber}),
             MakeEnumField<This>("type", &This::type, kComparisonTypes, Presence::kUnlessEqual,
                                 {HloInstructionProto::kComparisonTypeFieldNumber})})

HILO_FIELDS(ConstantAttributes, {MakeField<This>("", &This::literal, Presence::kRequired,
                                                 {proto::kLiteral}, Form::kPositional)})

HILO_FIELDS(ParameterAttributes,
            {MakeField<This>("", &This::parameter_number, Presence::kRequired,
                             {proto::kParameterNumber}, Form::kPositional),
             MakeField<This>("parameter_replication", &This::parameter_replication,
                             Presence::kUnlessEqual,
                             {HloInstructionProto::kParameterReplicationFieldNumber,
                              ParameterReplication::kReplicatedAtLeafBuffersFieldNumber})})

HILO_FIELDS(IotaAttributes, {MakeField<This>("iota_dimension", &This::iota_dimension,
                                             Presence::kRequired, {proto::kDimensions})})

HILO_FIELDS(DimensionsAttributes, {DimensionsField<This>(Presence::kRequired)})

HILO_FIELDS(OneDimensionAttributes, {OneDimensionField<This>()})

HILO_FIELDS(BroadcastAttributes, {DimensionsField<This>(Presence::kAlways)})

HILO_FIELDS(MapAttributes, {DimensionsField<This>(Presence::kAlways)})

HILO_FIELDS(ReshapeAttributes,
            {MakeField<This>("inferred_dimension", &This::inferred_dimension,
                             Presence::kUnlessEqual, {proto::kDimensions})})

HILO_FIELDS(SliceAttributes, {MakeField<This>("slice", &This::ranges, Presence::kRequired,
                                              {HloInstructionProto::kSliceDimensionsFieldNumber})})

HILO_FIELDS(PadAttributes, {MakeField<This>("padding", &This::padding, Presence::kRequired,
                                            {HloInstructionProto::kPaddingConfigFieldNumber})})

HILO_FIELDS(DynamicSliceAttributes,
            {MakeField<This>("dynamic_slice_sizes", &This::slice_sizes, Presence::kRequired,
                             {HloInstructionProto::kDynamicSliceSizesFieldNumber})})

HILO_FIELDS(
    GatherAttributes,
    {MakeField<This>("offset_dims", &This::offset_dims, Presence::kRequired,
                     {proto::kGather, GatherDimensionNumbers::kOffsetDimsFieldNumber}),
     MakeField<This>("collapsed_slice_dims", &This::collapsed_slice_dims, Presence::kRequired,
                     {proto::kGather, GatherDimensionNumbers::kCollapsedSliceDimsFieldNumber}),
     MakeField<This>("start_index_map", &This::start_index_map, Presence::kRequired,
                     {proto::kGather, GatherDimensionNumbers::kStartIndexMapFieldNumber}),
     MakeField<This>("operand_batching_dims", &This::operand_batching_dims, Presence::kUnlessEqual,
                     {proto::kGather, GatherDimensionNumbers::kOperandBatchingDimsFieldNumber}),
     MakeField<This>(
         "start_indices_batching_dims", &This::start_indices_batching_dims, Presence::kUnlessEqual,
         {proto::kGather, GatherDimensionNumbers::kStartIndicesBatchingDimsFieldNumber}),
     MakeField<This>("index_vector_dim", &This::index_vector_dim, Presence::kRequired,
                     {proto::kGather, GatherDimensionNumbers::kIndexVectorDimFieldNumber}),
     MakeField<This>("slice_sizes", &This::slice_sizes, Presence::kRequired,
                     {HloInstructionProto::kGatherSliceSizesFieldNumber}),
     MakeField<This>("indices_are_sorted", &This::indices_are_sorted, Presence::kUnlessEqual,
                     {HloInstructionProto::kIndicesAreSortedFieldNumber})})

HILO_FIELDS(
    ScatterAttributes,
    {MakeField<This>("update_window_dims", &This::update_window_dims, Presence::kRequired,
                     {proto::kScatter, ScatterDimensionNumbers::kUpdateWindowDimsFieldNumber}),
     MakeField<This>("inserted_window_dims", &This::inserted_window_dims, Presence::kRequired,
                     {proto::kScatter, ScatterDimensionNumbers::kInsertedWindowDimsFieldNumber}),
     MakeField<This>(
         "scatter_dims_to_operand_dims", &This::scatter_dims_to_operand_dims, Presence::kRequired,
         {proto::kScatter, ScatterDimensionNumbers::kScatterDimsToOperandDimsFieldNumber}),
     MakeField<This>("input_batching_dims", &This::input_batching_dims, Presence::kUnlessEqual,
                     {proto::kScatter, ScatterDimensionNumbers::kInputBatchingDimsFieldNumber}),
     MakeField<This>(
         "scatter_indices_batching_dims", &This::scatter_indices_batching_dims,
         Presence::kUnlessEqual,
         {proto::kScatter, ScatterDimensionNumbers::kScatterIndicesBatchingDimsFieldNumber}),
     MakeField<This>("index_vector_dim", &This::index_vector_dim, Presence::kRequired,
                     {proto::kScatter, ScatterDimensionNumbers::kIndexVectorDimFieldNumber}),
     MakeField<This>("indices_are_sorted", &This::indices_are_sorted, Presence::kUnlessEqual,
                     {HloInstructionProto::kIndicesAreSortedFieldNumber}),
     MakeField<This>("unique_indices", &This::unique_indices, Presence::kUnlessEqual,
                     {HloInstructionProto::kUniqueIndicesFieldNumber})})

HILO_FIELDS(WindowAttributes, {MakeField<This>("window", &This::window, Presence::kUnlessEqual,
                                               {HloInstructionProto::kWindowFieldNumber})})

HILO_FIELDS(ScanAttributes,
            {OneDimensionField<This>(),
             MakeField<This>("num_carries", &This::num_carries, Presence::kRequired,
                             {HloInstructionProto::kNumCarriesFieldNumber}),
             MakeField<This>("is_reverse", &This::is_reverse, Presence::kUnlessEqual,
                             {HloInstructionProto::kIsReverseFieldNumber}),
             MakeEnumField<This>("is_associative", &This::is_associative, kTriStates,
                                 Presence::kUnlessEqual,
                                 {HloInstructionProto::kIsAssociativeFieldNumber})})

HILO_FIELDS(SortAttributes,
            {OneDimensionField<This>(),
             MakeField<This>("is_stable", &This::is_stable, Presence::kUnlessEqual,
                             {HloInstructionProto::kIsStableFieldNumber})})

HILO_FIELDS(TopKAttributes, {MakeField<This>("k", &This::k, Presence::kRequired,
                                             {HloInstructionProto::kKFieldNumber}),
                             MakeField<This>("largest", &This::largest, Presence::kAlways,
                                             {HloInstructionProto::kLargestFieldNumber}),
                             MakeField<This>("is_stable", &This::is_stable, Presence::kUnlessEqual,
                                             {HloInstructionProto::kIsStableFieldNumber})})

HILO_FIELDS(BatchNormAttributes,
            {MakeField<This>("epsilon", &This::epsilon, Presence::kRequired,
                             {HloInstructionProto::kEpsilonFieldNumber}),
             MakeField<This>("feature_index", &This::feature_index, Presence::kRequired,
                             {HloInstructionProto::kFeatureIndexFieldNumber})})

HILO_FIELDS(CholeskyAttributes,
            {MakeField<This>("lower", &This::lower, Presence::kUnlessEqual,
                             {HloInstructionProto::kCholeskyOptionsFieldNumber,
                              CholeskyOptions::kLowerFieldNumber})})

HILO_FIELDS(
    TriangularSolveAttributes,
    {MakeField<This>("left_side", &This::left_side, Presence::kUnlessEqual,
                     {proto::kTriangularSolve, TriangularSolveOptions::kLeftSideFieldNumber}),
     MakeField<This>("lower", &This::lower, Presence::kUnlessEqual,
                     {proto::kTriangularSolve, TriangularSolveOptions::kLowerFieldNumber}),
     MakeField<This>("unit_diagonal", &This::unit_diagonal, Presence::kUnlessEqual,
                     {proto::kTriangularSolve, TriangularSolveOptions::kUnitDiagonalFieldNumber}),
     MakeEnumField<This>("transpose_a", &This::transpose_a, kTransposes, Presence::kUnlessEqual,
                         {proto::kTriangularSolve, TriangularSolveOptions::kTransposeAFieldNumber})})

HILO_FIELDS(FftAttributes,
            {MakeEnumField<This>("fft_type", &This::fft_type, kFftTypes, Presence::kRequired,
                                 {HloInstructionProto::kFftTypeFieldNumber}),
             MakeField<This>("fft_length", &This::fft_length, Presence::kRequired,
                             {HloInstructionProto::kFftLengthFieldNumber})})

HILO_FIELDS(DotAttributes, DotFields<This>() + PrecisionFields<This>())

// The same four lists as dot's, which in the message for ragged-dot lie one level deeper: its codec is in src/front/proto.
HILO_FIELDS(RaggedDotAttributes,
            DotFields<This>() +
                std::vector<Field>{
                    MakeField<This>("lhs_ragged_dims", &This::lhs_ragged, Presence::kAlways,
                                    {proto::kRaggedDot,
                                     RaggedDotDimensionNumbers::kLhsRaggedDimensionsFieldNumber}),
                    MakeField<This>("rhs_group_dims", &This::rhs_group, Presence::kUnlessEqual,
                                    {proto::kRaggedDot,
                                     RaggedDotDimensionNumbers::kRhsGroupDimensionsFieldNumber})} +
                PrecisionFields<This>())

HILO_FIELDS(ConvolutionAttributes,
            ConvolutionFields<This>(Presence::kRequired) +
                MakeEnumField<This>("convolution_kind", &This::kind, kConvolutionKinds,
                                    Presence::kUnlessEqual,
                                    {HloInstructionProto::kConvKindFieldNumber}) +
                PrecisionFields<This>() +
                MakeField<This>("sparsity_config", &This::sparsity, Presence::kUnlessEqual,
                                {HloInstructionProto::kSparsityConfigFieldNumber}))

HILO_FIELDS(RngAttributes,
            {MakeEnumField<This>("distribution", &This::distribution, kDistributions,
                                 Presence::kRequired,
                                 {HloInstructionProto::kDistributionFieldNumber},
                                 /*ignore_case=*/true)})

HILO_FIELDS(RngBitGeneratorAttributes,
            {MakeEnumField<This>("algorithm", &This::algorithm, kRandomAlgorithms,
                                 Presence::kRequired,
                                 {HloInstructionProto::kRngAlgorithmFieldNumber},
                                 /*ignore_case=*/true)})

HILO_FIELDS(RngGetAndUpdateStateAttributes,
            {MakeField<This>("delta", &This::delta, Presence::kRequired,
                             {HloInstructionProto::kDeltaFieldNumber})})

HILO_FIELDS(GetTupleElementAttributes,
            {MakeField<This>("index", &This::index, Presence::kRequired,
                             {HloInstructionProto::kTupleIndexFieldNumber})})

HILO_FIELDS(CallAttributes,
            {MakeField<This>("is_composite", &This::is_composite, Presence::kUnlessEqual,
                             {HloInstructionProto::kIsCompositeFieldNumber}, Form::kAfterCallees),
             AliasingField<This>()})

HILO_FIELDS(FusionAttributes,
            {MakeEnumField<This>("kind", &This::kind, kFusionKinds, Presence::kRequired,
                                 {HloInstructionProto::kFusionKindFieldNumber}),
             AliasingField<This>()})

HILO_FIELDS(
    CustomCallAttributes,
    ConvolutionFields<This>(Presence::kUnlessEqual) + PrecisionFields<This>() +
        std::vector<Field>{
            MakeEnumField<This>("padding_type", &This::padding_type, kPaddingTypes,
                                Presence::kUnlessEqual,
                                {HloInstructionProto::kPaddingTypeFieldNumber}),
            MakeField<This>("custom_call_target", &This::target, Presence::kRequired,
                            {HloInstructionProto::kCustomCallTargetFieldNumber}),
            MakeField<This>("operand_layout_constraints", &This::operand_layouts,
                            Presence::kUnlessEqual,
                            {HloInstructionProto::kOperandShapesWithLayoutFieldNumber}),
            MakeField<This>("custom_call_has_side_effect", &This::has_side_effect,
                            Presence::kUnlessEqual,
                            {HloInstructionProto::kCustomCallHasSideEffectFieldNumber}),
            MakeField<This>("literal", &This::literal, Presence::kUnlessEqual, {proto::kLiteral}),
            AliasingField<This>(),
            MakeEnumField<This>("schedule", &This::schedule, kCustomCallSchedules,
                                Presence::kUnlessEqual,
                                {HloInstructionProto::kCustomCallScheduleFieldNumber},
                                /*ignore_case=*/true),
            MakeEnumField<This>("api_version", &This::api_version, kApiVersions,
                                Presence::kUnlessEqual,
                                {HloInstructionProto::kCustomCallApiVersionFieldNumber},
                                /*ignore_case=*/true)})

// Entry and exit lie in two fields of the message; the codec of DomainShardings in src/front/proto knows both.
HILO_FIELDS(DomainAttributes, {MakeField<This>("domain", &This::domain, Presence::kRequired,
                                               {HloInstructionProto::kDomainEntryShardingFieldNumber})})

HILO_FIELDS(InfeedAttributes, {MakeField<This>("infeed_config", &This::config,
                                               Presence::kUnlessEqual,
                                               {HloInstructionProto::kInfeedConfigFieldNumber})})

HILO_FIELDS(OutfeedAttributes,
            {MakeField<This>("outfeed_shape", &This::shape, Presence::kUnlessEqual,
                             {HloInstructionProto::kOutfeedShapeFieldNumber}),
             MakeField<This>("outfeed_config", &This::config, Presence::kUnlessEqual,
                             {HloInstructionProto::kOutfeedConfigFieldNumber})})

HILO_FIELDS(SendRecvAttributes,
            {MakeField<This>("channel_id", &This::channel_id, Presence::kUnlessEqual,
                             {proto::kChannelId}),
             MakeField<This>("is_host_transfer", &This::is_host_transfer, Presence::kUnlessEqual,
                             {HloInstructionProto::kIsHostTransferFieldNumber})})

HILO_FIELDS(AllGatherAttributes, CollectiveFields<This>() + ConstrainLayoutField<This>() +
                                     OneDimensionField<This>() + GlobalDeviceIdsField<This>())

HILO_FIELDS(AllReduceAttributes, CollectiveFields<This>() + ConstrainLayoutField<This>() +
                                     GlobalDeviceIdsField<This>())

HILO_FIELDS(ReduceScatterAttributes, CollectiveFields<This>() + ConstrainLayoutField<This>() +
                                         GlobalDeviceIdsField<This>() + OneDimensionField<This>())

HILO_FIELDS(AllToAllAttributes,
            CollectiveFields<This>() + ConstrainLayoutField<This>() +
                MakeField<This>("dimensions", &This::dimension, Presence::kUnlessEqual,
                                {proto::kDimensions}, Form::kOneInBraces))

HILO_FIELDS(RaggedAllToAllAttributes, CollectiveFields<This>())

HILO_FIELDS(CollectiveBroadcastAttributes,
            CollectiveFields<This>() +
                MakeField<This>("has_dynamic_root", &This::has_dynamic_root, Presence::kUnlessEqual,
                                {HloInstructionProto::kHasDynamicRootFieldNumber}))

HILO_FIELDS(CollectivePermuteAttributes,
            {MakeField<This>("channel_id", &This::channel_id, Presence::kUnlessEqual,
                             {proto::kChannelId}),
             MakeField<This>("source_target_pairs", &This::source_target_pairs,
                             Presence::kRequired,
                             {HloInstructionProto::kSourceTargetPairsFieldNumber}),
             MakeField<This>("slice_sizes", &This::slice_sizes, Presence::kUnlessEqual,
                             {HloInstructionProto::kDynamicSliceSizesFieldNumber})})

HILO_FIELDS(AsyncAttributes,
            {MakeField<This>("async_execution_thread", &This::execution_thread,
                             Presence::kUnlessEqual,
                             {HloInstructionProto::kAsyncExecutionThreadFieldNumber}),
             AliasingField<This>()})

HILO_FIELDS(CopyStartAttributes,
            {MakeField<This>("cross_program_prefetch_index", &This::cross_program_prefetch_index,
                             Presence::kUnlessEqual,
                             {HloInstructionProto::kCrossProgramPrefetchIndexFieldNumber})})

#undef HILO_FIELDS

}  // namespace xla
