// Puts the states of a chart into rows from top to bottom, and measures how much room each state needs. A state comes below the
// states that lead to it, except for moves that lead back.
import { isInside, type Link, type StateNode } from './chart-tree.ts'

const [nameWidth, noteWidth] = [7.4, 6]
const [nameHeight, noteHeight] = [26, 13]
const [side, between, lane] = [12, 14, 12]
/** The width of a chart that a narrow panel shows in its whole size. */
const usualWidth = 300
/** Longer words are cut. */
const [longestName, longestNote] = [26, 32]

const cut = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest - 1)}…` : text
export const nameOf = ({ name }: StateNode): string => cut(name, longestName)
export const noteOf = (note: string): string => cut(note, longestNote)
export const labelWidth = (text: string): number => noteOf(text).length * noteWidth + 6

/** A link between two of the states of one row or of different rows. `from` and `to` may be inside of these. */
export type InnerLink = { link: Link; from: Measured; to: Measured }
/** `top`, `left`: from the corner of the state around it. `gaps`: the room below each row. */
export type Measured = {
  node: StateNode
  width: number
  height: number
  top: number
  left: number
  rows: Measured[][]
  /** Links from one row to the next, by the number of the first row. */
  down: InnerLink[][]
  /** All other links: each has a lane on the right side. */
  around: InnerLink[]
  /** Where the lanes begin, from the left side. */
  lanesAt: number
}

const isIn = (path: string, { path: outer }: StateNode): boolean => path === outer || isInside(path, outer)

/** The links between different states of one outer state. */
const linksIn = (inner: readonly Measured[], links: readonly Link[]): InnerLink[] =>
  links.flatMap(link => {
    const [from, to] = [link.from, link.to].map(path => inner.find(({ node }) => isIn(path, node)))
    return from === undefined || to === undefined || from === to ? [] : [{ link, from, to }]
  })

/** For each state the number of its row: one more than that of each state which leads to it, without moves back. */
const rowNumbers = (inner: readonly Measured[], links: readonly InnerLink[], first: Measured) => {
  const forward: InnerLink[] = []
  const state = new Map<Measured, 'open' | 'done'>()
  const order: Measured[] = []
  const visit = (one: Measured): void => {
    state.set(one, 'open')
    for (const each of links) {
      if (each.from !== one || state.get(each.to) === 'open') continue
      forward.push(each)
      if (!state.has(each.to)) visit(each.to)
    }
    state.set(one, 'done')
    order.unshift(one)
  }
  for (const one of [first, ...inner]) if (!state.has(one)) visit(one)
  const rows = new Map<Measured, number>(inner.map(one => [one, one === first ? 0 : 1]))
  for (const one of order)
    for (const { from, to } of forward)
      if (from === one) rows.set(to, Math.max(rows.get(to) ?? 0, (rows.get(one) ?? 0) + 1))
  return rows
}

const widthOf = (row: readonly Measured[]): number =>
  row.reduce((sum, { width }) => sum + width + between, -between)

/** Rows that are not too wide. */
const split = (all: readonly Measured[], most: number): Measured[][] => {
  const rows: Measured[][] = []
  for (const one of all) {
    const last = rows.at(-1)
    if (last !== undefined && widthOf([...last, one]) <= most) last.push(one)
    else rows.push([one])
  }
  return rows
}

const rowsOf = (node: StateNode, inner: Measured[], links: InnerLink[], most: number): Measured[][] => {
  if (node.kind === 'parallel') return split(inner, most)
  const first = inner.find(({ node: { name } }) => name === node.initial) ?? inner[0]
  if (first === undefined) return []
  const numbers = rowNumbers(inner, links, first)
  const last = Math.max(...numbers.values())
  const rows: Measured[][] = []
  for (let number = 0; number <= last; number++) {
    const before = rows.at(-1) ?? []
    /** Where the states in the row above are that lead to a state. */
    const place = (one: Measured): number => {
      const above = links.filter(({ from, to }) => to === one && before.includes(from))
      return above.reduce((sum, { from }) => sum + before.indexOf(from), 0) / Math.max(1, above.length)
    }
    const row = inner.filter(one => numbers.get(one) === number).toSorted((a, b) => place(a) - place(b))
    rows.push(...split(row, most))
  }
  return rows
}

/** The room for the labels between two rows. */
const gapFor = (links: readonly InnerLink[], width: number): number => {
  const labels = links.map(({ link }) => link.labels)
  if (labels.length === 0) return 18
  const all = labels.reduce((sum, texts) => sum + Math.max(...texts.map(labelWidth)), 0)
  const lines = Math.max(...labels.map(({ length }) => length))
  return 22 + noteHeight * Math.min(labels.flat().length, lines * Math.ceil(all / Math.max(width, 1)))
}

/** Measures a state and all states inside of it. `most`: the width that it should not pass. */
export const measure = (node: StateNode, links: readonly Link[], most = usualWidth): Measured => {
  const words = [nameOf(node).length * nameWidth, ...node.notes.map(note => noteOf(note).length * noteWidth)]
  const own = Math.max(64, ...words.map(width => width + 18))
  const head = node.path === '' ? 0 : nameHeight + noteHeight * node.notes.length
  const measured: Measured = {
    ...{ node, width: Math.ceil(own), height: head, top: 0, left: 0, rows: [] },
    ...{ down: [], around: [], lanesAt: 0 },
  }
  if (node.inner.length === 0) return measured

  const inner = node.inner.map(one => measure(one, links, most - 2 * side))
  const all = linksIn(inner, links)
  const rows = rowsOf(node, inner, all, most - 2 * side)
  const rowWith = new Map(rows.flatMap((row, number) => row.map(one => [one, number] as const)))
  const isDown = ({ link, from, to }: InnerLink): boolean =>
    link.from === from.node.path &&
    link.to === to.node.path &&
    rowWith.get(to) === (rowWith.get(from) ?? 0) + 1
  const around = all.filter(link => !isDown(link))
  const down = rows.map((_, number) => all.filter(link => isDown(link) && rowWith.get(link.from) === number))
  const content = Math.max(...rows.map(widthOf))
  let top = head + (node.kind === 'parallel' ? 6 : 16)
  rows.forEach((row, number) => {
    let left = side + (content - widthOf(row)) / 2
    for (const one of row) {
      Object.assign(one, { top, left })
      left += one.width + between
    }
    const isLast = number === rows.length - 1
    const gap = node.kind === 'parallel' ? between : gapFor(down[number] ?? [], content)
    top += Math.max(...row.map(({ height }) => height)) + (isLast ? side : gap)
  })
  const lanesAt = side + content + 8
  const labels = around.flatMap(({ link }) => link.labels)
  const lanes = around.length === 0 ? 0 : around.length * lane + Math.max(...labels.map(labelWidth))
  const width = Math.max(own, side + content + side, lanesAt + lanes)
  return { ...measured, width, height: top, rows, down, around, lanesAt }
}
