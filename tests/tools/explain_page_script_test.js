'use strict';
// What the page of `hilo explain --html` works out of its data, without a browser: node FILE
// FOLDER.
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

const folder = process.argv[2];
const measureText = (text) => ({width: 7 * text.length});
const context = vm.createContext({
  document: {createElement: () => ({getContext: () => ({measureText})}), body: null},
  getComputedStyle: () => ({fontFamily: 'sans'}),
  console,
});
for (const name of ['model.js', 'layout.js', 'texts.js'])
  vm.runInContext(fs.readFileSync(path.join(folder, name), 'utf8'), context);
const run = (code) => vm.runInContext(code, context);
const readModel = run('readModel'), layOut = run('layOut'), linesOfSteps = run('linesOfSteps');

// Of "NAME = OPCODE(OPERANDS) CALLS", computations behind lines with a name alone.
function modelOf(text, profile) {
  const computations = [], instructions = [], texts = [''], numbers = new Map();
  const shared = (each) => (texts.includes(each) ? texts.indexOf(each) : texts.push(each) - 1);
  for (const line of text.trim().split('\n').map((each) => each.trim())) {
    const parts = /^(\S+) = (\S+)\((.*?)\) ?(.*)$/.exec(line);
    if (!parts) {
      computations.push({name: line, root: -1, fusion: false});
      continue;
    }
    numbers.set(parts[1], instructions.length);
    computations.at(-1).root = instructions.length;
    instructions.push({
      name: parts[1],
      opcode: shared(parts[2]),
      shape: shared('f32[3]'),
      layout: 0,
      source: 0,
      scope: 0,
      text: line,
      computation: computations.length - 1,
      calls: parts[4] ? parts[4].split(' ') : [],
      operands: parts[3] ? parts[3].split(', ').map((each) => numbers.get(each)) : [],
    });
  }
  for (const each of instructions)
    each.calls = each.calls.map((name) => computations.findIndex((other) => other.name === name));
  return readModel({
    module: 'm',
    target: 't',
    computations,
    instructions,
    texts,
    arrays: [],
    steps: [],
    lines: [],
    kernels: [],
    memory: {uses: [], places: {}, copies: [], aliases: [], arena: 0},
    stages: [],
    profile,
  });
}

function check(model, layout) {
  const placed = new Set(layout.nodes.map((node) => node.id));
  for (const id of layout.computation.members) assert(placed.has(id), model.instructions[id].name);
  const rows = new Map();
  for (const node of layout.nodes) {
    assert(node.x - node.w / 2 >= -0.01 && node.x + node.w / 2 <= layout.w + 0.01);
    assert(node.y >= 0 && node.y + node.h <= layout.h + 0.01);
    if (!rows.has(node.y)) rows.set(node.y, []);
    rows.get(node.y).push(node);
    if (!node.inner) continue;
    for (const inner of node.inner) {
      assert(inner.w <= node.w && inner.h <= node.h);
      check(model, inner);
    }
  }
  for (const row of rows.values()) {
    row.sort((a, b) => a.x - b.x);
    for (let i = 1; i < row.length; ++i)
      assert(row[i - 1].x + row[i - 1].w / 2 < row[i].x - row[i].w / 2, 'nodes overlap');
  }
  let edges = 0;
  for (const edge of layout.edges) {
    const from = layout.nodes[edge.from], to = layout.nodes[edge.to];
    assert(from.bottom < to.y, 'an edge goes up');
    assert.strictEqual(edge.points.at(-1), to.y);
    ++edges;
  }
  const operands = layout.computation.members.reduce(
      (sum, id) => sum + new Set(model.instructions[id].operands).size, 0);
  assert.strictEqual(edges, operands);
}

function test(name, body) {
  body();
  console.log(`${name}: passed`);
}

test('a diamond', () => {
  const model = modelOf(`
    entry
    x = parameter()
    a = sine(x)
    b = cosine(a)
    c = tan(a)
    d = add(b, c)`);
  const layout = layOut(model, model.computations[0], new Set());
  check(model, layout);
  const at = (id) => layout.nodes.find((node) => node.id === id);
  assert.strictEqual(at(2).y, at(3).y);
  assert(Math.abs(at(4).x - (at(2).x + at(3).x) / 2) < 20);
});

test('a loop with a fusion in it, open and closed', () => {
  const model = modelOf(`
    entry
    x = parameter()
    t = tuple(x)
    w = while(t) test body
    g = get-tuple-element(w)
    test
    s0 = parameter()
    g0 = get-tuple-element(s0)
    body
    s1 = parameter()
    g1 = get-tuple-element(s1)
    f = fusion(g1) fused
    r = tuple(f)
    fused
    p = parameter()
    y = sine(p)`);
  check(model, layOut(model, model.computations[0], new Set()));
  const open = layOut(model, model.computations[0], new Set([2, 8]));
  check(model, open);
  const loop = open.nodes.find((node) => node.id === 2);
  assert.strictEqual(loop.inner.length, 2);
  assert.strictEqual(loop.inner[1].nodes.find((node) => node.id === 8).inner[0].nodes.length, 2);
});

test('a constant stands wherever it is needed', () => {
  const lines = ['entry', 'x = parameter()', 'c = constant()', 's0 = sine(x)'];
  for (let i = 1; i < 30; ++i)
    lines.push(i % 10 ? `s${i} = sine(s${i - 1})` : `s${i} = add(s${i - 1}, c)`);
  const model = modelOf(lines.join('\n'));
  const layout = layOut(model, model.computations[0], new Set());
  check(model, layout);
  assert.strictEqual(layout.nodes.filter((node) => node.id === 1).length, 2);
});

test('wide rows become several', () => {
  const lines = ['entry', 'x = parameter()', 'a = sine(x)'];
  for (let i = 0; i < 200; ++i) lines.push(`b${i} = cosine(a)`);
  lines.push(`r = tuple(${[...Array(200).keys()].map((i) => `b${i}`).join(', ')})`);
  const model = modelOf(lines.join('\n'));
  const layout = layOut(model, model.computations[0], new Set());
  check(model, layout);
  assert(layout.w < 10000 && layout.h > 500);
});

test('long programs with edges along all of them', () => {
  const lines = ['entry', 'x = parameter()', 's0 = sine(x)'];
  for (let i = 1; i < 20000; ++i) lines.push(`s${i} = add(s${i - 1}, s${Math.floor(i / 2)})`);
  const model = modelOf(lines.join('\n'));
  check(model, layOut(model, model.computations[0], new Set()));
});

test('profiles with members missing', () => {
  const text = 'entry\nx = parameter()\ny = sine(x)';
  assert.strictEqual(modelOf(text).profile, null);
  assert.strictEqual(modelOf(text, {entries: 5}).profile, null);
  const {entries, total, timeOf} =
      modelOf(text, {
        entries: [
          {name: 'while', nanoseconds: 100, parent: -1},
          {name: 'y', nanoseconds: 70, parent: 0},
          null,
          {name: 'copy x', nanoseconds: 1, own_nanoseconds: 1, parent: 9},
          {},
        ]
      }).profile;
  assert.deepStrictEqual(Array.from(entries, (each) => each.own), [30, 70, 0, 1, 0]);
  assert.deepStrictEqual(Array.from(entries, (each) => each.instruction), [-1, 1, -1, 0, -1]);
  assert.strictEqual(total, 101);
  assert.strictEqual(timeOf.get(1), 70);
});

test('the line in which a loop runs', () => {
  const lines = [
    [0, -1, 'program of m'],
    [1, 0, 'w{1} = copy x'],
    [1, 0, 'w{0} = zero'],
    [1, 0, 'w{0}, w{1} = while 5 times'],
    [2, 0, 'test c'],
    [3, 1, 'c = compare(w{0}, n)'],
    [3, 0, 'w{0} = next'],
    [1, 2, 'u is x'],
  ];
  const steps = [{instruction: 7}, {instruction: 8}, {instruction: 9}];
  const found = linesOfSteps({lines, steps});
  assert.deepStrictEqual([found.get(7), found.get(8), found.get(9)], [3, 5, 7]);
});
