#line = loc("orbit.py":7:3)
module @orbit attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%place: tensor<3xf32> {tf.aliasing_output = 0 : i32}, %turns: tensor<i32>) -> (tensor<3xf32> {jax.result_info = "out"}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %odd = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
    %all = stablehlo.constant dense<true> : tensor<3xi1>
    %weights = stablehlo.constant dense<[[5.000000e-01, -2.500000e+00, 0.000000e+00]]> : tensor<1x3xf32>
    %loop:2 = stablehlo.while(%turn = %zero, %point = %place) : tensor<i32>, tensor<3xf32>
    cond {
      %more = stablehlo.compare LT, %turn, %turns, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %turn, %one : tensor<i32>
      %moved = func.call @step(%point, %weights) : (tensor<3xf32>, tensor<1x3xf32>) -> tensor<3xf32>
      stablehlo.return %next, %moved : tensor<i32>, tensor<3xf32>
    }
    %choice = stablehlo.xor %odd, %all : tensor<3xi1>
    %end = stablehlo.select %choice, %loop#1, %place : tensor<3xi1>, tensor<3xf32>
    return %end : tensor<3xf32> loc(fused["exit", callsite("f"("orbit.py":9:1) at #line)])
  }
  func.func private @step(%x: tensor<3xf32>, %w: tensor<1x3xf32>) -> tensor<3xf32> {
    %row = stablehlo.dot_general %w, %x, contracting_dims = [1] x [0], precision = [HIGHEST, DEFAULT] : (tensor<1x3xf32>, tensor<3xf32>) -> tensor<1xf32>
    %where = stablehlo.constant dense<[[2], [0], [1]]> : tensor<3x1xi64>
    %turned = "stablehlo.gather"(%x, %where) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<3xf32>, tensor<3x1xi64>) -> tensor<3xf32>
    %wave = stablehlo.cosine %turned {mhlo.frontend_attributes = {why = "turn \22it\22"}} : tensor<3xf32>
    %sorted:2 = "stablehlo.sort"(%wave, %x) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
      %less = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
    %many = stablehlo.broadcast_in_dim %row, dims = [0] : (tensor<1xf32>) -> tensor<3xf32>
    %sum = stablehlo.add %sorted#1, %many : tensor<3xf32> loc(#line)
    return %sum : tensor<3xf32>
  }
}
