// Draws a statechart with Mermaid. Mermaid allows no arrow between two states that lie inside different outer states.
// Therefore an arrow is drawn between the outer states, and its label names the inner state where the arrow begins or
// ends.
import { type Chart, pathOf, statesOf, transitionsOf } from '../contract/charts/chart.ts'

type Arrow = { from: string[]; to: string[]; label: string; inside: string[]; leads: string }

const idOf = (path: readonly string[]): string => path.join('_').replaceAll('-', '_')

/** The arrows of a chart. `inside` names the inner state of `from` where an arrow begins; '' if it begins at `from`. */
const arrowsOf = (chart: Chart): Arrow[] => {
  const states = statesOf(chart)
  return states.flatMap(({ path, node }) =>
    transitionsOf(node).flatMap(({ event, target, guard }): Arrow[] => {
      if (target === undefined) return []
      const to = pathOf(chart, path, target)
      const differs = to.findIndex((name, n) => name !== path[n])
      const common = differs < 0 ? to.length - 1 : differs
      const label = guard === undefined ? event : `${event} [${guard}]`
      const ends = { to: to.slice(0, common + 1), label, leads: to.slice(common + 1).join('.') }
      if (common < path.length) {
        return [{ from: path.slice(0, common + 1), inside: [path.slice(common + 1).join('.')], ...ends }]
      }
      // A move of a state to one of its own inner states becomes several arrows: one from each other inner state that
      // does not define this move itself.
      return states
        .filter(
          ({ path: inner }) => inner.length === common + 1 && idOf(inner.slice(0, common)) === idOf(path),
        )
        .filter(({ path: inner, node }) => idOf(inner) !== idOf(ends.to) && !(event in (node.on ?? {})))
        .map(({ path: inner }) => ({ from: inner, inside: [''], ...ends }))
    }),
  )
}

/** Merges arrows that differ only in the inner state where they begin. */
const joined = (arrows: Arrow[]): Arrow[] => {
  const known = new Map<string, Arrow>()
  for (const arrow of arrows) {
    const key = JSON.stringify([arrow.from, arrow.to, arrow.label, arrow.leads])
    const same = known.get(key)
    known.set(key, same === undefined ? arrow : { ...same, inside: [...same.inside, ...arrow.inside] })
  }
  return [...known.values()]
}

const lineOf = ({ from, to, label, inside, leads }: Arrow): string => {
  const begins = inside.includes('') ? '' : ` from ${inside.join(' or ')}`
  return `${idOf(from)} --> ${idOf(to)}: ${label}${begins}${leads === '' ? '' : ` to ${leads}`}`
}

/** The events that a state forbids although the states around it allow them. */
const forbidden = (node: Parameters<typeof transitionsOf>[0]): string[] =>
  transitionsOf(node).flatMap(({ event, target, guard, actions }) =>
    target === undefined && guard === undefined && actions === undefined ? [event] : [],
  )

/** The drawing of a chart, as Mermaid text. */
export const drawingOf = (chart: Chart): string => {
  const states = statesOf(chart)
  const arrows = joined(arrowsOf(chart))
  const inside = (parent: readonly string[], initial: string | undefined, indent: string): string[] => {
    const isInside = (path: readonly string[]) =>
      path.length === parent.length + 1 && idOf(path.slice(0, -1)) === idOf(parent)
    const own = states.filter(({ path }) => isInside(path))
    return [
      ...(initial === undefined ? [] : [`[*] --> ${idOf([...parent, initial])}`]),
      ...own.flatMap(({ path, node }) => {
        const named = `state "${path.at(-1)}" as ${idOf(path)}`
        const no = forbidden(node)
        return [
          ...(node.states === undefined ? [named] : [`${named} {`, ...inside(path, node.initial, '  '), '}']),
          ...(no.length === 0 ? [] : [`note right of ${idOf(path)}: forbids ${no.join(', ')}`]),
        ]
      }),
      ...arrows.filter(({ from }) => isInside(from)).map(lineOf),
    ].map(line => indent + line)
  }
  return ['stateDiagram-v2', ...inside([], chart.initial, '  ')].join('\n')
}
