// Callers of the log. Each appends one event at a time to a stream of its own, at the revision that it expects, and
// begins a new stream after twenty events.
import { performance } from 'node:perf_hooks'
import type { StreamAppend } from '../../src/contract/stored.ts'
import type { EventLog } from '../../src/log/log.ts'
import { realWorld } from '../../src/platform/world.ts'

const eventsPerStream = 20
const { ids } = realWorld()
const filler = 'the quick brown fox jumps over the lazy dog '.repeat(4).slice(0, 170)

/** A payload of about 300 bytes. */
const payloadOf = (taskId: string, revision: number) => ({
  agent_step: revision + 1,
  item_id: `msg_${taskId.slice(5)}`,
  content_index: 0,
  item: 'message',
  part: 'output_text',
  first: true,
  delta: filler,
})

const appendOf = (taskId: string, sessionId: string, causation: string, revision: number): StreamAppend => ({
  stream: `task-${taskId}`,
  expectedRevision: revision - 1,
  principal: 'system',
  owner: 'user-17',
  session_id: sessionId,
  correlation_id: taskId,
  causation_id: causation,
  events: [
    {
      type: 'ItemDelta',
      schema_version: 1,
      data: payloadOf(taskId, revision),
      seq: 3 + revision,
      frames: 1,
    },
  ],
})

/** Appends `events` events from `callers` callers at once. Resolves to the events per second. */
export const callLog = async (log: EventLog, callers: number, events: number): Promise<number> => {
  let left = events
  const call = async () => {
    while (left > 0) {
      const taskId = ids.next('task_')
      const sessionId = ids.next('sess_')
      const causation = ids.next('req_')
      for (let revision = 0; revision < eventsPerStream && left > 0; revision++) {
        left--
        await log.append([appendOf(taskId, sessionId, causation, revision)])
      }
    }
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: callers }, call))
  return (events / (performance.now() - began)) * 1000
}
