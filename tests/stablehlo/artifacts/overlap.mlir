module @overlap {
  func.func @main(%a: tensor<4x8xf32>) -> tensor<8x8xf32> {
    %f = "stablehlo.async_start"(%a) ({
    ^bb0(%x: tensor<4x8xf32>):
      %g = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0,1]]> : tensor<1x2xi64>} : (tensor<4x8xf32>) -> tensor<8x8xf32>
      stablehlo.return %g : tensor<8x8xf32>
    }) : (tensor<4x8xf32>) -> !stablehlo.future<tensor<8x8xf32>>
    %r = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<8x8xf32>>) -> tensor<8x8xf32>
    return %r : tensor<8x8xf32>
  }
}
