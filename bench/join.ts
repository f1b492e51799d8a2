import path from 'node:path'
import { createReadModels } from '../projections/read-models.ts'
import { openReadStore } from '../projections/store.ts'
import { createFoldReader } from '../projections/tasks/saved-folds.ts'
import { type TaskEvent, taskEventVersion } from '../src/contract/events/task-events.ts'
import type { NewEvent } from '../src/contract/stored.ts'
import { taskStream } from '../src/contract/task-stream.ts'
import { frameCount } from '../src/history/frames.ts'
import type { EventLog } from '../src/log/log.ts'
import { realWorld } from '../src/platform/world.ts'
import { createTaskStreams } from '../src/tasks/streams.ts'
import { newFolder } from './support/folder.ts'
import { openFileLog } from './support/open-log.ts'
import { interleave, printRatio } from './support/rounds.ts'

export const about =
  'the first frame for a client that joins a task of 100,000 frames at its end, against a task of 100 frames'

const joins = 50

/** The events of a task that works and has `frames` frames already, with one message in each step. */
function* factsOf(task_id: string, frames: number): Generator<TaskEvent> {
  const [agent_id, input, workdir] = ['agent', 'msg_input', '/']
  const request = { user_message_content: 'hello', stream: false }
  const names = { task_id, session_id: task_id, user_id: 'u', agent: 'echo', agent_id, workdir }
  yield {
    type: 'TaskCreated',
    data: { ...names, request_id: 'r', request, input_ids: [input], digest: '' },
  }
  const context = [{ stream: taskStream(task_id), items: [input] }]
  yield { type: 'TaskStarted', data: { from: 'created', context } }
  for (let agent_step = 1, told = 2; told < frames; agent_step++, told += 6) {
    const step = { agent_step, effect_id: `${task_id}/${agent_step}` }
    yield { type: 'AgentStepStarted', data: step }
    const texts = [`step ${agent_step} says what a step says, which is not much`]
    const item = { item_id: `msg_${agent_step}`, item: 'message', part: 'output_text', texts } as const
    yield { type: 'ItemSaid', data: { agent_step, ...item } }
    yield { type: 'AgentStepCompleted', data: step }
  }
}

/** Writes a task into the log. Resolves to the number of its last frame. */
const writeTask = async (log: EventLog, id: string, frames: number): Promise<number> => {
  const stream = taskStream(id)
  let seq = 0
  let revision = -1
  let events: NewEvent[] = []
  const write = async () => {
    const who = { principal: 'bench', owner: 'u', session_id: id, correlation_id: id, causation_id: 'bench' }
    await log.append([{ stream, expectedRevision: revision, ...who, events }])
    revision += events.length
    events = []
  }
  for (const fact of factsOf(id, frames)) {
    const count = frameCount(fact)
    const { type, data } = fact
    events.push({ type, schema_version: taskEventVersion, data, seq, frames: count })
    seq += count
    if (events.length === 2000) await write()
  }
  await write()
  return seq - 1
}

export const run = async (): Promise<void> => {
  const folder = newFolder('join')
  const log = openFileLog(folder)
  const last = { long: await writeTask(log, 'long', 100_000), short: await writeTask(log, 'short', 100) }
  const store = openReadStore(path.join(folder, 'read.db'))
  const projector = createReadModels(store, log, realWorld().timers, (_level, message) =>
    console.error(message),
  )
  await projector.catchUp()
  const streams = createTaskStreams(log, createFoldReader(store, projector.reading))
  /** Joins a task. Resolves to the milliseconds until its last frame has come. */
  const join = (id: 'long' | 'short') => async () => {
    const began = performance.now()
    for (let n = 0; n < joins; n++) {
      const feed = streams.open({ stream: taskStream(id), after: last[id] - 1, endsAtWait: false })
      for await (const _ of feed.frames()) feed.close()
    }
    return (performance.now() - began) / joins
  }
  const rounds = await interleave({ short: join('short'), long: join('long') })
  printRatio('joining at the end of 100,000 frames', rounds.long, rounds.short, {
    unit: 'ms',
    target: { atMost: 2, aim: 1.2 },
  })
  await store.close()
  await log.close()
}
