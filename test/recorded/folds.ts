// What the folds of the product make of stored rows, without a server: every frame, the task and the session after each
// of their events, and each public event as NATS carries it.

import { headersOf, subjectOf } from '../../src/bus/nats/nats-subject.ts'
import { bodyOf, publishedOf } from '../../src/bus/published.ts'
import { sessionEvents } from '../../src/contract/decoders/env-session.ts'
import { taskEvents } from '../../src/contract/decoders/task.ts'
import { envSessionStream } from '../../src/contract/events/env-session-events.ts'
import type { Recorded } from '../../src/contract/stored.ts'
import { emptySession, evolveSession, sessionOf, stepAnswerOf } from '../../src/history/env-session.ts'
import { renderFrames } from '../../src/history/frames.ts'
import { taskOf } from '../../src/history/task-object.ts'
import { emptyTask } from '../../src/history/task-view.ts'
import { decode } from '../../src/log/decode.ts'
import { type Fold, kept, type StoredRow } from './files.ts'

const lines = (values: readonly unknown[]): string => values.map(value => JSON.stringify(value)).join('\n')

const taskFolds = (stream: string, events: Recorded[]): Fold[] => {
  const view = emptyTask()
  const frames: unknown[] = []
  const tasks: unknown[] = []
  for (const event of events.map(taskEvents.read)) {
    frames.push(...renderFrames(view, event))
    tasks.push([view.status, view.deleted, taskOf(view)])
  }
  return [
    { stream, kind: 'frames', ...kept(lines(frames), true) },
    { stream, kind: 'task after each event', ...kept(lines(tasks), true) },
    { stream, kind: 'task', ...kept(JSON.stringify(taskOf(view))) },
  ]
}

const sessionFolds = (stream: string, events: Recorded[]): Fold[] => {
  const view = emptySession()
  const seen: unknown[] = []
  for (const event of events.map(sessionEvents.read)) {
    const { created, newest, tools, state, step, done, seed, open, observation, observed } = evolveSession(
      view,
      event,
    )
    const answer = created && newest && stepAnswerOf(created, newest, tools)
    seen.push([state, sessionOf(view), { step, done, seed, open, observation, observed, answer }])
  }
  return [
    { stream, kind: 'session after each event', ...kept(lines(seen), true) },
    { stream, kind: 'session', ...kept(JSON.stringify(sessionOf(view))) },
  ]
}

const foldsOfStream = ([stream, events]: [string, Recorded[]]): Fold[] => {
  if (stream.startsWith('task-')) return taskFolds(stream, events)
  return stream.startsWith(envSessionStream('')) ? sessionFolds(stream, events) : []
}

/** The messages of NATS for the whole log; the log's own id, which `ce-source` holds, is not a recorded one. */
const natsFold = (events: Recorded[]): Fold => {
  let prev = 0
  const messages = publishedOf(events).map(told => {
    const message = [subjectOf(told), headersOf(told, prev, 'log_recorded'), bodyOf(told)]
    prev = told.position
    return message
  })
  return { stream: '', kind: 'messages of NATS', ...kept(lines(messages)) }
}

export const foldsOf = (rows: StoredRow[]): Fold[] => {
  const events = rows.map(row => decode(row))
  const streams = new Map<string, Recorded[]>()
  for (const event of events) {
    const { stream } = event.header
    streams.set(stream, [...(streams.get(stream) ?? []), event])
  }
  return [...[...streams].flatMap(foldsOfStream), natsFold(events)]
}
