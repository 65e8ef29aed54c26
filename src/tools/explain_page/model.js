'use strict';
// The data of the page, and what follows from it. Everything is found by its number.

const KINDS = {
  source: [
    'parameter', 'constant', 'iota', 'rng', 'rng-bit-generator', 'partition-id', 'replica-id',
    'after-all'
  ],
  product:
      ['dot', 'convolution', 'ragged-dot', 'scaled-dot', 'fft', 'cholesky', 'triangular-solve'],
  reduce: [
    'reduce', 'reduce-window', 'select-and-scatter', 'sort', 'topk', 'batch-norm-training',
    'batch-norm-grad'
  ],
  move: [
    'broadcast',   'transpose', 'reshape',           'bitcast',
    'copy',        'slice',     'dynamic-slice',     'dynamic-update-slice',
    'concatenate', 'gather',    'scatter',           'pad',
    'reverse',     'tuple',     'get-tuple-element', 'dynamic-reshape',
    'copy-start',  'copy-done', 'bitcast-convert',   'optimization-barrier'
  ],
  control: [
    'while', 'conditional', 'call', 'custom-call', 'infeed', 'outfeed', 'send', 'recv', 'send-done',
    'recv-done', 'all-reduce', 'all-gather', 'all-to-all', 'reduce-scatter', 'collective-permute',
    'collective-broadcast', 'async-start', 'async-update', 'async-done'
  ],
  fusion: ['fusion'],
};
const KIND_NAMES = {
  fusion: 'fusion',
  product: 'product',
  reduce: 'reduction',
  move: 'movement',
  plain: 'arithmetic',
  control: 'control',
  source: 'source',
};
const kindOfOpcode = new Map();
for (const [kind, opcodes] of Object.entries(KINDS))
  for (const opcode of opcodes) kindOfOpcode.set(opcode, kind);

// ---- Numbers and words

function withCommas(number) {
  return Math.round(number).toLocaleString('en-US');
}
function scaled(number, units, base) {
  let unit = 0;
  while (number >= base && unit + 1 < units.length) number /= base, ++unit;
  const digits = unit === 0 || number >= 100 ? 0 : number >= 10 ? 1 : 2;
  return `${number.toFixed(digits)} ${units[unit]}`;
}
function bytesText(bytes) {
  return scaled(bytes, ['B', 'KiB', 'MiB', 'GiB', 'TiB'], 1024);
}
function timeText(nanoseconds) {
  return scaled(nanoseconds, ['ns', 'µs', 'ms', 's'], 1000);
}
function countText(count) {
  return scaled(count, ['', 'k', 'M', 'G', 'T'], 1000).trim();
}
function percentText(share) {
  const percent = 100 * share;
  if (percent > 0 && percent < 0.05) return '< 0.1 %';
  return `${percent >= 9.95 ? percent.toFixed(0) : percent.toFixed(1)} %`;
}
function plural(count, word) {
  return `${withCommas(count)} ${word}${count === 1 ? '' : 's'}`;
}
function shortSource(source) {
  return source.replace(/^.*[\/\\]/, '');
}

// ---- The model

function readModel(data) {
  const {instructions, computations, texts, steps, arrays, kernels} = data;
  const byName = new Map();
  for (const each of computations) {
    each.members = [];
    each.callers = [];
  }
  computations.forEach((each, id) => {
    each.id = id;
  });
  instructions.forEach((each, id) => {
    each.id = id;
    each.opcode = texts[each.opcode];
    each.shape = texts[each.shape];
    each.layout = texts[each.layout];
    each.source = texts[each.source];
    each.scope = texts[each.scope];
    each.calls = each.calls || [];
    each.kind = kindOfOpcode.get(each.opcode) || 'plain';
    each.users = [];
    each.steps = [];
    each.arrays = [];
    computations[each.computation].members.push(id);
    if (!byName.has(each.name)) byName.set(each.name, id);
  });
  for (const each of instructions) {
    for (const operand of new Set(each.operands)) instructions[operand].users.push(each.id);
    for (const called of each.calls) computations[called].callers.push(each.id);
  }
  // What a fusion says of its origin are its members' words, the last ones first.
  for (const each of instructions) {
    if (each.opcode !== 'fusion' || each.calls.length === 0) continue;
    const {members} = computations[each.calls[0]];
    for (const name of ['source', 'scope']) {
      const member = each[name] ? undefined : members.findLast((id) => instructions[id][name]);
      if (member !== undefined) each[name] = instructions[member][name];
    }
  }
  arrays.forEach((each, id) => {
    each.id = id;
    if (each.instruction >= 0) instructions[each.instruction].arrays.push(id);
  });
  steps.forEach((each, id) => {
    each.id = id;
    each.apart = each.apart || [];
    if (each.instruction >= 0) instructions[each.instruction].steps.push(id);
    if (each.kernel === undefined) each.kernel = -1;
  });
  kernels.forEach((each, id) => {
    each.steps = [];
  });
  for (const each of steps)
    if (each.kernel >= 0) kernels[each.kernel].steps.push(each.id);
  const model = {...data, byName, lastTime: 1};
  for (const each of arrays)
    for (const life of each.lives) model.lastTime = Math.max(model.lastTime, life[1]);
  model.profile = readProfile(data.profile, model);
  return model;
}

// An instruction's own value, for constants.
function valueOf(instruction) {
  const found = /constant\(([^)]*)\)/.exec(instruction.text);
  return found ? found[1] : '';
}

// What runs at a time: the last step that has begun.
function stepAt(model, time) {
  let low = 0, high = model.steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (model.steps[middle].time <= time)
      low = middle + 1;
    else
      high = middle;
  }
  return low - 1;
}

function useAt(model, time) {
  const {uses} = model.memory;
  let low = 0, high = uses.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (uses[middle][0] <= time)
      low = middle + 1;
    else
      high = middle;
  }
  return uses[Math.max(0, low - 1)] || [0, 0, 0];
}

function peakOf(model) {
  let peak = [0, 0, 0];
  for (const use of model.memory.uses)
    if (use[1] > peak[1]) peak = use;
  return peak;
}

function aliveAt(model, time) {
  return model.arrays.filter(
      (each) => each.place !== 'register' &&
          each.lives.some(([begin, end]) => begin <= time && time <= end));
}

// The entries of a profile as the views want them. Members that are missing count as nothing.
function readProfile(profile, model) {
  const list = Array.isArray(profile) ? profile : profile && profile.entries;
  if (!Array.isArray(list)) return null;
  const number = (value) => (Number.isFinite(Number(value)) ? Number(value) : 0);
  const texts = (value) => (Array.isArray(value) ? value.map(String) : []);
  const entries = list.map((given, id) => {
    const entry = given || {};
    const names = texts(entry.instructions);
    const name = String(entry.name || names[0] || `step ${id}`);
    const instruction = [name, name.replace(/^\S+ /, ''), ...names]
                            .map((each) => model.byName.get(each))
                            .find((each) => each !== undefined);
    const parent = Number.isInteger(entry.parent) && entry.parent < id ? entry.parent : -1;
    return {
      id,
      name,
      parent,
      instruction: instruction === undefined ? -1 : instruction,
      kind: String(entry.kind || ''),
      text: String(entry.text || ''),
      source: texts(entry.sources)[0] || '',
      calls: number(entry.calls),
      time: number(entry.nanoseconds),
      own: Number(entry.own_nanoseconds),
      inner: 0,
      depth: 0,
      bytes: number(entry.bytes),
      flops: number(entry.flops),
      share: number(entry.share),
      limit: String(entry.limit || ''),
    };
  });
  for (const each of entries) {
    if (each.parent < 0) continue;
    entries[each.parent].inner += each.time;
    each.depth = entries[each.parent].depth + 1;
  }
  const timeOf = new Map();
  let total = 0, longest = 0;
  for (const each of entries) {
    if (!Number.isFinite(each.own)) each.own = Math.max(0, each.time - each.inner);
    total += each.own;
    longest = Math.max(longest, each.own);
    if (each.instruction >= 0)
      timeOf.set(each.instruction, (timeOf.get(each.instruction) || 0) + each.time);
  }
  return {entries, total, longest, timeOf};
}

// ---- Elements of the page. Texts of a module only ever become text nodes.

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on'))
      element.addEventListener(name.slice(2), value);
    else if (name === 'hue')
      element.style.setProperty('--hue', `var(--${value})`);
    else
      element.setAttribute(name, value);
  }
  element.append(...children.filter((each) => each !== null && each !== undefined));
  return element;
}
