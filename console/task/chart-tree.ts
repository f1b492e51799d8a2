// Reads the statechart of an agent as its host has told it: its states, and the links between them. A host may be any
// program, so nothing here relies on the form of the chart.
import { duration } from '../ui/time-words.ts'

/** A state. `path`: the names of the states around it and its own, with dots. `notes`: what it does, in a few words. */
export type StateNode = {
  path: string
  name: string
  kind: 'plain' | 'parallel' | 'final' | 'history'
  initial: string | undefined
  notes: string[]
  inner: StateNode[]
}
/** All moves from one state to another. */
export type Link = { from: string; to: string; labels: string[] }
/** `anywhere`: the moves of the chart itself, in words. */
export type ChartTree = { root: StateNode; links: Link[]; anywhere: string[] }

/** A chart with more states, deeper ones, or more links is not drawn. */
const mostStates = 200
const deepest = 12
const mostLinks = 400
/** So many labels of a link are shown. */
const mostLabels = 12

type Fields = Record<string, unknown>
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])

export const pathIn = (outer: string, name: string): string => (outer === '' ? name : `${outer}.${name}`)

/** Whether a state is in another one. */
export const isInside = (path: string, outer: string): boolean => path.startsWith(`${outer}.`)

/** An event as a person says it: the ends of what a state invokes have long names. */
export const eventWords = (event: string): string => {
  const [, ms] = /^after (\d+)$/.exec(event) ?? []
  return ms === undefined ? event.replace(/^(done|error) .*$/, '$1') : `after ${duration(Number(ms))}`
}

/** XState gives such a name to a function that stands in the chart itself. */
const inlineActor = /^xstate\.invoke\..*/

/** `outer`: the state around the one from which the move leads. */
type Move = {
  from: string
  outer: string
  event: string
  guard: string | undefined
  target: string | undefined
}

const kinds = new Set(['parallel', 'final', 'history'])

/** The states of a chart and their moves; undefined when there are none to draw. */
export const readChart = (chart: unknown): ChartTree | undefined => {
  const id = textIn(fieldsOf(chart).id) ?? ''
  const found = new Map<string, StateNode>()
  const moves: Move[] = []

  const read = (given: unknown, name: string, outer: string, depth: number): StateNode => {
    const path = depth === 0 ? '' : pathIn(outer, name)
    const { type, initial, invoke, on, states } = fieldsOf(given)
    const kind = kinds.has(type as string) ? (type as StateNode['kind']) : 'plain'
    const invoked = listOf(invoke ?? []).flatMap(one => textIn(one) ?? [])
    const notes = invoked.map(src => `calls ${src.replace(inlineActor, 'a function')}`)
    const node: StateNode = { path, name, kind, initial: textIn(initial), notes, inner: [] }
    found.set(path, node)
    for (const [event, all] of Object.entries(fieldsOf(on))) {
      for (const one of listOf(all)) {
        const { target = one, guard } = fieldsOf(one)
        const move = { event: eventWords(event), guard: textIn(guard), target: textIn(target) }
        moves.push({ from: path, outer, ...move })
      }
    }
    if (depth < deepest && found.size < mostStates)
      node.inner = Object.entries(fieldsOf(states)).map(([key, inner]) => read(inner, key, path, depth + 1))
    return node
  }
  const root = read(chart, id, '', 0)
  if (root.inner.length === 0 || found.size >= mostStates) return undefined

  /** The state that a move names: `#<id of the chart>.<path>`, or a state beside its own. */
  const targetOf = (outer: string, target: string): string | undefined => {
    const path = target.startsWith(`#${id}.`) ? target.slice(id.length + 2) : pathIn(outer, target)
    return found.has(path) ? path : undefined
  }
  const links = new Map<string, Link>()
  const anywhere: string[] = []
  for (const { from, outer, event, guard, target } of moves) {
    const label = guard === undefined ? event : `${event} [${guard}]`
    const to = target === undefined ? undefined : targetOf(outer, target)
    if (from === '') anywhere.push(to === undefined ? label : `${label} → ${to}`)
    else if (to === undefined || to === from) found.get(from)?.notes.push(`${label} ↺`)
    else if (isInside(to, from) || isInside(from, to))
      found.get(from)?.notes.push(`${label} → ${found.get(to)?.name}`)
    else {
      const link = links.get(`${from}→${to}`) ?? { from, to, labels: [] }
      if (!link.labels.includes(label) && link.labels.length < mostLabels) link.labels.push(label)
      links.set(`${from}→${to}`, link)
    }
  }
  return links.size > mostLinks ? undefined : { root, links: [...links.values()], anywhere }
}

/** The paths of all states in which a chart is, outer ones first. `value`: as XState writes it. */
export const pathsOf = (value: unknown, outer = ''): string[] =>
  typeof value === 'string'
    ? [pathIn(outer, value)]
    : Object.entries(fieldsOf(value)).flatMap(([name, inner]) => {
        const path = pathIn(outer, name)
        return [path, ...pathsOf(inner, path)]
      })

/** The innermost states in which a chart is, in words. */
export const placeWords = (value: unknown): string => {
  const paths = pathsOf(value).slice(0, mostStates)
  return paths.filter(path => !paths.some(other => isInside(other, path))).join(', ')
}
