// The calls of one task at work: starts what the state wants, hears of each outcome once, and stops what is not
// wanted any more. What runs is known to the process (running-calls.ts); here is only who waits for it.
import type { TaskCommand } from '../../src/contract/commands.ts'
import { taskStream } from '../../src/contract/task-stream.ts'
import type { ToolScope } from '../../src/contract/tools.ts'
import { isTerminal, type ToolCallItem } from '../../src/contract/wire.ts'
import { type OpenCall, openCalls } from '../../src/history/task/calls.ts'
import { itemOf } from '../../src/history/task/output.ts'
import type { DecidedTask } from '../../src/history/task-view.ts'
import { outcomeOf } from './child.ts'
import type { Children } from './children.ts'
import type { TaskDeps } from './deps.ts'
import { type RunningCall, runTool, watchChild } from './running-calls.ts'
import { createSayer } from './sayer.ts'

const lookAgainMs = 1000

type Deps = {
  view: DecidedTask
  parts: Pick<TaskDeps, 'world' | 'tools' | 'calls' | 'workspaceOf' | 'reach'>
  children: Children
  scope: (created: NonNullable<DecidedTask['created']>) => ToolScope
  tell: (command: TaskCommand) => Promise<void>
  /** Looks again at what the task wants, now that more is known of its calls. */
  lookAgain: () => void
  bySystem: () => { principal: string; causation: string }
}

export const createCallRunner = ({ view, parts, children, scope, tell, lookAgain, bySystem }: Deps) => {
  const { world, calls, reach } = parts
  /** Calls whose outcome is waited for here. */
  const awaited = new Set<string>()
  /** Calls whose intent was stored in the turn at hand: nothing else in this process knows them yet. */
  const intended = new Set<string>()
  /** Calls of which their session said that nobody knows how they ended. */
  const unknown = new Set<string>()

  const startCall = ({ effect, name, itemId }: OpenCall): RunningCall => {
    if (effect.child !== undefined) return startChild(effect.child)
    reach('after-intent', 'tool', name)
    const { arguments: text } = itemOf(view, itemId) as ToolCallItem
    const { created } = view
    if (created === undefined) throw new Error('a call of no task')
    const { id: effectId, at, attempt } = effect
    const given = { effectId, arguments: text, at, attempt, ...parts.workspaceOf(created) }
    let saidId: string | undefined
    const say = (text: string) => {
      saidId ??= world.ids.next('tr_')
      return tell({ type: 'SayEffect', effectId, itemId: saidId, heard: text, ...bySystem() })
    }
    const { emit, end, heard } = createSayer({ ...world, say })
    const call = runTool(signal =>
      parts.tools.run(scope(created), name, { ...given, emit, signal }).finally(end),
    )
    reach('during', 'tool', name)
    return { ...call, heard }
  }
  const startChild = (taskId: string): RunningCall => {
    const stream = taskStream(taskId)
    reach('after-intent', 'child')
    const ended = () => children.ended(stream).then(outcomeOf)
    const cancel = () => children.cancel(stream, bySystem().causation)
    const call = watchChild({ ended, cancel }, job => void world.timers.after(lookAgainMs, job))
    reach('during', 'child')
    return call
  }

  /** Runs what does not run yet, and hears of the outcome once. */
  const follow = (open: OpenCall): RunningCall => {
    const { id, child, inSession } = open.effect
    const call = calls.find(id) ?? calls.add(id, startCall(open))
    if (awaited.has(id)) return call
    awaited.add(id)
    const of = child === undefined ? 'tool' : 'child'
    void call.outcome.then(async outcome => {
      if (outcome === undefined) return
      const { status } = outcome
      if (status === 'unknown' && inSession) return leaveUnknown(id)
      reach('after-effect', of, open.name)
      const heard = call.heard?.() ?? ''
      await tell({
        type: 'CompleteEffect',
        effectId: id,
        itemId: world.ids.next('tr_'),
        outcome: { ...outcome, status: status === 'unknown' ? 'incomplete' : status },
        ...(heard === '' ? {} : { heard }),
        ...bySystem(),
      })
      reach('after-result', of, open.name)
    })
    return call
  }

  /** Nothing runs here for this call any more, until somebody says: once more. */
  const leaveUnknown = (id: string) => {
    calls.forget(id)
    awaited.delete(id)
    intended.delete(id)
    unknown.add(id)
    lookAgain()
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
    /** Tells every open call to stop; what ran in an earlier life has stopped with it, but for a task of its own. */
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
      const over = isTerminal(view.status)
      for (const id of new Set([...awaited, ...intended])) {
        if (open.has(id) && !over) continue
        if (open.has(id)) calls.find(id)?.stop()
        calls.forget(id)
        awaited.delete(id)
        intended.delete(id)
      }
    },
  }
}
