// What recordings must hold an example of, taken from the contract's own lists: whatever is added there is missed here
// until somebody records it.

import type { Lifecycle } from '../../src/contract/charts/task-chart.ts'
import { isMove, statusAfter } from '../../src/contract/charts/task-state.ts'
import { sessionEvents } from '../../src/contract/decoders/env-session.ts'
import { taskEvents } from '../../src/contract/decoders/task.ts'
import { cronEventSchemas } from '../../src/contract/events/cron-events.ts'
import { envSessionEventSchemas, envSessionStream } from '../../src/contract/events/env-session-events.ts'
import { type TaskEventType, taskEventSchemas } from '../../src/contract/events/task-events.ts'
import type { TokenCreated, TokenRevoked } from '../../src/contract/events/token-events.ts'
import type { ToolsListed } from '../../src/contract/events/tool-list-events.ts'
import type { Recorded } from '../../src/contract/stored.ts'
import { AgentConfig, CreateTaskBody, taskStatuses } from '../../src/contract/wire.ts'
import { emptySession, evolveSession } from '../../src/history/env-session.ts'
import { emptyTask, evolve } from '../../src/history/task-view.ts'

type Fields<Data> = { [Name in keyof Required<Data>]: true }

// The compiler holds these fields equal to the contract's types, of which there are no schemas.
const otherEvents: {
  TokenCreated: Fields<TokenCreated>
  TokenRevoked: Fields<TokenRevoked>
  ToolsListed: Fields<ToolsListed>
} = {
  TokenCreated: { token_id: true, hash: true, role: true, name: true, user_id: true, expires_at: true },
  TokenRevoked: { token_id: true },
  ToolsListed: { tools: true },
}

/** A create and its first move are one append, so nothing can come between them. */
const impossible = new Set(['from created: TaskCanceled', 'from created: TaskExpired'])

const lifecycle: readonly Lifecycle[] = ['absent', ...taskStatuses]
const isLegal = (status: Lifecycle, type: TaskEventType): boolean => {
  try {
    return isMove(type) && statusAfter(status, type) !== undefined
  } catch {
    return false
  }
}
const taskTypes = Object.keys(taskEventSchemas) as TaskEventType[]
const fieldsOf = (schema: object): string[] =>
  Object.keys((schema as { properties: Record<string, unknown> }).properties)

const closeReasons = [
  'closed',
  'inactive',
  'deleted',
  'secret_missing',
  'the server was restarted',
  'the environment ended by itself',
]

/** One line for each thing that must have been recorded. */
export const wanted = (): string[] => {
  const withFields = (type: string, fields: string[]) => [type, ...fields.map(field => `${type}.${field}`)]
  const moves = lifecycle.flatMap(status =>
    taskTypes.filter(type => isLegal(status, type)).map(type => `from ${status}: ${type}`),
  )
  return [
    ...Object.entries({ ...taskEventSchemas, ...envSessionEventSchemas, ...cronEventSchemas }).flatMap(
      ([type, schema]) => withFields(type, fieldsOf(schema)),
    ),
    ...Object.entries(otherEvents).flatMap(([type, fields]) => withFields(type, Object.keys(fields))),
    ...fieldsOf(CreateTaskBody).map(field => `request.${field}`),
    ...fieldsOf(AgentConfig).map(field => `agent_config.${field}`),
    ...moves.filter(move => !impossible.has(move)),
    ...taskStatuses.map(status => `a task that was ${status}`),
    ...taskStatuses.filter(status => status !== 'created').map(status => `a task that is still ${status}`),
    'a task that was deleted',
    'an active task with a child',
    ...closeReasons.map(reason => `a session that was closed: ${reason}`),
    ...['refold', 'snapshot', 'none'].flatMap(recovery =>
      ['active', 'done', 'closed', 'deleted'].map(state => `a session of ${recovery} that was ${state}`),
    ),
  ]
}

const ofTask = (events: Recorded[], found: Set<string>): void => {
  const view = emptyTask()
  for (const event of events.map(taskEvents.read)) {
    const { type } = event
    if (isMove(type)) found.add(`from ${view.status}: ${type}`)
    evolve(view, event)
    found.add(`a task that was ${view.status}`)
    if (view.deleted) found.add('a task that was deleted')
    const isDelegating = [...view.calls.values()].some(
      call => call.effect?.child !== undefined && !call.ended,
    )
    if (isDelegating && view.status === 'working') found.add('an active task with a child')
  }
  found.add(`a task that is still ${view.status}`)
  const { request } = view.created ?? {}
  for (const field of Object.keys(request ?? {})) found.add(`request.${field}`)
  for (const field of Object.keys(request?.agent_config ?? {})) found.add(`agent_config.${field}`)
}

const ofSession = (events: Recorded[], found: Set<string>): void => {
  const view = emptySession()
  for (const event of events) {
    const { state, created, done, closeReason } = evolveSession(view, sessionEvents.read(event))
    for (const reason of closeReasons) {
      if (closeReason?.startsWith(reason)) found.add(`a session that was closed: ${reason}`)
    }
    found.add(`a session of ${created?.recovery} that was ${state}`)
    if (done && state === 'active') found.add(`a session of ${created?.recovery} that was done`)
  }
}

/** The same lines for what these events hold. */
export const foundIn = (events: Recorded[]): Set<string> => {
  const found = new Set<string>()
  const streams = new Map<string, Recorded[]>()
  for (const event of events) {
    const { stream, type } = event.header
    streams.set(stream, [...(streams.get(stream) ?? []), event])
    found.add(type)
    for (const field of Object.keys(event.data as object)) found.add(`${type}.${field}`)
  }
  for (const [stream, own] of streams) {
    if (stream.startsWith('task-')) ofTask(own, found)
    if (stream.startsWith(envSessionStream(''))) ofSession(own, found)
  }
  return found
}
