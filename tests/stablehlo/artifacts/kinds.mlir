module @kinds attributes {mhlo.num_partitions = 2 : i32, foo.x = [1 : i8, -3 : i16, 2.5 : f32, 1.0e-300 : f64, "s\22\0A", true, unit, @main, dense<[1,2]> : tensor<2xui8>, tensor<2x?xf32>, 0x7FC0 : bf16, 200 : ui8]} {
func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %idx: tensor<2x1xi32>, %dv: tensor<2xi64>, %dpv: tensor<2x2xi64>, %i : tensor<i32>, %p : tensor<i1>, %f: tensor<f32>, %c64: tensor<4xcomplex<f32>>, %d: tensor<?x4xf32>, %bd: tensor<?x4xf32, #stablehlo.bounds<5, ?>>) -> tensor<4x4xf32> {
  %k32 = stablehlo.constant dense<[1,2]> : tensor<2xi64>
  %dp = stablehlo.constant dense<1> : tensor<2x2xi64>
  %st = stablehlo.constant dense<1> : tensor<2xui64>
  %im = stablehlo.constant dense<1.0> : tensor<1x2x8x8xf32>
  %ke = stablehlo.constant dense<1.0> : tensor<3x2x3x3xf32>
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %k1 = stablehlo.constant dense<[true,false,true,false,true,false,true,false,true,true]> : tensor<10xi1>
  %k2 = stablehlo.constant dense<true> : tensor<10xi1>
  %k3 = stablehlo.constant dense<false> : tensor<10xi1>
  %k4 = stablehlo.constant dense<[true]> : tensor<1xi1>
  %k4b = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %k5 = stablehlo.constant dense<[1,-3,7]> : tensor<3xi4>
  %k6 = stablehlo.constant dense<[1,3,15]> : tensor<3xui4>
  %k7 = stablehlo.constant dense<[1.0,0x7F800000,-0.0,0xFFC00001,1.0e-42,3.14159274]> : tensor<6xf32>
  %k8 = stablehlo.constant dense<> : tensor<0x3xf32>
  %k9 = stablehlo.constant dense<[(1.0,2.0),(-0.5,0.0)]> : tensor<2xcomplex<f64>>
  %k10 = stablehlo.constant dense<[1.0,2.0,-3.0]> : tensor<3xf8E4M3FN>
  %k11 = stablehlo.constant dense<[1.0,2.0,4.0]> : tensor<3xf8E8M0FNU>
  %k12 = stablehlo.constant dense<[1.0,2.0,-3.0]> : tensor<3xf4E2M1FN>
  %k14 = stablehlo.constant dense<[1,-2,0]> : tensor<3xi2>
  %k15 = stablehlo.constant dense<18446744073709551615> : tensor<3xui64>
  %k16 = stablehlo.constant dense<-9223372036854775808> : tensor<3xi64>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [DEFAULT, HIGHEST] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %n0b = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>}> : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.cosine %a {result_accuracy = #stablehlo.result_accuracy<atol = 1.0e-3, rtol = 0.0, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4x8xf32>
  %n1b = stablehlo.tanh %a {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>, mhlo.frontend_attributes = {a = "b"}} : tensor<4x8xf32>
  %2 = "stablehlo.gather"(%a, %idx) {dimension_numbers = #stablehlo.gather<offset_dims=[1], collapsed_slice_dims=[0], start_index_map=[0], index_vector_dim=1>, slice_sizes = array<i64: 1, 8>, indices_are_sorted = true} : (tensor<4x8xf32>, tensor<2x1xi32>) -> tensor<2x8xf32>
  %3 = stablehlo.compare LT, %0, %0, TOTALORDER : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xi1>
  %n3b = stablehlo.compare LT, %0, %0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xi1>
  %t = stablehlo.create_token : !stablehlo.token
  %t2 = stablehlo.after_all %t, %t : !stablehlo.token
  %4:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %n4b = "stablehlo.send"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0,1]]> : tensor<1x2xi64>} : (tensor<4x8xf32>, !stablehlo.token) -> (!stablehlo.token)
  %5:3 = "stablehlo.infeed"(%t) {infeed_config = "x", layout = [[0,1],[0]]} : (!stablehlo.token) -> (tensor<4x2xf32>, tensor<4xf32>, !stablehlo.token)
  %n5b = "stablehlo.outfeed"(%a, %t) {outfeed_config = "x"} : (tensor<4x8xf32>, !stablehlo.token) -> (!stablehlo.token)
  %6 = stablehlo.custom_call @foo(%a) {operand_layouts = [dense<[1,0]> : tensor<2xindex>], result_layouts = [dense<[0,1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices=[], operand_index=0, operand_tuple_indices=[]>], mhlo.backend_config = {a = 1 : i64}, called_computations=[@g]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %n6b:2 = "stablehlo.custom_call"(%a) {call_target_name="x.y-z", api_version = 2 : i32, backend_config="bc", has_side_effect=true} : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<0xf32>)
  %7 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[0,1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids} : (tensor<4x8xf32>) -> tensor<8x8xf32>
  %n7b:2 = "stablehlo.all_reduce"(%a, %b) ({^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %c : tensor<f32>}) {replica_groups = dense<[[0,1]]> : tensor<1x2xi64>} : (tensor<4x8xf32>, tensor<8x4xf32>) -> (tensor<4x8xf32>, tensor<8x4xf32>)
  %n7c = "stablehlo.reduce_scatter"(%a) ({^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %c : tensor<f32>}) {scatter_dimension = 0 : i64, replica_groups = dense<[[0,1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<4x8xf32>) -> (tensor<2x8xf32>)
  %n7d = "stablehlo.all_to_all"(%a) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0,1]]> : tensor<1x2xi64>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %n7e = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0,1],[1,0]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %n7f = "stablehlo.collective_broadcast"(%a) {replica_groups = dense<[[0,1]]> : tensor<1x2xi64>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %8:2 = "stablehlo.sort"(%a, %a) ({^bb0(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<f32>, %w: tensor<f32>):
    %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>}) {is_stable = true} : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  %9 = stablehlo.reduce(%a init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %10 = "stablehlo.case"(%i) ({ stablehlo.return %a : tensor<4x8xf32> }, { %z = stablehlo.negate %a : tensor<4x8xf32>
    stablehlo.return %z : tensor<4x8xf32> }) : (tensor<i32>) -> tensor<4x8xf32>
  %11 = "stablehlo.if"(%p) ({ stablehlo.return %a : tensor<4x8xf32> }, { %z = func.call @g(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    stablehlo.return %z : tensor<4x8xf32> }) : (tensor<i1>) -> tensor<4x8xf32>
  %12 = "stablehlo.cholesky"(%0) {lower = true} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %13 = "stablehlo.triangular_solve"(%0, %0) {left_side = true, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %14 = stablehlo.fft %c64, type = FFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %15 = stablehlo.real %c64 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %16 = stablehlo.complex %15, %15 : tensor<4xcomplex<f32>>
  %17 = stablehlo.abs %c64 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %18 = stablehlo.clamp %f, %a, %f : (tensor<f32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %n18b = stablehlo.clamp %a, %a, %a : tensor<4x8xf32>
  %19 = stablehlo.select %p, %a, %a : tensor<i1>, tensor<4x8xf32>
  %20 = stablehlo.iota dim = 1 : tensor<4x8xi32>
  %21 = stablehlo.reduce_precision %a, format = e8m7 : tensor<4x8xf32>
  %22 = stablehlo.tuple %a, %b : tuple<tensor<4x8xf32>, tensor<8x4xf32>>
  %23 = stablehlo.get_tuple_element %22[1] : (tuple<tensor<4x8xf32>, tensor<8x4xf32>>) -> tensor<8x4xf32>
  %24 = stablehlo.get_dimension_size %d, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %25 = stablehlo.set_dimension_size %a, %i, dim = 0 : (tensor<4x8xf32>, tensor<i32>) -> tensor<?x8xf32, #stablehlo.bounds<4, ?>>
  %26 = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %27 = stablehlo.partition_id : tensor<ui32>
  %28 = stablehlo.replica_id : tensor<ui32>
  %29:2 = stablehlo.optimization_barrier %a, %b : tensor<4x8xf32>, tensor<8x4xf32>
  %30 = "stablehlo.map"(%a) ({^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>}) {dimensions = array<i64: 0, 1>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %31 = stablehlo.rng %f, %f, %k32, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<1x2xf32>
  %32:2 = stablehlo.rng_bit_generator %st, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  %34 = stablehlo.reverse %a, dims = [0] : tensor<4x8xf32>
  %35 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %36 = stablehlo.pad %a, %f, low = [1,-1], high = [0,0], interior = [0,2] : (tensor<4x8xf32>, tensor<f32>) -> tensor<5x21xf32>
  %37 = stablehlo.dynamic_slice %a, %i, %i, sizes = [1, 2] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
  %38 = stablehlo.dynamic_update_slice %a, %37, %i, %i : (tensor<4x8xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  %39 = "stablehlo.torch_index_select"(%a, %idx) {dim = 0 : i64, batch_dims = 0 : i64} : (tensor<4x8xf32>, tensor<2x1xi32>) -> tensor<2x1x8xf32>
  %40 = stablehlo.convolution(%im, %ke) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 1], pad = [[0, 1], [1, 0]], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config=[#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]} : (tensor<1x2x8x8xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x4x7xf32>
  %41:3 = "stablehlo.batch_norm_training"(%0, %9, %9) {epsilon = 0.001 : f32, feature_index = 1 : i64} : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>)
  %42 = "stablehlo.einsum"(%a, %b) {einsum_config = "ij,jk->ik"} : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %43 = stablehlo.convert %a : tensor<4x8xf32>
  %44 = stablehlo.dot %a, %b, precision = [HIGHEST, DEFAULT] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %45 = "stablehlo.broadcast"(%f) {broadcast_sizes = array<i64: 2>} : (tensor<f32>) -> tensor<2xf32>
  %46 = stablehlo.dynamic_broadcast_in_dim %f, %k32, dims = [] : (tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>
  %47 = stablehlo.dynamic_iota %k32, dim = 0 : (tensor<2xi64>) -> tensor<?x?xi32>
  %48 = stablehlo.dynamic_reshape %a, %dv : (tensor<4x8xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %49 = stablehlo.real_dynamic_slice %a, %dv, %dv, %dv : (tensor<4x8xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  %50 = stablehlo.dynamic_pad %a, %f, %dv, %dv, %dv : (tensor<4x8xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  %51 = "stablehlo.dynamic_conv"(%im, %ke, %dpv) {dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x8x8xf32>, tensor<3x2x3x3xf32>, tensor<2x2xi64>) -> tensor<1x3x?x?xf32>
  %52 = "stablehlo.dynamic_gather"(%a, %idx, %dv) {dimension_numbers = #stablehlo.gather<offset_dims=[1], collapsed_slice_dims=[0], start_index_map=[0], index_vector_dim=1>} : (tensor<4x8xf32>, tensor<2x1xi32>, tensor<2xi64>) -> tensor<2x8xf32>
  %53 = stablehlo.composite "my.c" %a {composite_attributes = {a = 1 : i64}, decomposition = @g, version = 3 : i32} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %54 = "stablehlo.unary_einsum"(%a) {einsum_config = "ij->i"} : (tensor<4x8xf32>) -> tensor<4xf32>
  %55 = "stablehlo.scatter"(%a, %idx, %2) ({^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>}) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true} : (tensor<4x8xf32>, tensor<2x1xi32>, tensor<2x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x4xf32>
}
func.func private @g(%arg0: tensor<4x8xf32> {mhlo.sharding = "{replicated}", jax.buffer_donor = true}) -> (tensor<4x8xf32> {a.b = 1 : i32}) attributes {x.y = "z"} {
  func.return %arg0 : tensor<4x8xf32>
}
}
