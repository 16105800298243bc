#!/usr/bin/env python3
"""Runs the workloads of `bloom bench` and of pyg_bench.py on the same cores, one after the other, and prints
seconds per epoch and their ratio as a Markdown table. Needs Python with PyTorch and PyG, and a built bloom.

    python3 bench/compare.py --bloom ./bloom --cores 0,1 --rounds 3 > table.md

Every round measures each workload once with each program; the table has medians over rounds.
"""
import argparse, json, os, statistics, subprocess, sys

SHAPES = ["cora", "pubmed", "roman", "tolokers", "arxiv"]
ENERGIES = ["gcn", "base", "huber", "hetero"]
HERE = os.path.dirname(os.path.abspath(__file__))


def pinned(cores, cmd):
    """Standard output of cmd, run on the given cores only."""
    env = dict(os.environ, OMP_NUM_THREADS=str(len(cores)), MKL_NUM_THREADS=str(len(cores)))
    run = subprocess.run(["taskset", "-c", ",".join(cores)] + cmd, capture_output=True, text=True, env=env)
    if run.returncode:
        print(run.stderr, file=sys.stderr)
    return run.stdout


def ours(bloom, cores, name):
    out = pinned(cores, [bloom, "bench", "--only", name, "--threads", str(len(cores)), "--json"])
    return json.loads(out)["seconds"] if out.strip() else float("nan")


def torch(cores, name, style, epochs):
    script = os.path.join(HERE, "pyg_bench.py")
    out = pinned(cores, [sys.executable, script, "--only", name, "--style", style,
                         "--threads", str(len(cores)), "--epochs", str(epochs)])
    for line in out.splitlines():
        if line.startswith(name + " ") and "failed" not in line:
            return float(line.split()[-1])
    print(name, out, file=sys.stderr)
    return float("nan")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--bloom", default="./bloom")
    ap.add_argument("--cores", default="0,1")
    ap.add_argument("--rounds", type=int, default=1)
    ap.add_argument("--epochs", type=int, default=5)
    ap.add_argument("--style", default="tuned")
    ap.add_argument("--only", default="", help="comma-separated shapes, energies or shape/energy")
    a = ap.parse_args()
    cores, only = a.cores.split(","), [x for x in a.only.split(",") if x]
    names = [f"{s}/{e}" for s in SHAPES for e in ENERGIES
             if not only or s in only or e in only or f"{s}/{e}" in only]
    seconds = {n: ([], []) for n in names}
    for r in range(a.rounds):
        for n in names:
            seconds[n][0].append(ours(a.bloom, cores, n))
            seconds[n][1].append(torch(cores, n, a.style, a.epochs))
            print(f"round {r + 1} {n}: bloom {seconds[n][0][-1]:.6f} torch {seconds[n][1][-1]:.6f}", file=sys.stderr, flush=True)
    print("| workload | bloom, s/epoch | PyTorch, s/epoch | ratio |\n|---|---|---|---|")
    for n in names:
        b, t = (statistics.median(x) for x in seconds[n])
        print(f"| {n} | {b:.6f} | {t:.6f} | {t / b:.1f}× |", flush=True)


if __name__ == "__main__":
    main()
