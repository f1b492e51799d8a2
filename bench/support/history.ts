// Fills a log as years of use would: with completed tasks of seven events each, like those of an echo task, and with
// some unfinished tasks. The events are written through the log itself, many tasks in one append.

import { type TaskEvent, taskEventVersion } from '../../src/contract/events/task-events.ts'
import type { NewEvent, StreamAppend } from '../../src/contract/stored.ts'
import { taskStream } from '../../src/contract/task-stream.ts'
import { frameCount } from '../../src/history/frames.ts'
import type { EventLog } from '../../src/log/log.ts'
import { realWorld } from '../../src/platform/world.ts'

export const factsPerTask = 7

export type HistorySize = {
  events: number
  /** The number of unfinished tasks: half of them are paused, half of them work (their script sleeps for an hour). */
  unfinished?: number
  users?: number
}

const { ids } = realWorld()
const tasksPerAppend = 400
const hour = 3_600_000

type Ending = 'completed' | 'paused' | 'working'

const endingOf = (n: number, unfinished: number): Ending => {
  if (n >= unfinished) return 'completed'
  return n % 2 === 0 ? 'paused' : 'working'
}

/** The events of one task, in order. */
const factsOf = (
  taskId: string,
  n: number,
  userId: string,
  sessionId: string,
  ending: Ending,
): TaskEvent[] => {
  const agent_id = ids.next('agent_')
  const input = ids.next('msg_')
  const workdir = `/var/lib/reprise/data/workspace/${userId}/${sessionId}`
  const text = `Message ${n}: ${'the quick brown fox jumps over the lazy dog '.repeat(2)}`
  const step = { agent_step: 1, effect_id: `${taskId}/1` }
  const works = ending === 'working'
  const created: TaskEvent = {
    type: 'TaskCreated',
    data: {
      task_id: taskId,
      session_id: sessionId,
      user_id: userId,
      agent: works ? 'script' : 'echo',
      agent_id,
      workdir,
      request_id: ids.next('req_'),
      request: {
        user_message_content: text,
        client_id: works ? 'script' : 'echo',
        user_id: userId,
        stream: false,
        ...(works ? { agent_config: { script: [{ sleep_ms: hour }] } } : {}),
      },
      input_ids: [input],
      digest: `${n}`.padStart(43, 'd'),
      expires_at: Date.now() + hour,
    },
  }
  const started: TaskEvent[] = [
    created,
    { type: 'AgentSpawned', data: { agent_id, workdir } },
    {
      type: 'TaskStarted',
      data: {
        from: 'created',
        context: [{ stream: taskStream(taskId), items: [input] }],
        ttl_seconds: 3600,
      },
    },
  ]
  if (works) return started
  const said: TaskEvent[] = [
    {
      type: 'ItemSaid',
      data: { agent_step: 1, item_id: ids.next('msg_'), item: 'message', part: 'output_text', texts: [text] },
    },
    { type: 'AgentStepCompleted', data: step },
  ]
  if (ending === 'paused') {
    const data = { from: 'working', reason: 'pause_requested', expires_at: Date.now() + 168 * hour } as const
    return [...started, ...said, { type: 'TaskPaused', data }]
  }
  return [
    ...started,
    ...said,
    { type: 'AgentCompleted', data: { agent_id, success: true } },
    { type: 'TaskCompleted', data: { from: 'working' } },
  ]
}

/** The events with the numbers of their frames, as an actor numbers them. */
const numbered = (facts: TaskEvent[]): NewEvent[] => {
  let seq = 0
  return facts.map(fact => {
    const { type, data } = fact
    const frames = frameCount(fact)
    const event = { type, schema_version: taskEventVersion, data, seq, frames }
    seq += frames
    return event
  })
}

const taskAppend = (n: number, userId: string, ending: Ending): StreamAppend => {
  const taskId = ids.next('task_')
  const sessionId = ids.next('sess_')
  return {
    stream: taskStream(taskId),
    expectedRevision: -1,
    principal: 'admin',
    owner: userId,
    session_id: sessionId,
    correlation_id: taskId,
    causation_id: ids.next('req_'),
    events: numbered(factsOf(taskId, n, userId, sessionId, ending)),
  }
}

/** Adds at least `events` events to a log. Each task is one stream and one append; a commit holds hundreds of them. */
export const writeHistory = async (
  log: EventLog,
  { events, unfinished = 0, users = 100 }: HistorySize,
): Promise<void> => {
  let left = events
  // Two appends are under way: while one is written, the next one is made.
  let before: Promise<unknown> = Promise.resolve()
  for (let n = 0; left > 0; ) {
    const appends: StreamAppend[] = []
    for (; appends.length < tasksPerAppend && left > 0; n++) {
      const append = taskAppend(n, `user-${n % users}`, endingOf(n, unfinished))
      left -= append.events.length
      appends.push(append)
    }
    const written = log.append(appends)
    await before
    before = written
  }
  await before
}
