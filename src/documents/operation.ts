// One operation of the HTTP interface, an entry in the table of operations.
import type { TSchema } from 'typebox'
import type { Access } from '../access/roles.ts'
import type { RefusalName } from '../contract/refusals.ts'

export const tags = {
  Tasks: 'Create, read and steer tasks.',
  OpenAI:
    'The protocols of OpenAI. Each agent is a model, and a task is behind each response (docs/openai.md).',
  'AG-UI': 'The protocol of front ends such as CopilotKit. A task is behind each run (docs/ag-ui.md).',
  A2A: 'The Agent2Agent protocol: JSON-RPC and HTTP+JSON, with a task behind each message (docs/a2a.md).',
  MCP: 'The Model Context Protocol. Agents and kinds of environments are tools, and a task is behind each call of an agent (docs/mcp-door.md).',
  Environments: 'Environments in which agents act. Each session has an instance of its own.',
  'Cron jobs': 'Run tasks at certain times.',
  Events: 'Live streams of tasks and events.',
  Webhooks: 'Events as signed HTTP requests to a URL.',
  History: 'Read the past: rollouts, replays, and the log itself.',
  Proof: 'Check the log without trusting the server: signed checkpoints, proofs and tiles.',
  Erasure: 'Destroy content without breaking a proof, and forbid that with legal holds.',
  Access: 'Manage tokens and tickets.',
  Service: 'Read the health, the metrics and the documents of the server.',
} as const

export type Parameter = {
  in: 'path' | 'query' | 'header'
  name: string
  schema: TSchema
  about: string
}

export type Answer = {
  status: 101 | 200 | 202 | 204 | 503
  about: string
  /** Absent: the answer has no body. */
  type?: string
  /** The schema of a JSON body. */
  schema?: TSchema
  /** The schema of each event or line, if the body is not one JSON value. */
  items?: TSchema
  examples?: Record<string, unknown>
  /** Headers in addition to those of every answer. */
  headers?: (keyof typeof headers)[]
}

/** Headers of answers by name. */
export const headers = {
  'X-Task-Id': 'The id of the task.',
  'X-Session-Id': 'The id of the task’s session.',
  'Content-Location': 'The path of the task.',
  'Idempotency-Replayed':
    '`true`: an earlier request has already done this, so this request changed nothing.',
  Link: 'The address of the next page (`rel="next"`) or of the page before (`rel="prev"`).',
} as const

export type Operation = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The path, with its parameters in braces. */
  path: string
  id: string
  tag: keyof typeof tags
  access: Access
  summary: string
  about: string
  parameters?: readonly Parameter[]
  /** `isOptional`: the request may omit the body. */
  body?: { schema: TSchema; isOptional?: true; examples: Record<string, { summary: string; value: unknown }> }
  answers: Answer[]
  /** Refusals in addition to those that any operation of its kind may have. */
  refusals?: RefusalName[]
  /** Present: the operation answers errors in an envelope. */
  envelope?: true
  /** Present: the operation answers errors in the form of this protocol. */
  errors?: ErrorFormName
}

/** Other protocols that have a form of their own for errors. */
export type ErrorFormName = 'openai' | 'a2a-http' | 'a2a-rpc' | 'mcp'

/** Operations by id. The type of the table keeps the paths and the body schemas, from which routes get their types. */
export const defineOperations = <const Table extends Record<string, Omit<Operation, 'id'>>>(
  table: Table,
): Table => table

/** Why a message that makes or answers a task may be refused, whatever its protocol. */
export const refusalsOfMessages: readonly RefusalName[] = [
  'InputMissing',
  'AlreadyAnswered',
  'WrongState',
  'TaskNotFound',
  'Conflict',
  'OverQuota',
]

export const json = 'application/json'
export const a2aJson = 'application/a2a+json'
export const ndjson = 'application/x-ndjson'
export const eventStream = 'text/event-stream'
