// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Streams, graphs and device memory of tests, freed at the end of the scope.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include "catch.hpp"

namespace gpu_test {

class own_stream {
 public:
  own_stream() { REQUIRE(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) == cudaSuccess); }
  own_stream(const own_stream&) = delete;
  own_stream& operator=(const own_stream&) = delete;
  ~own_stream() { (void)cudaStreamDestroy(stream_); }
  [[nodiscard]] cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Words in device memory, zero at first.
class device_words {
 public:
  explicit device_words(std::size_t count) : count_(count) {
    REQUIRE(cudaMalloc(&words_, count * sizeof(unsigned)) == cudaSuccess);
    zero();
  }
  device_words(const device_words&) = delete;
  device_words& operator=(const device_words&) = delete;
  ~device_words() { (void)cudaFree(words_); }
  void zero() { REQUIRE(cudaMemset(words_, 0, count_ * sizeof(unsigned)) == cudaSuccess); }
  [[nodiscard]] unsigned* get() const { return words_; }

 private:
  std::size_t count_;
  unsigned* words_ = nullptr;
};

/// A graph and an executable of it.
class executable_graph {
 public:
  executable_graph() = default;
  /// Takes `graph` over.
  explicit executable_graph(cudaGraph_t graph) : graph_(graph) {
    REQUIRE(cudaGraphInstantiate(&executable_, graph_, 0) == cudaSuccess);
  }
  executable_graph(executable_graph&& other) noexcept
      : graph_(std::exchange(other.graph_, nullptr)), executable_(std::exchange(other.executable_, nullptr)) {}
  executable_graph& operator=(executable_graph&& other) noexcept {
    std::swap(graph_, other.graph_);
    std::swap(executable_, other.executable_);
    return *this;
  }
  ~executable_graph() {
    if (executable_ != nullptr) (void)cudaGraphExecDestroy(executable_);
    if (graph_ != nullptr) (void)cudaGraphDestroy(graph_);
  }

  /// Another executable of the same graph.
  [[nodiscard]] executable_graph instantiate_again() const {
    cudaGraph_t copy = nullptr;
    REQUIRE(cudaGraphClone(&copy, graph_) == cudaSuccess);
    return executable_graph(copy);
  }

  void launch(cudaStream_t stream) const { REQUIRE(cudaGraphLaunch(executable_, stream) == cudaSuccess); }

  /// Gives the graph's only node, a kernel, other arguments.
  template <class... Arguments>
  void set_kernel_arguments(const void* kernel, dim3 grid, dim3 block, Arguments... arguments) const {
    std::size_t count = 1;
    cudaGraphNode_t node = nullptr;
    REQUIRE(cudaGraphGetNodes(graph_, &node, &count) == cudaSuccess);
    void* pointers[] = {static_cast<void*>(&arguments)...};
    cudaKernelNodeParams parameters{};
    parameters.func = const_cast<void*>(kernel);
    parameters.gridDim = grid;
    parameters.blockDim = block;
    parameters.kernelParams = pointers;
    REQUIRE(cudaGraphExecKernelNodeSetParams(executable_, node, &parameters) == cudaSuccess);
  }

  [[nodiscard]] std::size_t nodes() const {
    std::size_t count = 0;
    REQUIRE(cudaGraphGetNodes(graph_, nullptr, &count) == cudaSuccess);
    return count;
  }

 private:
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

/// What `record(stream)` puts into a stream; gives the error of the capture's end.
template <class Record>
cudaError_t try_capture(Record record, cudaStreamCaptureMode mode, cudaGraph_t& graph) {
  const own_stream stream;
  REQUIRE(cudaStreamBeginCapture(stream.get(), mode) == cudaSuccess);
  record(stream.get());
  return cudaStreamEndCapture(stream.get(), &graph);
}

/// As above, as a graph that can be launched.
template <class Record>
executable_graph capture(Record record) {
  cudaGraph_t graph = nullptr;
  REQUIRE(try_capture(record, cudaStreamCaptureModeThreadLocal, graph) == cudaSuccess);
  return executable_graph(graph);
}

}  // namespace gpu_test
