// Follows the task of a subagent, or of a turn of a group chat. While that task waits, its caller waits, too.
import { taskStream } from '../../../src/contract/task-stream.ts'
import { isTerminal, type PendingCallItem } from '../../../src/contract/wire.ts'
import type { TaskDeps } from '../deps.ts'
import { bySystem, type Self } from '../self.ts'
import { type Children, waitsFor } from './subagents.ts'

type Given = Self & { deps: Pick<TaskDeps, 'world'>; children: Children }

/** Milliseconds until the task is looked at again after it could not be followed. */
const lookAgainMs = 1000

/** Begins to follow the task. Returns a function that tells the caller again for which calls the task waits. */
export const followWaits = (
  { view, tell, deps, children }: Given,
  effectId: string,
  taskId: string,
): (() => void) => {
  const stream = taskStream(taskId)
  // After a restart the caller may still wait for calls that have been answered.
  let known = view.pendingTask === taskId ? waitsFor(view) : ''
  let items: PendingCallItem[] = [...view.pendingCalls]
  const tellCaller = () =>
    tell({
      ...(known === ''
        ? { type: 'TurnGoesOn', effectId }
        : { type: 'TurnWaits', effectId, taskId, items: [...items] }),
      ...bySystem(view),
    })
  const look = (): void =>
    void children.changed(stream, known).then(
      async child => {
        if (isTerminal(child.status)) return
        known = waitsFor(child)
        items = [...child.pendingCalls]
        await tellCaller()
        look()
      },
      () => void deps.world.timers.after(lookAgainMs, look),
    )
  look()
  return () => {
    if (known !== '') void tellCaller()
  }
}
