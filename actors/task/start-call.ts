// Starts a call: runs a tool in this process, or watches a subagent's task.
import { taskStream } from '../../src/contract/task-stream.ts'
import type { ToolCallItem } from '../../src/contract/wire.ts'
import type { OpenCall } from '../../src/history/task/calls.ts'
import { itemOf } from '../../src/history/task/output.ts'
import { outcomeOf } from './child.ts'
import type { Children } from './children.ts'
import type { TaskDeps } from './deps.ts'
import { followWaits } from './follow-waits.ts'
import { isGroupChat } from './group-chat.ts'
import { type RunningCall, runTool, watchChild } from './running-calls.ts'
import { createSayer } from './sayer.ts'
import { scopeOf } from './scope.ts'
import { bySystem, type Self } from './self.ts'

/** Milliseconds until a failed wait for a subagent's task, or a failed cancel of it, is tried again. */
const lookAgainMs = 1000

export type CallDeps = Self & {
  deps: Pick<TaskDeps, 'world' | 'tools' | 'calls' | 'workspaceOf' | 'reach' | 'secrets'>
  children: Children
}

const startTool = ({ view, tell, deps }: CallDeps, { effect, name, itemId }: OpenCall): RunningCall => {
  const { world, tools, workspaceOf, reach } = deps
  reach('after-intent', 'tool', name)
  const { arguments: text } = itemOf(view, itemId) as ToolCallItem
  const { created } = view
  if (created === undefined) throw new Error('the task of this call has no TaskCreated event')
  const { id: effectId, at, attempt } = effect
  const given = { effectId, arguments: text, at, attempt, ...workspaceOf(created) }
  let saidId: string | undefined
  const say = (text: string) => {
    saidId ??= world.ids.next('tr_')
    return tell({ type: 'SayEffect', effectId, itemId: saidId, heard: text, ...bySystem(view) })
  }
  const { emit, end, heard } = createSayer({ say, ...world })
  const call = runTool(signal =>
    tools.run(scopeOf(deps, created), name, { emit, signal, ...given }).finally(end),
  )
  reach('during', 'tool', name)
  return { ...call, heard }
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
  return isGroupChat(view) ? { ...call, remind: followWaits(given, effectId, taskId) } : call
}

export const startCall = (deps: CallDeps, call: OpenCall): RunningCall =>
  call.effect.child === undefined
    ? startTool(deps, call)
    : startChild(deps, call.effect.id, call.effect.child)
