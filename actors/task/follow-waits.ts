// Follows the task of a group chat's turn. While that task waits for its client, the chat waits, too.
import { taskStream } from '../../src/contract/task-stream.ts'
import { isTerminal, type ToolCallItem } from '../../src/contract/wire.ts'
import { type Children, waitsFor } from './children.ts'
import type { TaskDeps } from './deps.ts'
import { bySystem, type Self } from './self.ts'

type Given = Self & { deps: Pick<TaskDeps, 'world'>; children: Children }

/** Milliseconds until the task is looked at again after it could not be followed. */
const lookAgainMs = 1000

/** Begins to follow the task. Returns a function that tells the chat again for which calls the task waits. */
export const followWaits = (
  { view, tell, deps, children }: Given,
  effectId: string,
  taskId: string,
): (() => void) => {
  const stream = taskStream(taskId)
  let known = ''
  let items: ToolCallItem[] = []
  const tellChat = () =>
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
        await tellChat()
        look()
      },
      () => void deps.world.timers.after(lookAgainMs, look),
    )
  look()
  return () => {
    if (known !== '') void tellChat()
  }
}
