// Writes the idempotency keys of requests that create a task or answer one.
import type { RecordedTaskEvent } from '../../src/contract/decoders/task.ts'
import { taskIdOf } from '../../src/contract/task-stream.ts'
import type { ReadStore } from '../store.ts'
import { aboutKey, type Topic } from './topics.ts'

/** `noteTopic` is called with the topic of each key that is not written yet. */
export const createKeyWriter = (store: ReadStore, noteTopic: (topic: Topic) => void) => {
  const put = store.prepare(
    'INSERT OR REPLACE INTO idempotency_keys (principal, key, task_id, digest, time) VALUES (?, ?, ?, ?, ?)',
  )
  let due: [principal: string, key: string, taskId: string, digest: string, time: number][] = []
  return {
    follow(event: RecordedTaskEvent): void {
      if (event.type !== 'TaskCreated' && event.type !== 'InputAccepted') return
      const { idempotency_key: key, digest = '' } = event.data
      if (key === undefined) return
      const { stream, principal, time } = event.header
      due.push([principal, key, taskIdOf(stream), digest, Date.parse(time)])
      noteTopic(aboutKey(principal, key))
    },
    write(): void {
      for (const key of due) put.run(...key)
      due = []
    },
    forget(): void {
      due = []
    },
  }
}
