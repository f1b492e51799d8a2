// What the `src` of an `invoke` stands for.
import type { AnyActorLogic, AnyStateMachine } from 'xstate'

/** `fn` makes the promise of an actor of `fromPromise`. */
export type Source =
  | { does: 'model' }
  | { does: 'tool' | 'agent' | 'ask'; name: string }
  | { does: 'run'; name: string; fn?: (given: { input: unknown; signal: AbortSignal }) => unknown }

const named = /^(tool|agent|ask|run):(.+)$/
/** XState gives such a name to logic that stands in the chart itself. */
const inline = /^xstate\.invoke\.(\d+)\.(.*)$/

const logicOf = (machine: AnyStateMachine, src: string): AnyActorLogic | undefined => {
  const [, index, node] = src.match(inline) ?? []
  if (node === undefined) return machine.implementations.actors[src] as AnyActorLogic | undefined
  const { invoke } = machine.getStateNodeById(node).config as {
    invoke?: { src: unknown } | { src: unknown }[]
  }
  return (Array.isArray(invoke) ? invoke[Number(index)] : invoke)?.src as AnyActorLogic | undefined
}

/** Actors of `fromPromise` are the only ones that end with the value of this event. */
const isPromise = (logic: AnyActorLogic): boolean => {
  const data = {}
  const self = { send() {} }
  try {
    const before = logic.getInitialSnapshot({ self } as never, undefined as never)
    const after = logic.transition(
      before,
      { type: 'xstate.promise.resolve', data } as never,
      { self } as never,
    )
    return after.status === 'done' && after.output === data
  } catch {
    return false
  }
}

/** Returns text that says what is wrong when the server cannot do what `src` stands for. */
export const sourceOf = (machine: AnyStateMachine, src: string, runs: readonly string[]): Source | string => {
  if (src === 'model') return { does: 'model' }
  const [, does, name = ''] = src.match(named) ?? []
  if (does === 'run' && runs.includes(name)) return { does, name }
  if (does === 'tool' || does === 'agent' || does === 'ask') return { does, name }
  const logic = logicOf(machine, src)
  if (logic === undefined)
    return does === 'run'
      ? `it invokes “${src}”, but run has no function ${name}`
      : `it invokes “${src}”, which is none of model, tool:<name>, agent:<name>, ask:<name>, run:<name> and an actor of fromPromise`
  if (isPromise(logic))
    return {
      does: 'run',
      name: does === 'run' ? name : src,
      fn: (logic as never as { config: never }).config,
    }
  return `it invokes “${src}”, which is a callback, an observable, a transition or a machine of its own: only fromPromise can be stored`
}
