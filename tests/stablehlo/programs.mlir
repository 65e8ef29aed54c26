// Functions call each other; @main is the entry.
module @calls {
  func.func public @main(%x: tensor<3xf32>) -> (tensor<3xf32> {jax.result_info = "result"}) {
    %0 = call @twice(%x) : (tensor<3xf32>) -> tensor<3xf32>
    %1 = func.call @twice(%0) : (tensor<3xf32>) -> tensor<3xf32>
    return %1 : tensor<3xf32>
  }
  func.func private @twice(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.add %x, %x : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// run: ({1, 2, 3}) == {4, 8, 12}
// -----
// A loop whose body uses a value from outside.
func.func @main(%n: tensor<i32>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<2xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.multiply %y, %x : tensor<2xf32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<2xf32>
  }
  return %0#1 : tensor<2xf32>
}
// run: (0, {2, 3}) == {2, 3}
// run: (2, {2, 3}) == {8, 27}
// -----
// Several results are a tuple.
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<i1>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = stablehlo.constant dense<true> : tensor<i1>
  return %0, %1 : tensor<2xf32>, tensor<i1>
}
// run: ({{1, 2, 3}, {4, 5, 6}}) == ({6, 15}, true)
// -----
// Operations in quotes, with properties and regions.
func.func @main(%i: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.negate %x : tensor<f32>
    "stablehlo.return"(%1) : (tensor<f32>) -> ()
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// run: (0, 5) == -5
// run: (1, 5) == 5
// -----
// Names for types and attributes.
!vector = tensor<2xi64>
#one = dense<1> : !vector
func.func @main(%x: !vector) -> !vector {
  %0 = stablehlo.constant #one
  %1 = stablehlo.add %x, %0 : !vector loc(#place)
  return %1 : !vector
}
#place = loc("add"("file.py":3:7))
// run: ({1, -1}) == {2, 0}
// -----
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.abs %y : tensor<2xf32>  // error: %y is not defined before it is used
  return %0 : tensor<2xf32>
}
// -----
func.func @main(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = stablehlo.reshape %x : (tensor<2xf32>) -> tensor<3xf32>  // error: reshape
  return %0 : tensor<3xf32>
}
