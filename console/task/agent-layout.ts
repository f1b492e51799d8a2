// Draws the statechart of an agent: its states in rows, and its moves as paths with the names of their events.
import {
  type Box,
  bottom,
  type DrawnState,
  type Edge,
  type Label,
  type Layout,
  middle,
  right,
} from './chart-layout.ts'
import { type InnerLink, labelWidth, type Measured, measure, nameOf, noteOf } from './chart-rows.ts'
import type { ChartTree, StateNode } from './chart-tree.ts'

const [lineHeight, laneWidth] = [13, 12]
const corner = 6

type Boxes = ReadonlyMap<string, Box>
type Point = { x: number; y: number }
type Taken = { x: number; y: number; width: number }

/** Gives each state its place on the drawing. */
const placed = (root: Measured): Map<string, Box> => {
  const boxes = new Map<string, Box>()
  const place = ({ node, width, height, rows }: Measured, x: number, y: number): void => {
    boxes.set(node.path, { x, y, width, height })
    for (const one of rows.flat()) place(one, x + one.left, y + one.top)
  }
  place(root, 0, 0)
  return boxes
}

/** Labels beside each other, none over another: each takes the first free line. */
const createLabels = () => {
  const taken: Taken[] = []
  return (
    texts: readonly string[],
    at: (y: number) => number,
    y: number,
    anchor: Label['anchor'],
  ): Label[] => {
    const width = Math.max(...texts.map(labelWidth))
    const leftAt = (line: number) => at(line) - (anchor === 'middle' ? width / 2 : 0)
    const isFree = (from: number) =>
      texts.every((_, n) => {
        const [line, left] = [from + n * lineHeight, leftAt(from)]
        return !taken.some(
          one => Math.abs(one.y - line) < lineHeight && one.x < left + width && left < one.x + one.width,
        )
      })
    let from = y
    for (let tries = 0; tries < 8 && !isFree(from); tries++) from += lineHeight
    return texts.map((text, n) => {
      const line = from + n * lineHeight
      taken.push({ x: leftAt(from), y: line, width })
      return { x: at(from), y: line, text: noteOf(text), anchor }
    })
  }
}
type AddLabels = ReturnType<typeof createLabels>

const bezier = (a: number, b: number, c: number, d: number, t: number): number =>
  a * (1 - t) ** 3 + 3 * b * t * (1 - t) ** 2 + 3 * c * t ** 2 * (1 - t) + d * t ** 3

/** Where a curve from one point down to another is at a height. */
const curveAt = (from: Point, to: Point, y: number): number => {
  let [low, high] = [0, 1]
  const turn = (from.y + to.y) / 2
  for (let n = 0; n < 20; n++) {
    const t = (low + high) / 2
    if (bezier(from.y, turn, turn, to.y, t) < y) low = t
    else high = t
  }
  return bezier(from.x, from.x, to.x, to.x, low)
}

const boxOf = (boxes: Boxes, path: string): Box => boxes.get(path) as Box

/** The links from one row to the next: they leave a state at its bottom, and enter one at its top. */
const downEdges = (links: readonly InnerLink[], boxes: Boxes, addLabels: AddLabels): Edge[] => {
  const box = ({ node }: Measured) => boxOf(boxes, node.path)
  /** Where a link touches a state that several links touch. */
  const share = (own: Measured, all: InnerLink[], link: InnerLink, other: (link: InnerLink) => Measured) => {
    const sorted = all.toSorted((a, b) => middle(box(other(a))) - middle(box(other(b))))
    return box(own).x + (box(own).width * (sorted.indexOf(link) + 1)) / (all.length + 1)
  }
  const lowest = Math.max(...links.map(({ from }) => bottom(box(from))))
  return links.map(each => {
    const { link, from, to } = each
    const leaving = links.filter(one => one.from === from)
    const entering = links.filter(one => one.to === to)
    const a = { x: share(from, leaving, each, one => one.to), y: bottom(box(from)) }
    const b = { x: share(to, entering, each, one => one.from), y: box(to).y }
    const turn = (a.y + b.y) / 2
    const labels = addLabels(link.labels, y => curveAt(a, b, y), lowest + 12, 'middle')
    const path = `M${a.x} ${a.y} C${a.x} ${turn} ${b.x} ${turn} ${b.x} ${b.y}`
    return { from: link.from, to: link.to, path, labels }
  })
}

/** The links that lead back or past a row: each runs along a lane on the right side of the rows. */
const aroundEdges = (
  { rows, around, lanesAt }: Measured,
  outer: Box,
  boxes: Boxes,
  addLabels: AddLabels,
): Edge[] => {
  const rowOf = (one: Measured): Measured[] => rows.find(row => row.includes(one)) ?? []
  const isRightmost = (one: Measured): boolean => rowOf(one).at(-1) === one
  const reach = ({ link: { from, to } }: InnerLink): number =>
    Math.abs(boxOf(boxes, from).y - boxOf(boxes, to).y)
  const sorted = around.toSorted((a, b) => reach(a) - reach(b))
  /** All ends at the right side of a state, so that none covers another. */
  const ends = new Map<string, number>()
  const endsAt = new Map<string, number>()
  for (const { link } of around)
    for (const path of [link.from, link.to]) ends.set(path, (ends.get(path) ?? 0) + 1)

  return sorted.map((each, number) => {
    const { link, from, to } = each
    const laneX = outer.x + lanesAt + number * laneWidth
    /** The way between a state and the lane: from its right side, or around the states beside it. */
    const wayOf = (path: string, row: Measured, isBelow: boolean): { y: number; steps: string[] } => {
      const box = boxOf(boxes, path)
      const n = (endsAt.get(path) ?? 0) + 1
      endsAt.set(path, n)
      const share = n / ((ends.get(path) ?? 0) + 1)
      if (isRightmost(row)) return { y: box.y + box.height * share, steps: [`${right(box)}`] }
      const all = rowOf(row).map(({ node }) => boxOf(boxes, node.path))
      const y = isBelow ? Math.max(...all.map(bottom)) + 7 : Math.min(...all.map(one => one.y)) - 8
      return { y, steps: [`${box.x + box.width * share}`, `${isBelow ? bottom(box) : box.y}`] }
    }
    const [out, into] = [wayOf(link.from, from, true), wayOf(link.to, to, false)]
    const turn = Math.min(corner, Math.abs(into.y - out.y) / 2) * (into.y < out.y ? -1 : 1)
    const [x1, y1] = out.steps
    const [x2, y2] = into.steps
    const path = [
      y1 === undefined ? `M${x1} ${out.y}` : `M${x1} ${y1} V${out.y}`,
      `H${laneX - corner} Q${laneX} ${out.y} ${laneX} ${out.y + turn}`,
      `V${into.y - turn} Q${laneX} ${into.y} ${laneX - corner} ${into.y}`,
      y2 === undefined ? `H${x2}` : `H${x2} V${y2}`,
    ].join(' ')
    // The labels are near the beginning of the lane.
    const height = (link.labels.length - 1) * lineHeight
    const near = into.y < out.y ? out.y - 16 - height : out.y + 16
    const labels = addLabels(link.labels, () => laneX + 4, near, 'start')
    return { from: link.from, to: link.to, path, labels }
  })
}

const looksOf = ({ kind, inner }: StateNode, outer: StateNode | undefined): string[] => [
  ...(inner.length > 0 ? ['outer'] : []),
  ...(kind === 'final' ? ['final'] : []),
  ...(outer?.kind === 'parallel' ? ['region'] : []),
]

export const layoutOf = ({ root, links }: ChartTree): Layout => {
  const whole = measure(root, links)
  const boxes = placed(whole)
  const states: DrawnState[] = []
  const edges: Edge[] = []
  const starts: Point[] = []
  const addLabels = createLabels()
  const draw = (one: Measured, outer?: StateNode): void => {
    const { node, down, rows } = one
    const box = boxOf(boxes, node.path)
    if (outer !== undefined)
      states.push({
        ...{ path: node.path, name: nameOf(node), box, looks: looksOf(node, outer) },
        notes: node.notes.map(noteOf),
      })
    const first = rows.flat().find(({ node: { name } }) => name === node.initial)
    if (first !== undefined) {
      const { x, y } = boxOf(boxes, first.node.path)
      starts.push({ x: x + 12, y })
    }
    for (const inner of rows.flat()) draw(inner, node)
    edges.push(...down.flatMap(links => (links.length === 0 ? [] : downEdges(links, boxes, addLabels))))
    edges.push(...aroundEdges(one, box, boxes, addLabels))
  }
  draw(whole)
  return { width: whole.width, height: whole.height, states, edges, starts }
}
