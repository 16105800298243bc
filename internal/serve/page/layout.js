// Places of nodes by forces: all repel each other, edges pull (Fruchterman and Reingold 1991), cooling down. Nothing is
// random: the same graph from the same places is always drawn the same.

const rounds = 220;

// layout places nodes, of which the first is the centre, in the square [−1, 1]². Those that have a place begin there.
export function layout(ids, edges, known) {
  const n = ids.length, centre = known.get(ids[0]) ?? { x: 0, y: 0 };
  const golden = Math.PI * (3 - Math.sqrt(5));
  const at = ids.map((id, i) => {
    const r = Math.sqrt(i / n), k = known.get(id);
    return k ? { x: k.x - centre.x, y: k.y - centre.y } : { x: r * Math.cos(golden * i) + 1e-3 * i, y: r * Math.sin(golden * i) };
  });
  const k = 1 / Math.sqrt(n);
  for (let round = 0; round < rounds; round++) {
    const heat = 0.15 * (1 - round / rounds);
    forces(at, edges, k).forEach((f, i) => {
      const size = Math.hypot(f.x, f.y);
      if (i === 0 || size === 0) return;
      const step = Math.min(size, heat) / size;
      at[i].x += f.x * step;
      at[i].y += f.y * step;
    });
  }
  return fit(at);
}

// forces are k²/d away from every other node, d²/k towards neighbours, and a little towards the middle.
function forces(at, edges, k) {
  const f = at.map((p) => ({ x: -0.3 * k * p.x, y: -0.3 * k * p.y }));
  const push = (i, j, force) => {
    const dx = at[i].x - at[j].x, dy = at[i].y - at[j].y;
    const d = Math.max(Math.hypot(dx, dy), 1e-6), size = force(d) / d;
    f[i].x += dx * size; f[i].y += dy * size;
    f[j].x -= dx * size; f[j].y -= dy * size;
  };
  for (let i = 0; i < at.length; i++) for (let j = 0; j < i; j++) push(i, j, (d) => (k * k) / d);
  for (const [i, j] of edges) push(i, j, (d) => (-d * d) / k);
  return f;
}

// fit keeps the centre in the middle, makes what is far from it less far, and stretches until the square is filled.
function fit(at) {
  const near = at.map((p) => {
    const by = Math.max(Math.hypot(p.x, p.y), 1e-9) ** -0.35;
    return { x: p.x * by, y: p.y * by };
  });
  const size = (of) => Math.max(...near.map((p) => Math.abs(p[of])), 1e-9);
  const sx = size("x"), sy = size("y");
  return near.map((p) => ({ x: p.x / sx, y: p.y / sy }));
}
