#include "tests/text/modules.h"

namespace xla {
namespace {

constexpr absl::string_view kElementwise =
    R"(HloModule elementwise, is_scheduled=true, entry_computation_layout={(f32[4]{0}, s32[4]{0}, c64[4]{0}, pred[4]{0})->f32[4]{0}}

ENTRY %main (x: f32[4], i: s32[4], c: c64[4], p: pred[4]) -> f32[4] {
  %i = s32[4]{0} parameter(1)
  %c.1 = s32[4]{0} count-leading-zeros(%i)
  %popcnt = s32[4]{0} popcnt(%c.1)
  %not = s32[4]{0} not(%popcnt)
  %and = s32[4]{0} and(%not, %i)
  %or = s32[4]{0} or(%and, %i)
  %xor = s32[4]{0} xor(%or, %i)
  %left = s32[4]{0} shift-left(%xor, %i)
  %arithmetic = s32[4]{0} shift-right-arithmetic(%left, %i)
  %logical = s32[4]{0} shift-right-logical(%arithmetic, %i)
  %high = s32[4]{0} mulhi(%logical, %i)
  %c = c64[4]{0} parameter(2)
  %real = f32[4]{0} real(%c)
  %imag = f32[4]{0} imag(%c)
  %complex = c64[4]{0} complex(%real, %imag)
  %x = f32[4]{0} parameter(0)
  %abs = f32[4]{0} abs(%x)
  %acos = f32[4]{0} acos(%abs), result_accuracy={mode=highest}
  %acosh = f32[4]{0} acosh(%acos)
  %asin = f32[4]{0} asin(%acosh), result_accuracy={tolerance={atol=0,rtol=0.5,ulps=2}}
  %asinh = f32[4]{0} asinh(%asin)
  %atanh = f32[4]{0} atanh(%asinh)
  %cbrt = f32[4]{0} cbrt(%atanh)
  %ceil = f32[4]{0} ceil(%cbrt)
  %copy = f32[4]{0} copy(%ceil)
  %cosine = f32[4]{0} cosine(%copy)
  %cosh = f32[4]{0} cosh(%cosine)
  %erf = f32[4]{0} erf(%cosh)
  %exponential = f32[4]{0} exponential(%erf)
  %exponential-minus-one = f32[4]{0} exponential-minus-one(%exponential)
  %floor = f32[4]{0} floor(%exponential-minus-one)
  %log = f32[4]{0} log(%floor)
  %log-plus-one = f32[4]{0} log-plus-one(%log)
  %logistic = f32[4]{0} logistic(%log-plus-one)
  %negate = f32[4]{0} negate(%logistic)
  %precision = f32[4]{0} reduce-precision(%negate), exponent_bits=8, mantissa_bits=7
  %afz = f32[4]{0} round-nearest-afz(%precision)
  %even = f32[4]{0} round-nearest-even(%afz)
  %rsqrt = f32[4]{0} rsqrt(%even)
  %sign = f32[4]{0} sign(%rsqrt)
  %sine = f32[4]{0} sine(%sign)
  %sinh = f32[4]{0} sinh(%sine)
  %sqrt = f32[4]{0} sqrt(%sinh)
  %tan = f32[4]{0} tan(%sqrt)
  %tanh = f32[4]{0} tanh(%tan)
  %barrier = f32[4]{0} opt-barrier(%tanh)
  %add = f32[4]{0} add(%barrier, %x)
  %atan2 = f32[4]{0} atan2(%add, %x)
  %divide = f32[4]{0} divide(%atan2, %x)
  %maximum = f32[4]{0} maximum(%divide, %x)
  %minimum = f32[4]{0} minimum(%maximum, %x)
  %multiply = f32[4]{0} multiply(%minimum, %x)
  %power = f32[4]{0} power(%multiply, %x)
  %remainder = f32[4]{0} remainder(%power, %x)
  %subtract = f32[4]{0} subtract(%remainder, %x)
  %finite = pred[4]{0} is-finite(%subtract)
  %clamp = f32[4]{0} clamp(%subtract, %x, %x)
  %compare = pred[4]{0} compare(%clamp, %x), direction=LT, type=TOTALORDER
  %equal = pred[4]{0} compare(%high, %i), direction=EQ
  %p = pred[4]{0} parameter(3)
  %select = f32[4]{0} select(%p, %clamp, %x)
  %half = f16[4]{0} convert(%select)
  %bits = u16[4]{0} bitcast-convert(%half)
  %random = u32[4]{0} iota(), iota_dimension=0
  %stochastic = s8[4]{0} stochastic-convert(%select, %random)
  ROOT %result = f32[4]{0} bitcast(%select)
}

)";

constexpr absl::string_view kData =
    R"(HloModule data, is_scheduled=true, entry_computation_layout={(f32[2,3]{1,0}, s32[], s32[5,1]{1,0})->(f32[2,3]{1,0})}

%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %add = f32[] add(%a, %b)
}

%greater (a.1: f32[], b.1: f32[]) -> pred[] {
  %a.1 = f32[] parameter(0)
  %b.1 = f32[] parameter(1)
  ROOT %compare = pred[] compare(%a.1, %b.1), direction=GE
}

ENTRY %main (x: f32[2,3], n: s32[], indices: s32[5,1]) -> (f32[2,3]) {
  %x = f32[2,3]{1,0} parameter(0), parameter_replication={true}
  %zero = f32[] constant(0)
  %padded = f32[5,8]{1,0} pad(%x, %zero), padding=1_2_0x0_3_1
  %edges = f32[3,3]{1,0} pad(%x, %zero), padding=1_0x0_0
  %scalar = f32[] pad(%zero, %zero), padding=
  %tall = f32[3,2]{0,1} transpose(%x), dimensions={1,0}
  %backwards = f32[3,2]{0,1} reverse(%tall), dimensions={0}
  %flat = f32[6]{0} reshape(%x), inferred_dimension=0
  %wide = f32[2,3,4]{2,1,0} broadcast(%x), dimensions={0,1}
  %part = f32[1,2]{1,0} slice(%x), slice={[0:1], [0:2]}
  %strided = f32[1,2]{1,0} slice(%x), slice={[0:1:1], [0:3:2]}
  %joined = f32[4,3]{1,0} concatenate(%x, %x), dimensions={0}
  %n = s32[] parameter(1)
  %window = f32[1,2]{1,0} dynamic-slice(%x, %n, %n), dynamic_slice_sizes={1,2}
  %updated = f32[2,3]{1,0} dynamic-update-slice(%x, %window, %n, %n)
  %indices = s32[5,1]{1,0} parameter(2)
  %gathered = f32[5,3]{1,0} gather(%x, %indices), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}, indices_are_sorted=true
  %scattered = f32[2,3]{1,0} scatter(%x, %indices, %gathered), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, unique_indices=true, to_apply=%sum
  %size = s32[] get-dimension-size(%x), dimensions={0}
  %bounded = f32[<=2,3]{1,0} set-dimension-size(%x, %n), dimensions={0}
  %shaped = f32[<=3,<=2]{1,0} dynamic-reshape(%x, %n, %n)
  %mapped = f32[2,3]{1,0} map(%x, %x), dimensions={0,1}, to_apply=%sum
  %reduced = f32[3]{0} reduce(%x, %zero), dimensions={0}, to_apply=%sum
  %pooled = f32[1,2]{1,0} reduce-window(%x, %zero), window={size=2x2 stride=2x1}, to_apply=%sum
  %spread = f32[2,3]{1,0} select-and-scatter(%x, %pooled, %zero), window={size=2x2 stride=2x1}, select=%greater, scatter=%sum
  %scanned = (f32[2,3]{1,0}, f32[3]{0}) scan(%x, %reduced), dimensions={0}, num_carries=1, is_reverse=true, is_associative=true, to_apply=%sum
  %sorted = f32[2,3]{1,0} sort(%x), dimensions={1}, is_stable=true, to_apply=%greater
  %top = (f32[2,1]{1,0}, s32[2,1]{1,0}) topk(%x), k=1, largest=false
  %matrix = f32[2,2]{1,0} constant({ { 1, 2 }, { -0.0, nan } })
  %factor = f32[2,2]{1,0} cholesky(%matrix), lower=true
  %solved = f32[2,2]{1,0} triangular-solve(%factor, %matrix), left_side=true, lower=true, transpose_a=NO_TRANSPOSE
  %complex = c64[2,2]{1,0} fft(%matrix), fft_type=FFT, fft_length={2}
  %scale = f32[3]{0} constant({1, 2, inf})
  %trained = (f32[2,3]{1,0}, f32[3]{0}, f32[3]{0}) batch-norm-training(%x, %scale, %scale), epsilon=0.001, feature_index=1
  %inferred = f32[2,3]{1,0} batch-norm-inference(%x, %scale, %scale, %scale, %scale), epsilon=0.001, feature_index=1
  %gradient = (f32[2,3]{1,0}, f32[3]{0}, f32[3]{0}) batch-norm-grad(%x, %scale, %scale, %scale, %x), epsilon=0.001, feature_index=1
  %uniform = f32[2]{0} rng(%zero, %zero), distribution=rng_uniform
  %state = u64[2]{0} rng-get-and-update-state(), delta=4
  %bits = (u64[2]{0}, u32[7]{0}) rng-bit-generator(%state), algorithm=rng_three_fry
  ROOT %results = (f32[2,3]{1,0}) tuple(%sorted)
}

)";

constexpr absl::string_view kContraction =
    R"(HloModule contraction, is_scheduled=true, entry_computation_layout={(f32[2,3,4]{2,1,0}, f32[2,4,5]{2,1,0}, f32[1,8,8,4]{3,2,1,0}, f32[3,3,4,6]{3,2,1,0}, s32[2]{0})->f32[2,3,5]{2,1,0}}

ENTRY %main (lhs: f32[2,3,4], rhs: f32[2,4,5], image: f32[1,8,8,4], kernel: f32[3,3,4,6], sizes: s32[2]) -> f32[2,3,5] {
  %image = f32[1,8,8,4]{3,2,1,0} parameter(2)
  %kernel = f32[3,3,4,6]{3,2,1,0} parameter(3)
  %convolved = f32[1,8,8,6]{3,2,1,0} convolution(%image, %kernel), window={size=3x3 pad=1_1x1_1 rhs_reversal=1x0}, dim_labels=b01f_01io->b01f, operand_precision={high,default}
  %grouped = f32[1,4,4,6]{3,2,1,0} convolution(%image, %kernel), window={size=3x3 stride=2x2 pad=1_0x1_0 lhs_dilate=2x1 rhs_dilate=1x2}, dim_labels=b01f_01io->b01f, feature_group_count=2
  %lhs = f32[2,3,4]{2,1,0} parameter(0)
  %lhs_scale = f32[2,3,1]{2,1,0} constant({ { {1}, {1}, {1} }, { {1}, {1}, {1} } })
  %rhs = f32[2,4,5]{2,1,0} parameter(1)
  %rhs_scale = f32[2,1,5]{2,1,0} constant({ { { 1, 1, 1, 1, 1 } }, { { 1, 1, 1, 1, 1 } } })
  %scaled = f32[2,3,5]{2,1,0} scaled-dot(%lhs, %lhs_scale, %rhs, %rhs_scale), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}
  %toks = f32[3,4]{1,0} constant({ { 1, 1, 1, 1 }, { 1, 1, 1, 1 }, { 1, 1, 1, 1 } })
  %sizes = s32[2]{0} parameter(4)
  %ragged = f32[3,5]{1,0} ragged-dot(%toks, %rhs, %sizes), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}
  ROOT %dot = f32[2,3,5]{2,1,0} dot(%lhs, %rhs), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}, operand_precision={highest,default}, algorithm=dot_tf32_tf32_f32_x3
}

)";

constexpr absl::string_view kControl =
    R"(HloModule control, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, must-alias) }, entry_computation_layout={(s32[], f32[4]{0})->(s32[], f32[4]{0})}, replica_count=2, num_partitions=2, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2]>}}

%fused (y: f32[4]) -> f32[4] {
  %y = f32[4]{0} parameter(0)
  ROOT %negate = f32[4]{0} negate(%y)
}

%branch (z: f32[4]) -> f32[4] {
  ROOT %z = f32[4]{0} parameter(0)
}

%body (state.1: (s32[], f32[4])) -> (s32[], f32[4]) {
  ROOT %state.1 = (s32[], f32[4]{0}) parameter(0)
}

%condition (state: (s32[], f32[4])) -> pred[] {
  %state = (s32[], f32[4]{0}) parameter(0)
  %count = s32[] get-tuple-element(%state), index=0
  %limit = s32[] constant(10)
  ROOT %less = pred[] compare(%count, %limit), direction=LT
}

ENTRY %main (n: s32[], x: f32[4]) -> (s32[], f32[4]) {
  %n = s32[] parameter(0), sharding={replicated}
  %x = f32[4]{0} parameter(1), sharding={devices=[2]<=[2]}, origin={{"x" {0}}}
  %fusion = f32[4]{0} fusion(%x), kind=kLoop, output_to_operand_aliasing={{}: (0, {})}, calls=%fused, metadata={op_type="neg" op_name="jit(f)/neg" source_file="f.py" source_line=7}, backend_config={"k":[1,{"a":"}"}]}
  %always = pred[] constant(true)
  %chosen = f32[4]{0} conditional(%always, %fusion, %x), true_computation=%branch, false_computation=%fused
  %switched = f32[4]{0} conditional(%n, %x, %x, %chosen), branch_computations={%branch, %fused, %branch}
  %called = f32[4]{0} call(%switched), to_apply=%branch, frontend_attributes={a="x",b={"k":1}}
  %custom = f32[4]{0} custom-call(%called), custom_call_target="foo\"bar", operand_layout_constraints={f32[4]{0}}, custom_call_has_side_effect=true, literal=s32[2]{0} {1, 2}, schedule=SCHEDULE_LATEST, api_version=API_VERSION_TYPED_FFI, called_computations={%branch, %fused}, control-predecessors={%n}, backend_config="text"
  %domain = f32[4]{0} domain(%custom), domain={kind="sharding", entry={maximal device=1}, exit={devices=[2]0,1}}
  %start = (s32[], f32[4]{0}) tuple(%n, %domain), sharding={{replicated}, {devices=[2]<=[2]}}, origin={({"n"}, {})}
  ROOT %loop = (s32[], f32[4]{0}) while(%start), condition=%condition, body=%body, statistics={visualizing_index=1,time=1.5,bytes=12}
}

)";

constexpr absl::string_view kCollectives =
    R"(HloModule collectives, is_scheduled=true, entry_computation_layout={(f32[4,8]{1,0}, s32[2]{0})->f32[4,8]{1,0}}

%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %add = f32[] add(%a, %b)
}

ENTRY %main (x: f32[4,8], sizes: s32[2]) -> f32[4,8] {
  %x = f32[4,8]{1,0} parameter(0)
  %tok = token[] after-all()
  %infeed = (f32[3]{0}, token[]) infeed(%tok), infeed_config="feed"
  %outfeed = token[] outfeed(%x, %tok), outfeed_shape=f32[4,8]{1,0}, outfeed_config="out"
  %send = (f32[4,8]{1,0}, u32[], token[]) send(%x, %tok), channel_id=7, is_host_transfer=true
  %sent = token[] send-done(%send), channel_id=7, is_host_transfer=true
  %recv = (f32[4,8]{1,0}, u32[], token[]) recv(%tok), channel_id=8
  %received = (f32[4,8]{1,0}, token[]) recv-done(%recv), channel_id=8
  %replica = u32[] replica-id()
  %partition = u32[] partition-id()
  %sizes = s32[2]{0} parameter(1)
  %gathered = f32[8,8]{1,0} all-gather(%x), channel_id=1, replica_groups={{0,1},{2,3}}, dimensions={0}, use_global_device_ids=true
  %gather = (f32[4,8]{1,0}, f32[8,8]{1,0}) all-gather-start(%x), replica_groups=[2,2]<=[4], dimensions={0}
  %gather-done = f32[8,8]{1,0} all-gather-done(%gather)
  %scattered = f32[2,8]{1,0} reduce-scatter(%x), channel_id=2, replica_groups=[4,2]<=[2,4]T(1,0), use_global_device_ids=true, dimensions={0}, to_apply=%sum
  %exchanged = f32[4,8]{1,0} all-to-all(%x), replica_groups={{0,1}}, dimensions={0}
  %pieces = (f32[4,8]{1,0}, f32[4,8]{1,0}) all-to-all(%x, %x), replica_groups={{0,1}}
  %rags = f32[4,8]{1,0} ragged-all-to-all(%x, %x, %sizes, %sizes, %sizes, /*index=5*/%sizes), replica_groups={{0,1}}
  %shared = f32[4,8]{1,0} collective-broadcast(%x), replica_groups={{0,1}}
  %moved = f32[4,8]{1,0} collective-permute(%x), channel_id=3, source_target_pairs={{0,1},{1,0}}
  %move = (f32[4,8]{1,0}, f32[4,8]{1,0}, u32[], u32[]) collective-permute-start(%x), source_target_pairs={{0,1}}
  %move-done = f32[4,8]{1,0} collective-permute-done(%move)
  %copy = (f32[4,8]{1,0}, f32[4,8]{1,0}, u32[]) copy-start(%x), cross_program_prefetch_index=0
  %copied = f32[4,8]{1,0} copy-done(%copy)
  %reduce = f32[4,8]{1,0} all-reduce-start(%x), replica_groups={}, to_apply=%sum
  %done = f32[4,8]{1,0} all-reduce-done(%reduce)
  %mesh = f32[4,8]{1,0} all-reduce(%done), channel_id=4, replica_groups=mesh['x'=2,'y'=4] {'x','y':(1)2}, use_global_device_ids=true, to_apply=%sum
  ROOT %late = f32[4,8]{1,0} add-dependency(%mesh, %tok)
}

)";

constexpr absl::string_view kAsync =
    R"(HloModule asynchronous, is_scheduled=true, entry_computation_layout={(f32[4]{0}, f32[4]{0})->f32[4]{0}}

%several (p: f32[4]) -> f32[4] {
  %p = f32[4]{0} parameter(0)
  %twice = f32[4]{0} add(%p, %p)
  ROOT %negated = f32[4]{0} negate(%twice)
}, execution_thread="worker"

ENTRY %main (x: f32[4], y: f32[4]) -> f32[4] {
  %y = f32[4]{0} parameter(1)
  %x = f32[4]{0} parameter(0)
  %sum-start = ((f32[4]{0}, f32[4]{0}), f32[4]{0}, u32[]) add-start(%x, %y), metadata={op_name="sum"}
  %sum-update = ((f32[4]{0}, f32[4]{0}), f32[4]{0}, u32[]) add-update(%sum-start)
  %own-start = ((f32[4]{0}), f32[4]{0}, u32[]) async-start(%x), async_execution_thread="worker", output_to_operand_aliasing={{1}: (0, {})}, calls=%several
  %sum-done = f32[4]{0} add-done(%sum-update)
  %own-done = f32[4]{0} async-done(%own-start)
  %call-start = ((f32[4]{0}), f32[4]{0}) custom-call-start(%own-done), async_execution_thread="host", custom_call_target="t"
  %call-done = f32[4]{0} custom-call-done(%call-start)
  ROOT %result = f32[4]{0} multiply(%sum-done, %call-done)
}

)";

constexpr absl::string_view kShapes =
    R"(HloModule shapes, is_scheduled=true, buffer_donor={ (0, {1}) }, alias_passthrough_params=true, entry_computation_layout={((s4[8]{0:E(4)}, b(f32[4]{0})), f32[?,<=3]{1,0:T(8,128)(2,1)S(5)})->(token[], ())}, allow_spmd_sharding_propagation_to_parameters={true,false}, allow_spmd_sharding_propagation_to_output={true}

FileNames
1 "model.py"

FunctionNames
1 "main"
2 "forward"

FileLocations
1 {file_name_id=1 function_name_id=1 line=3 end_line=3 column=1 end_column=9}
2 {file_name_id=1 function_name_id=2 line=8 end_line=9 column=5 end_column=20}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}


ENTRY %main (p: (s4[8], b(f32[4])), q: f32[?,<=3]) -> (token[], ()) {
  %p = (s4[8]{0:E(4)}, b(f32[4]{0})) parameter(0)
  %q = f32[?,<=3]{1,0:T(8,128)(2,1)S(5)} parameter(1), metadata={stack_frame_id=2}
  %tiles = bf16[4,4]{0,1:T(*,2)L(16)#(u8)*(u16)E(8)SC(0:1,2)(1:2)M(32)} custom-call(%p), window={}, custom_call_target="x"
  %scalar = f32[]{:T(256)} constant(1)
  %small = f8e4m3fn[2]{0} constant({1, 448})
  %four = s32[1,2,2,2]{3,2,1,0} constant({ { /*i0=0*/ { /*i1=0*/ { 1, 2 }, { 3, 4 } }, { /*i1=1*/ { 5, 6 }, { 7, 8 } } } })
  %pair = (s32[2]{0}, pred[]) constant(( {1, 2}, true ))
  %complex = c64[2]{0} constant({(1, -2), (nan, inf)})
  %none = s32[0,4]{1,0} constant({  })
  %payload = f32[2]{0} constant({nan(0x1), -nan})
  %tok = token[] after-all()
  %empty = () tuple()
  ROOT %result = (token[], ()) tuple(%tok, %empty)
}

)";

constexpr absl::string_view kShardings =
    R"(HloModule shardings, is_scheduled=true, entry_computation_layout={(f32[4,4]{1,0})->f32[4,4]{1,0}}, num_partitions=8

ENTRY %main (x: f32[4,4]) -> f32[4,4] {
  %x = f32[4,4]{1,0} parameter(0), sharding={devices=[2,1,2,2]<=[2,2,2]T(1,0,2) last_tile_dims={manual, replicated}}
  %a = f32[4,4]{1,0} copy(%x), sharding={devices=[2,2,2]<=[8] last_tile_dim_replicate}
  %b = f32[4,4]{1,0} copy(%a), sharding={manual}
  %c = f32[4,4]{1,0} copy(%b), sharding={unknown shard_like 3}
  %d = f32[4,4]{1,0} copy(%c), sharding={devices=[2,4]0,1,2,3,7,6,5,4 metadata={op_name="here"}}
  %e = f32[4,4]{1,0} copy(%d), sharding={mesh['x'=2,'y'=4], [{'x'}, {'y':(1)2, ?}], replicated={'y':(2)2}}
  %f = f32[4,4]{1,0} copy(%e), sharding={maximal device=5}
  ROOT %g = f32[4,4]{1,0} copy(%f), sharding={replicated}
}

)";

}  // namespace

const std::vector<NamedText>& TestModules() {
  static const auto& modules = *new std::vector<NamedText>{
      {"elementwise", kElementwise}, {"data", kData},          {"contraction", kContraction},
      {"control", kControl},         {"async", kAsync},        {"collectives", kCollectives},
      {"shapes", kShapes},           {"shardings", kShardings}};
  return modules;
}

}  // namespace xla
