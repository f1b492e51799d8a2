// Starts a call: runs a tool in this process, or watches a subagent's task.

import type { Clock, Timers } from '../../../src/contract/ports.ts'
import { taskStream } from '../../../src/contract/task-stream.ts'
import type { ToolCallItem } from '../../../src/contract/wire.ts'
import type { OpenCall } from '../../../src/history/task/calls.ts'
import { itemOf } from '../../../src/history/task/output.ts'
import { startModel } from '../code/model-call.ts'
import type { TaskDeps } from '../deps.ts'
import { scopeOf } from '../scope.ts'
import { bySystem, type Self } from '../self.ts'
import { outcomeOf } from './child.ts'
import { askedBefore, createClientQuestions } from './client-questions.ts'
import { followWaits } from './follow-waits.ts'
import { type RunningCall, runTool, watchChild } from './running-calls.ts'
import type { Children } from './subagents.ts'

// Stores the output of a call while the call runs. The first text is stored at once. Text that comes soon after a write
// is collected for the next write.

/** The shortest time between two writes, in milliseconds. */
const flushMs = 50
/** At most this many characters of output are stored while the call runs. The result has the whole output. */
const maxStored = 32 << 10

type Deps = {
  clock: Clock
  timers: Timers
  /** Stores the output so far. */
  say: (heard: string) => Promise<unknown>
}

const createSayer = ({ clock, timers, say }: Deps) => {
  let heard = ''
  let stored = 0
  let isOver = false
  let wroteAt = Number.NEGATIVE_INFINITY
  let writing: Promise<unknown> | undefined
  let cancelTimer: (() => void) | undefined

  const write = () => {
    cancelTimer = undefined
    if (isOver || writing !== undefined || heard.length === stored) return
    wroteAt = clock.now()
    stored = heard.length
    writing = say(heard)
      .catch(() => {}) // the result holds this text too
      .finally(() => {
        writing = undefined
        writeSoon()
      })
  }
  const writeSoon = () => {
    if (isOver || heard.length === stored) return
    cancelTimer ??= timers.after(Math.max(0, wroteAt + flushMs - clock.now()), write)
  }

  return {
    emit(text: string) {
      if (isOver || heard.length >= maxStored) return
      heard = (heard + text).slice(0, maxStored)
      writeSoon()
    },
    /** Ends the writes. Output that was not stored is part of the result. */
    end() {
      isOver = true
      cancelTimer?.()
    },
    heard: () => heard,
  }
}

/** Milliseconds until a failed wait for a subagent's task, or a failed cancel of it, is tried again. */
const lookAgainMs = 1000

export type CallDeps = Self & {
  deps: TaskDeps
  children: Children
}

const startTool = ({ view, tell, ask, deps }: CallDeps, { effect, name, itemId }: OpenCall): RunningCall => {
  const { world, tools, workspaceOf, reach } = deps
  reach('after-intent', 'tool', name)
  const { arguments: text } = itemOf(view, itemId) as ToolCallItem
  const { created } = view
  if (created === undefined) throw new Error('the task of this call has no TaskCreated event')
  const { id: effectId, at, attempt, promise, asks } = effect
  const promised = async (name: string | undefined): Promise<void> =>
    void (await ask({ type: 'PromiseEffect', effectId, promise: name, ...bySystem(view) }))
  const { asking, hear } = createClientQuestions({
    before: asks,
    ids: world.ids,
    send: asked => ask({ type: 'AskClient', effectId, ...asked, ...bySystem(view) }),
  })
  const asked = askedBefore(asks)
  const given = { effectId, arguments: text, at, attempt, promise, promised, asked, ...workspaceOf(created) }
  let saidId: string | undefined
  const say = (text: string) => {
    saidId ??= world.ids.next('tr_')
    return tell({ type: 'SayEffect', effectId, itemId: saidId, heard: text, ...bySystem(view) })
  }
  const { emit, end, heard } = createSayer({ say, ...world })
  const call = runTool(signal =>
    tools.run(scopeOf(deps, created), name, { emit, signal, ask: asking(signal), ...given }).finally(end),
  )
  reach('during', 'tool', name)
  return { ...call, heard, hear }
}

const startChild = (given: CallDeps, effectId: string, taskId: string): RunningCall => {
  const { view, deps, children } = given
  const { world, reach } = deps
  const stream = taskStream(taskId)
  reach('after-intent', 'child')
  const { causation } = bySystem(view)
  const ended = () =>
    children
      .wake(stream, causation)
      .then(() => children.ended(stream))
      .then(outcomeOf)
  const cancel = () => children.cancel(stream, bySystem(view).causation)
  const call = watchChild({ ended, cancel }, job => void world.timers.after(lookAgainMs, job))
  reach('during', 'child')
  // The code of an agent runs beside its calls, so its task does not wait with a subagent.
  return view.agentVersion === undefined ? { ...call, remind: followWaits(given, effectId, taskId) } : call
}

export const startCall = (deps: CallDeps, call: OpenCall): RunningCall => {
  const { effect, kind } = call
  if (kind === 'model') return startModel(deps, call)
  if (kind === 'env' && call.itemId === '') return startEnvironment(deps, call)
  return effect.child === undefined ? startTool(deps, call) : startChild(deps, effect.id, effect.child)
}

/** Resets or observes the environment session of the task, for the code of its agent. */
const startEnvironment = ({ view, deps }: CallDeps, { effect, callId }: OpenCall): RunningCall => {
  const entry = view.entries[(view.entryOf.get(callId) ?? 0) - 1]
  const { created } = view
  return runTool(async () => {
    if (created === undefined) throw new Error('the task of this call has no TaskCreated event')
    const of = entry?.name === 'reset' ? 'reset' : 'observe'
    const answer = await deps.operate(created, { of, args: { ...entry?.ask }, effectId: effect.id })
    return { content: JSON.stringify(answer) }
  })
}
