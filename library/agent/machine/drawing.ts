// A statechart as plain data, for readers that draw it and run no code.
import type { AnyStateMachine, AnyStateNode } from 'xstate'
import type { Chart } from '../types.ts'

/** `target`: `#<id of the chart>.<path of the state>`; without it, the state stays as it is. */
export type DrawnMove = { target?: string; guard?: string }
export type DrawnState = {
  type?: 'parallel' | 'final' | 'history'
  initial?: string
  /** What the state invokes. */
  invoke?: string[]
  /** The moves by the names of their events. `after 1000` is a delay, `always` needs no event. */
  on?: Record<string, DrawnMove[]>
  states?: Record<string, DrawnState>
}
export type DrawnChart = DrawnState & { id: string }

const eventName = (type: string): string =>
  type === ''
    ? 'always'
    : type
        .replace(/^xstate\.after\.([^.]+)\..*$/, 'after $1')
        .replace(/^xstate\.(done|error)\.(?:actor|state)\./, '$1 ')

const guardName = (guard: unknown): string | undefined => {
  if (guard === undefined) return undefined
  if (typeof guard === 'string') return guard
  const { type, name } = guard as { type?: unknown; name?: unknown }
  const [known] = [type, name].filter(one => typeof one === 'string' && one !== '')
  return known === undefined ? 'guard' : String(known)
}

export const drawingOf = (chart: Chart): DrawnChart => {
  const { root } = chart as unknown as AnyStateMachine
  const id = String(chart.id).replaceAll('.', '_')
  const addressOf = ({ path }: AnyStateNode) => ['#'.concat(id), ...path].join('.')

  const movesOf = (node: AnyStateNode): Record<string, DrawnMove[]> => {
    const moves: Record<string, DrawnMove[]> = {}
    const all = [...[...node.transitions.values()].flat(), ...(node.always ?? [])]
    for (const { eventType, target, guard } of all) {
      const name = guardName(guard)
      const targets = target === undefined || target.length === 0 ? [undefined] : target
      for (const to of targets) {
        const event = eventName(String(eventType))
        moves[event] ??= []
        moves[event].push({
          ...(to === undefined ? {} : { target: addressOf(to as AnyStateNode) }),
          ...(name === undefined ? {} : { guard: name }),
        })
      }
    }
    return moves
  }
  const stateOf = (node: AnyStateNode): DrawnState => {
    const moves = movesOf(node)
    const inner = Object.entries(node.states as Record<string, AnyStateNode>)
    const { initial } = node.config as { initial?: string | { target?: string } }
    const first = typeof initial === 'object' ? initial.target : initial
    return {
      ...(node.type === 'atomic' || node.type === 'compound' ? {} : { type: node.type }),
      ...(first === undefined ? {} : { initial: String(first) }),
      ...(node.invoke.length === 0 ? {} : { invoke: node.invoke.map(({ src }) => String(src)) }),
      ...(Object.keys(moves).length === 0 ? {} : { on: moves }),
      ...(inner.length === 0
        ? {}
        : { states: Object.fromEntries(inner.map(([key, state]) => [key, stateOf(state)])) }),
    }
  }
  return { id, ...stateOf(root) }
}
