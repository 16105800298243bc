#!/usr/bin/env bash
# Produces the figures of bench/README.md on two cores of this machine: the comparison with PyTorch, the growth table,
# threads, and the kernels against the machine's peak. Needs the binaries of
#   go build -o bin/bloom ./cmd/bloom && go test -c -o bin/kernel.test ./internal/kernel
# and Python with PyTorch and PyG for the comparison. Usage: bench/run.sh OUT [CORES] [STEPS...]
set -u
out=${1:?folder for the results}
cores=${2:-0,1}
shift 2
steps=${*:-doctor growth threads kernels compare}
pin() { taskset -c "$cores" "$@"; }
for step in $steps; do
  echo "== $step"
  case $step in
  doctor) pin ./bin/bloom doctor ;;
  growth) pin ./bin/bloom bench --growth --threads 2 ;;
  threads)
    for t in 1 2; do pin ./bin/bloom bench --only arxiv --threads $t; done ;;
  kernels)
    pin ./bin/kernel.test -test.run xxx -test.cpu 2 -test.benchtime 200ms \
      -test.bench '^Benchmark(Gemm|SpMM|Read|ForkJoin)$/^(arxiv|cora|tolokers|NN|NT|TN|threads=.)$/^(64|256|[0-9]+x.*)$' ;;
  compare)
    python3 bench/compare.py --bloom ./bin/bloom --cores "$cores" --epochs 3 ;;
  kg)
    pin ./bin/bloom bench --only distmult --threads 2
    pin ./bin/bloom bench --only path-sum --threads 2
    pin ./bin/bloom bench --only path-pna --threads 2
    pin python3 bench/kg_bench.py --batches 3 ;;
  esac 2>&1 | tee "$out/$step.txt"
done
