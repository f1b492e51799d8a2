// The calls of one task at work: starts what the state wants, sends each outcome to the task once, and stops what is not
// wanted any more. The process knows which calls run (running-calls.ts); this file knows who waits for them.
import type { CallOutcome } from '../../src/contract/commands.ts'
import { isTerminal } from '../../src/contract/wire.ts'
import { type OpenCall, openCalls } from '../../src/history/task/calls.ts'
import type { RunningCall, UnknownOutcome } from './running-calls.ts'
import { bySystem } from './self.ts'
import { type CallDeps, startCall } from './start-call.ts'

/** Sends the outcome of a call to its task. */
const complete = async (
  { view, tell, deps }: CallDeps,
  { effect, name }: OpenCall,
  outcome: CallOutcome | UnknownOutcome,
  heard: string,
): Promise<void> => {
  const { world, reach } = deps
  const of = effect.child === undefined ? 'tool' : 'child'
  const { status } = outcome
  reach('after-effect', of, name)
  await tell({
    type: 'CompleteEffect',
    effectId: effect.id,
    itemId: world.ids.next('tr_'),
    outcome: { ...outcome, status: status === 'unknown' ? 'incomplete' : status },
    ...(heard === '' ? {} : { heard }),
    ...bySystem(view),
  })
  reach('after-result', of, name)
}

/** `lookAgain`: compares again what the task wants with what runs, now that more is known of its calls. */
export const createCallRunner = (given: CallDeps, lookAgain: () => void) => {
  const { view } = given
  const { calls } = given.deps
  /** Calls whose outcome is waited for here. */
  const awaited = new Set<string>()
  /** Calls whose intent was stored in the turn at hand: nothing else in this process knows them yet. */
  const intended = new Set<string>()
  /** Calls of which their session said that nobody knows how they ended. */
  const unknown = new Set<string>()

  const forget = (id: string) => {
    calls.forget(id)
    awaited.delete(id)
    intended.delete(id)
  }

  /** Nothing runs here for this call any more, until somebody says: once more. */
  const leaveUnknown = (id: string) => {
    forget(id)
    unknown.add(id)
    lookAgain()
  }

  /** Starts a call that does not run yet, and waits for its outcome once. */
  const follow = (open: OpenCall): RunningCall => {
    const { id, inSession } = open.effect
    const call = calls.find(id) ?? calls.add(id, startCall(given, open))
    if (awaited.has(id)) return call
    awaited.add(id)
    void call.outcome.then(outcome => {
      if (outcome === undefined) return
      if (outcome.status === 'unknown' && inSession) return leaveUnknown(id)
      return complete(given, open, outcome, call.heard?.() ?? '')
    })
    return call
  }

  return {
    follow,
    intend(effectIds: string[]) {
      intended.clear()
      for (const id of effectIds) {
        intended.add(id)
        unknown.delete(id)
      }
    },
    isRunning: (effectId: string) => intended.has(effectId) || calls.find(effectId) !== undefined,
    isUnknown: (effectId: string) => unknown.has(effectId),
    /** Stops every open call; what ran in an earlier life has stopped with it, but for a task of its own. */
    stopAll: () =>
      openCalls(view).map(call => {
        const { id, child } = call.effect
        const runs = child === undefined ? calls.find(id) : follow(call)
        runs?.stop()
        return { id, outcome: runs?.outcome, isChild: child !== undefined }
      }),
    /** What has its result is let go, and what a task that has ended wants no more is stopped. */
    forgetEnded() {
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
