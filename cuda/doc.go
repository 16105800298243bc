// Package cuda is a mat.Device on an NVIDIA GPU.
//
//	dev, err := cuda.Open(0)
//	if err != nil { … }
//	mat.Use(dev)
//
// It is built with the tag cuda, on Linux, without cgo: the driver's library is loaded when the first device is opened,
// and only the driver is needed. Without the tag, Open returns an error that says so.
//
// Kernels are CUDA C, in the folder kernels, compiled ahead of time to PTX by cuda/gen; the driver compiles them for
// the GPU once and keeps them. Where the library cuBLAS is found, it does the large products of dense matrices.
//
// All operations are issued on one stream, in order. Sums have an order that depends on shapes alone and no kernel adds
// numbers atomically, so the same operations on the same numbers give the same bits on the same GPU. A recorded
// program (mat.Recorder) is a CUDA graph.
//
// If the GPU is out of memory or lost, a method panics with an *Error, whose text says what to do.
package cuda
