// A statechart as plain data, in the form that XState takes. From a chart this file makes the table of moves that
// replay uses: for each innermost state and each event, the target state. The file supports only what our charts use:
// nested states, guards, and targets that are named either by the name of a neighbouring state or by `#<id>.<path>`.

export type Transition =
  | string
  | { readonly target?: string; readonly guard?: string; readonly actions?: string }
export type ChartNode = {
  readonly initial?: string
  readonly on?: { readonly [event: string]: Transition | readonly Transition[] }
  readonly states?: { readonly [name: string]: ChartNode }
}
export type Chart = ChartNode & { readonly id: string }

/** The paths of the innermost states of a chart, such as `working.calling`. */
export type Places<N> = N extends { readonly states: infer S }
  ? {
      [K in keyof S & string]: S[K] extends { readonly states: object } ? `${K}.${Places<S[K]>}` : K
    }[keyof S & string]
  : never

/** `to` is the innermost state to which the move leads. If it is absent, the state stays as it was. */
export type Move = { to: string | undefined; guard: string | undefined }
/** For each innermost state and event: the possible moves, in the order in which their guards are tried. */
export type MoveTable = ReadonlyMap<string, ReadonlyMap<string, readonly Move[]>>

const nodeAt = (chart: Chart, path: readonly string[]): ChartNode =>
  path.reduce((node: ChartNode, name) => {
    const inner = node.states?.[name]
    if (inner === undefined) throw new Error(`the chart ${chart.id} has no state ${path.join('.')}`)
    return inner
  }, chart)

/** The innermost state that a move to `path` enters. A state with inner states leads to its initial one. */
const innermost = (chart: Chart, path: readonly string[]): string => {
  const { initial } = nodeAt(chart, path)
  return initial === undefined ? path.join('.') : innermost(chart, [...path, initial])
}

/** The state that a transition of the state at `from` names. */
export const pathOf = (chart: Chart, from: readonly string[], target: string): string[] => {
  const [head = '', ...rest] = target.split('.')
  return head === `#${chart.id}` ? rest : [...from.slice(0, -1), head, ...rest]
}

const isList = (given: Transition | readonly Transition[]): given is readonly Transition[] =>
  Array.isArray(given)

/** The transitions that a state itself declares, each as an object. */
export const transitionsOf = ({ on = {} }: ChartNode) =>
  Object.entries(on).flatMap(([event, given]) =>
    (isList(given) ? given : [given]).map(one => ({
      event,
      ...(typeof one === 'string' ? { target: one } : one),
    })),
  )

/** Every state of a chart with its path, the outer ones first. */
export const statesOf = (chart: Chart): { path: string[]; node: ChartNode }[] => {
  const below = (path: string[]): { path: string[]; node: ChartNode }[] =>
    Object.entries(nodeAt(chart, path).states ?? {}).flatMap(([name, node]) => [
      { path: [...path, name], node },
      ...below([...path, name]),
    ])
  return below([])
}

/** The innermost state in which a chart begins. */
export const beginningOf = (chart: Chart): string => innermost(chart, [])

const movesAt = (chart: Chart, path: readonly string[]): Map<string, Move[]> => {
  const moves = new Map<string, Move[]>()
  for (const { event, target, guard } of transitionsOf(nodeAt(chart, path))) {
    const to = target === undefined ? undefined : innermost(chart, pathOf(chart, path, target))
    moves.set(event, [...(moves.get(event) ?? []), { to, guard }])
  }
  return moves
}

/** The table of a chart. A transition of an inner state replaces those of its outer states for the same event. */
export const tableOf = (chart: Chart): MoveTable =>
  new Map(
    statesOf(chart)
      .filter(({ node }) => node.states === undefined)
      .map(({ path }) => {
        const around = path.map((_, n) => movesAt(chart, path.slice(0, n + 1)))
        return [path.join('.'), new Map(around.flatMap(moves => [...moves]))]
      }),
  )

/**
 * A path in the form in which XState writes the value of a state: `working.calling` becomes `{ working: 'calling' }`.
 */
export type StateValue = string | { [name: string]: StateValue }
export const nestedValue = (place: string): StateValue => {
  const [head = '', ...rest] = place.split('.')
  return rest.length === 0 ? head : { [head]: nestedValue(rest.join('.')) }
}
