// Finds what a statechart may not have, when it is loaded: actors whose work cannot be stored.
import type { AnyStateMachine, AnyStateNode } from 'xstate'
import type { Chart } from '../types.ts'
import { sourceOf } from './sources.ts'

/** Actions that make or ask other actors. */
const refused: Readonly<Record<string, string>> = {
  'xstate.spawnChild': 'spawns an actor',
  'xstate.stopChild': 'stops an actor',
}

const isAction = (action: unknown): action is { type: string } =>
  (typeof action === 'function' || typeof action === 'object') && action !== null && 'type' in action

/** Every state node, outer ones first. */
export const nodesOf = (node: AnyStateNode): AnyStateNode[] => [
  node,
  ...Object.values(node.states as Record<string, AnyStateNode>).flatMap(nodesOf),
]

const actionsOf = (node: AnyStateNode): unknown[] => [
  ...node.entry,
  ...node.exit,
  ...[...node.transitions.values()].flat().flatMap(({ actions }) => actions),
  ...(node.always ?? []).flatMap(({ actions }) => actions),
]

/** One sentence for each problem. `runs`: the names of the functions that the chart may invoke. */
export const machineProblems = (chart: Chart, runs: readonly string[]): string[] => {
  const machine = chart as unknown as AnyStateMachine
  const actions = [
    ...nodesOf(machine.root).flatMap(actionsOf),
    ...Object.values(machine.implementations.actions),
  ]
  const problems = [
    ...nodesOf(machine.root)
      .flatMap(({ invoke }) => invoke)
      .map(({ src }) => sourceOf(machine, String(src), runs))
      .filter(source => typeof source === 'string'),
    ...actions
      .filter(isAction)
      .filter(({ type }) => type in refused)
      .map(action => {
        const src = (action as { src?: unknown }).src
        return `an action ${refused[action.type]}${typeof src === 'string' ? ` (“${src}”)` : ''}: invoke it in a state`
      }),
  ]
  return [...new Set(problems)]
}
