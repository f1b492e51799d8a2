// Runs the calls of one task: starts the calls that its state wants, sends each outcome to the task once, and stops
// calls that are no longer wanted. running-calls.ts knows the calls of the process; this file knows which of them the
// task waits for.
import type { CallOutcome } from '../../../src/contract/commands/commands.ts'
import { isTerminal } from '../../../src/contract/wire.ts'
import { type OpenCall, openCalls } from '../../../src/history/task/calls.ts'
import { bySystem } from '../self.ts'
import type { RunningCall, UnknownOutcome } from './running-calls.ts'
import { type CallDeps, startCall } from './start-call.ts'

/** Sends the outcome of a call to its task. */
const complete = async (
  { view, tell, deps }: CallDeps,
  { effect, name }: OpenCall,
  outcome: CallOutcome | UnknownOutcome,
  { heard, rest }: RunningCall,
): Promise<void> => {
  const said = heard?.() ?? ''
  const events = rest?.() ?? []
  const { world, reach } = deps
  const of = effect.child === undefined ? 'tool' : 'child'
  const { status } = outcome
  reach('after-effect', of, name)
  await tell({
    type: 'CompleteEffect',
    effectId: effect.id,
    itemId: world.ids.next('tr_'),
    outcome: { ...outcome, status: status === 'unknown' ? 'incomplete' : status },
    ...(said === '' ? {} : { heard: said }),
    ...(events.length === 0 ? {} : { events }),
    ...bySystem(view),
  })
  reach('after-result', of, name)
}

/** Calls `lookAgain` when something new is known about a call, to compare again what the task wants with what runs. */
export const createCallRunner = (given: CallDeps, lookAgain: () => void) => {
  const { view } = given
  const { calls } = given.deps
  /** Calls whose outcome the task waits for. */
  const awaited = new Set<string>()
  /** Calls whose intent the current turn stores. running-calls.ts does not know them yet. */
  const intended = new Set<string>()
  /** Calls whose environment session said that their outcome is unknown. */
  const unknown = new Set<string>()
  /** Whether the tasks of subagents are stopped that the ended task has left behind. */
  let isCleared = false

  const forget = (id: string) => {
    calls.forget(id)
    awaited.delete(id)
    intended.delete(id)
  }

  /** Stops following this call until the task is resumed, which repeats the call. */
  const leaveUnknown = (id: string) => {
    forget(id)
    unknown.add(id)
    lookAgain()
  }

  /** Starts a call that does not run yet. Its outcome is sent to the task once, however often `follow` is called. */
  const follow = (open: OpenCall): RunningCall => {
    const { id, inSession } = open.effect
    const call = calls.find(id) ?? calls.add(id, startCall(given, open))
    if (view.state.at === 'working.calling') call.remind?.()
    call.hear?.(open.effect.asks)
    if (awaited.has(id)) return call
    awaited.add(id)
    void call.outcome.then(outcome => {
      if (outcome === undefined) return
      if (outcome.status === 'unknown' && inSession) return leaveUnknown(id)
      return complete(given, open, outcome, call)
    })
    return call
  }

  const waitsForHost = (id: string): boolean =>
    openCalls(view).some(({ kind, effect }) => kind === 'run' && effect.id === id)

  return {
    follow,
    intend(effectIds: string[]) {
      // A side effect of an agent's code stays here until a host gets the order to run it.
      for (const id of [...intended]) if (!waitsForHost(id)) intended.delete(id)
      for (const id of effectIds) {
        intended.add(id)
        unknown.delete(id)
      }
    },
    /** A host has the order to run this side effect. From now on the lease of that host says whether it runs. */
    handedOver: (effectId: string) => void intended.delete(effectId),
    isRunning: (effectId: string) => intended.has(effectId) || calls.find(effectId) !== undefined,
    hasBegun: (effectId: string) => calls.find(effectId) !== undefined,
    isUnknown: (effectId: string) => unknown.has(effectId),
    /** Stops every open call. A call of an earlier process ended with that process, unless it is a subagent's task. */
    stopAll: () =>
      openCalls(view).map(call => {
        const { id, child } = call.effect
        const runs = child === undefined ? calls.find(id) : follow(call)
        runs?.stop()
        // A host does not report whether a side effect of the code has stopped.
        const outcome = call.kind === 'run' ? new Promise<never>(() => {}) : runs?.outcome
        return { id, outcome, isChild: child !== undefined }
      }),
    /** Forgets calls that have their result, and stops the open calls of a task that has ended. */
    forgetEnded() {
      // A paused task does not follow its subagents. A cancel has stopped them before its end, as its receipts say.
      if (isTerminal(view.status) && !isCleared) {
        isCleared = true
        for (const call of openCalls(view)) {
          if (call.effect.child !== undefined && !view.stoppedEffects.has(call.effect.id)) follow(call)
        }
      }
      if (awaited.size === 0 && intended.size === 0) return
      const open = new Set(openCalls(view).map(({ effect }) => effect.id))
      const isOver = isTerminal(view.status)
      for (const id of new Set([...awaited, ...intended])) {
        if (open.has(id) && !isOver) continue
        if (open.has(id)) calls.find(id)?.stop()
        forget(id)
      }
    },
  }
}
export type CallRunner = ReturnType<typeof createCallRunner>
