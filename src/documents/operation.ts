// One operation of the HTTP interface, as the table of operations names it.
import type { TSchema } from 'typebox'
import type { Access } from '../access/roles.ts'
import type { RefusalName } from '../contract/refusals.ts'

export const tags = {
  Tasks: 'Create, read and steer tasks.',
  Environments: 'Worlds to act in: one instance for each session.',
  Events: 'What happens, as it happens.',
  History: 'What happened: rollouts, replays, the log itself.',
  Access: 'Tokens and tickets.',
  Service: 'The health of the server, its documents.',
} as const

export type Parameter = {
  in: 'path' | 'query' | 'header'
  name: string
  schema: TSchema
  about: string
}

export type Answer = {
  status: 101 | 200 | 204 | 426 | 503
  about: string
  /** Absent: no body. */
  type?: string
  /** Of a JSON body. */
  schema?: TSchema
  /** Of each event or line of a body that is not one JSON value. */
  items?: TSchema
  examples?: Record<string, unknown>
  /** Headers besides those of every answer. */
  headers?: (keyof typeof headers)[]
}

/** Headers of answers, by name. */
export const headers = {
  'X-Task-Id': 'The id of the task.',
  'Content-Location': 'Where the task is.',
  'Idempotency-Replayed': '`true`: an earlier request made this already; nothing was done twice.',
  Link: 'The next page (`rel="next"`), or the one before (`rel="prev"`).',
} as const

export type Operation = {
  method: 'GET' | 'POST' | 'DELETE'
  /** With parameters in braces. */
  path: string
  id: string
  tag: keyof typeof tags
  access: Access
  summary: string
  about: string
  parameters?: Parameter[]
  /** `isOptional`: it may be left out. */
  body?: { schema: TSchema; isOptional?: true; examples: Record<string, { summary: string; value: unknown }> }
  answers: Answer[]
  /** Reasons for no, besides those that any operation of its kind may have. */
  refusals?: RefusalName[]
  /** Errors come in an envelope. */
  envelope?: true
}

/** Operations by their ids. The types of a table keep its paths and the schemas of its bodies, from which routes have theirs. */
export const defineOperations = <const Table extends Record<string, Omit<Operation, 'id'>>>(
  table: Table,
): Table => table

export const json = 'application/json'
export const ndjson = 'application/x-ndjson'
export const eventStream = 'text/event-stream'
