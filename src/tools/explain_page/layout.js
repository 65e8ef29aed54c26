'use strict';
// Layered layout of computations, in time that grows a little faster than the number of edges.
// Rows follow the longest path from the sources; nodes in a row are ordered by the mean of their
// neighbours, and placed as near to them as the order allows. Short edges go through rows that they
// cross; long ones leave to lanes at the side, one for each producer.

const ROW_GAP = 34, NODE_GAP = 18, LONG_EDGE = 8, LANE_GAP = 7, WIDEST_ROW = 28;
const CENTERING = 0.97;  // lets long graphs not drift to a side
const NODE_HEIGHT = 40, LEAF_HEIGHT = 22, TITLE_HEIGHT = 28, BOX_PADDING = 14;

const NAME_FONT = '600 12px', SHAPE_FONT = '10.5px', LEAF_FONT = '11px';

const EXPANDABLE = new Set(['fusion', 'while', 'conditional', 'call', 'async-start']);

function isExpandable(instruction) {
  return instruction.calls.length > 0 && EXPANDABLE.has(instruction.opcode);
}

function isLeaf(instruction) {
  return instruction.operands.length === 0 && instruction.calls.length === 0;
}

function labelOf(instruction) {
  if (instruction.opcode !== 'constant') return instruction.name;
  const value = valueOf(instruction);
  return value.length > 0 && value.length <= 16 && value !== '{...}' ? value : instruction.name;
}

// Widths are sums of those of letters, each measured once.
const widths = new Map();
function widthOfText(text, font) {
  let ofFont = widths.get(font);
  if (!ofFont) widths.set(font, ofFont = {letters: new Map(), ruler: rulerFor(font)});
  let width = 0;
  for (const letter of text) {
    if (!ofFont.letters.has(letter))
      ofFont.letters.set(letter, ofFont.ruler.measureText(letter).width);
    width += ofFont.letters.get(letter);
  }
  return width;
}

function rulerFor(font) {
  const ruler = document.createElement('canvas').getContext('2d');
  ruler.font = `${font} ${getComputedStyle(document.body).fontFamily}`;
  return ruler;
}

// What is needed for something else stands right in front of its first user; what only becomes a
// part of the result, as early as it can. Leaves do not count.
function rowNumbers(model, computation) {
  const {instructions} = model;
  const root = instructions[computation.root].opcode === 'tuple' ? computation.root : -1;
  const rowOf = new Map();
  for (const id of computation.members) {
    let row = 0;
    for (const operand of instructions[id].operands)
      if (!isLeaf(instructions[operand])) row = Math.max(row, rowOf.get(operand) + 1);
    rowOf.set(id, row);
  }
  for (let i = computation.members.length - 1; i >= 0; --i) {
    const {id, users} = instructions[computation.members[i]];
    let row = Infinity;
    for (const user of users)
      if (user !== root) row = Math.min(row, rowOf.get(user) - 1);
    if (row < Infinity) rowOf.set(id, row);
  }
  return rowOf;
}

// The nodes of a computation: one for each instruction, but of a parameter or constant one wherever
// its users stand together.
function nodesOf(model, computation, expanded) {
  const {instructions} = model;
  const rowOf = rowNumbers(model, computation);
  let last = -1;
  for (const row of rowOf.values()) last = Math.max(last, row);
  const nodes = [], nodeOf = new Map(), leafNodes = new Map();
  for (const id of computation.members) {
    const each = instructions[id];
    if (isLeaf(each)) continue;
    nodeOf.set(id, nodes.length);
    nodes.push({id, row: rowOf.get(id) + 1, inner: null});
  }
  for (const id of computation.members) {
    const each = instructions[id];
    if (!isLeaf(each)) continue;
    const rows = [...new Set(each.users.map((user) => rowOf.get(user)))].sort((a, b) => a - b);
    if (rows.length === 0) rows.push(last + 2);
    const copies = new Map();
    let before = -Infinity, node = -1;
    for (const row of rows) {
      if (row > before + 3) {
        node = nodes.length;
        nodes.push({id, row, inner: null, leaf: true});
      }
      copies.set(row, node);
      before = row;
    }
    leafNodes.set(id, copies);
  }
  const edges = [];
  for (const id of computation.members) {
    const to = nodeOf.get(id);
    if (to === undefined) continue;
    for (const operand of new Set(instructions[id].operands)) {
      const from =
          leafNodes.has(operand) ? leafNodes.get(operand).get(rowOf.get(id)) : nodeOf.get(operand);
      edges.push({from, to, points: null});
    }
  }
  for (const node of nodes) measure(model, node, expanded);
  return {nodes, edges};
}

function measure(model, node, expanded) {
  const instruction = model.instructions[node.id];
  const label = labelOf(instruction);
  if (expanded.has(node.id) && isExpandable(instruction)) {
    node.inner = instruction.calls.map((id) => layOut(model, model.computations[id], expanded));
    node.w = node.inner.reduce((sum, each) => sum + each.w + BOX_PADDING, BOX_PADDING);
    node.w = Math.max(node.w, 48 + widthOfText(label, NAME_FONT));
    node.h = TITLE_HEIGHT + BOX_PADDING + Math.max(...node.inner.map((each) => each.h));
  } else if (node.leaf) {
    node.w = Math.min(170, 20 + widthOfText(label, LEAF_FONT));
    node.h = LEAF_HEIGHT;
  } else {
    const more = isExpandable(instruction) ? 13 : 0;
    node.w = Math.max(
        76, Math.min(230, 22 + more + widthOfText(label, NAME_FONT)),
        Math.min(200, 22 + widthOfText(instruction.shape, SHAPE_FONT)));
    node.h = NODE_HEIGHT;
  }
}

// Rows with too many nodes become several; empty ones vanish.
function rowsOf(nodes) {
  const rows = [], result = [];
  for (const node of nodes) (rows[node.row] = rows[node.row] || []).push(node);
  for (const row of rows)
    for (let i = 0; row && i < row.length; i += WIDEST_ROW)
      result.push(row.slice(i, i + WIDEST_ROW));
  result.forEach((row, number) => row.forEach((node) => {
    node.row = number;
  }));
  return result;
}

// Puts points into the rows that short edges cross, one in a row for all edges of a producer, and
// gives long ones to their producers.
function crossRows(nodes, edges, rows) {
  const trunks = new Map();
  const crossings = nodes.map(() => []);
  for (const edge of edges) {
    const from = nodes[edge.from], to = nodes[edge.to];
    if (to.row <= from.row) continue;
    if (to.row - from.row > LONG_EDGE) {
      if (!trunks.has(edge.from)) trunks.set(edge.from, []);
      trunks.get(edge.from).push(edge);
      continue;
    }
    const points = crossings[edge.from];
    let last = from;
    edge.chain = [from];
    for (let row = from.row + 1; row < to.row; ++row) {
      const at = row - from.row - 1;
      if (!points[at]) {
        points[at] = {id: -1, row, w: 2, h: 0, dummy: true, up: [last], down: []};
        last.down.push(points[at]);
        rows[row].push(points[at]);
      }
      last = points[at];
      edge.chain.push(last);
    }
    edge.chain.push(to);
    last.down.push(to);
    to.up.push(last);
  }
  return trunks;
}

// Positions nearest to the wanted ones, by least squares, that keep order and distances: those who
// would overlap are placed together.
function place(row, wanted) {
  const blocks = [];
  let offset = 0;
  for (let i = 0; i < row.length; ++i) {
    if (i > 0) offset += (row[i - 1].w + row[i].w) / 2 + (row[i].dummy ? NODE_GAP / 2 : NODE_GAP);
    const weight = row[i].dummy ? 2 : 1;
    blocks.push({first: i, sum: (wanted[i] - offset) * weight, weight});
    row[i].offset = offset;
    while (blocks.length > 1) {
      const last = blocks[blocks.length - 1], before = blocks[blocks.length - 2];
      if (before.sum / before.weight < last.sum / last.weight) break;
      before.sum += last.sum;
      before.weight += last.weight;
      blocks.pop();
    }
  }
  for (let i = 0; i < blocks.length; ++i) {
    const end = i + 1 < blocks.length ? blocks[i + 1].first : row.length;
    for (let j = blocks[i].first; j < end; ++j)
      row[j].x = blocks[i].sum / blocks[i].weight + row[j].offset;
  }
}

// Of what `of` says about neighbours on one side or on both.
function mean(node, sides, of, otherwise) {
  let sum = 0, count = 0;
  for (const side of sides) {
    for (const each of node[side]) {
      sum += of(each);
      ++count;
    }
  }
  return count === 0 ? otherwise : sum / count;
}

function orderRows(rows) {
  const number = (row) => row.forEach((node, i) => {
    node.order = i - row.length / 2;
  });
  rows.forEach(number);
  const sort = (row, side) => {
    for (const node of row) node.key = mean(node, [side], (each) => each.order, node.order);
    row.sort((a, b) => a.key - b.key);
    number(row);
  };
  for (let sweep = 0; sweep < 3; ++sweep) {
    for (let i = 1; i < rows.length; ++i) sort(rows[i], 'up');
    for (let i = rows.length - 2; i >= 0; --i) sort(rows[i], 'down');
  }
}

function placeRows(rows) {
  for (const row of rows) place(row, row.map(() => 0));
  const pull = (row, sides) =>
      place(row, row.map((node) => CENTERING * mean(node, sides, (each) => each.x, node.x)));
  for (let sweep = 0; sweep < 4; ++sweep) {
    for (let i = 1; i < rows.length; ++i) pull(rows[i], ['up']);
    for (let i = rows.length - 2; i >= 0; --i) pull(rows[i], ['down']);
  }
  for (let i = 0; i < rows.length; ++i) pull(rows[i], ['up', 'down']);
}

// Lanes for trunks: each takes the first one that is free along all of its rows.
function assignLanes(trunks, nodes) {
  const wanted = [...trunks]
                     .map(([from, edges]) => ({
                            edges,
                            begin: nodes[from].row,
                            end: edges.reduce((end, edge) => Math.max(end, nodes[edge.to].row), 0),
                          }))
                     .sort((a, b) => a.begin - b.begin);
  const busy = [];
  for (const trunk of wanted) {
    let lane = busy.findIndex((end) => end < trunk.begin);
    if (lane < 0) lane = busy.length;
    busy[lane] = trunk.end;
    for (const edge of trunk.edges) edge.lane = lane;
  }
  return busy.length;
}

// The nodes of a computation with the middle of their upper edge at x, y; boxes inside of others
// have layouts of their own.
function layOut(model, computation, expanded) {
  const {nodes, edges} = nodesOf(model, computation, expanded);
  for (const node of nodes) node.up = [], node.down = [];
  const rows = rowsOf(nodes);
  const trunks = crossRows(nodes, edges, rows);
  orderRows(rows);
  placeRows(rows);
  const lanes = assignLanes(trunks, nodes);
  let y = 0, left = 0, right = 0;
  for (const row of rows) {
    let height = 0;
    for (const node of row) {
      height = Math.max(height, node.h);
      left = Math.min(left, node.x - node.w / 2);
      right = Math.max(right, node.x + node.w / 2);
    }
    for (const node of row) {
      node.y = y;
      node.bottom = y + height;
    }
    y += height + ROW_GAP;
  }
  for (const row of rows)
    for (const node of row) node.x -= left;
  right -= left;
  for (const edge of edges) edge.points = pointsOf(edge, nodes, right);
  const w = right + (lanes > 0 ? 12 + lanes * LANE_GAP : 0);
  return {computation, nodes, edges, w, h: Math.max(0, y - ROW_GAP)};
}

// Straight through the rows that it crosses, or by way of its lane.
function pointsOf(edge, nodes, right) {
  const from = nodes[edge.from], to = nodes[edge.to];
  if (edge.lane === undefined) {
    const points = [];
    for (const each of edge.chain || [from, to]) {
      if (each !== from) points.push(each.x, each.y);
      if (each !== to) points.push(each.x, each === from ? each.y + each.h : each.bottom);
    }
    return points;
  }
  const x = right + 12 + edge.lane * LANE_GAP;
  const shift = (edge.lane * 3) % (ROW_GAP - 16);
  const out = from.bottom + 8 + shift / 2, back = to.y - 8 - shift / 2;
  return [from.x, from.y + from.h, from.x, out, x, out, x, back, to.x, back, to.x, to.y];
}
