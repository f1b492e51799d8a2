// The messages of hosts, as docs/agent-protocol.md describes them. Fields that are not named here are ignored.
import Type, { type Static } from 'typebox'
import { entryKinds } from './code-agent.ts'
import { MessageContent, OutputItem, TaskSupport, ToolDefinition } from './wire.ts'

export const agentProtocolVersion = 1
/** The greatest length of a message of a host, in bytes. */
export const longestMessage = 16 << 20
/** The greatest length of a message to a host, in bytes. */
export const longestToHost = 128 << 20
/** The greatest length of a hello, in bytes. */
export const longestHello = 1 << 20
/** A longer message to a host comes in parts of at most so many characters. */
export const partLength = 1 << 20
/** An agent of a user has a name of this form. */
export const agentName = /^[a-z][a-z0-9_-]{0,63}$/

const Text = Type.String()
const Name = Type.String({ minLength: 1, maxLength: 256 })
const Count = Type.Integer({ minimum: 0 })
const Place = Type.Integer({ minimum: 1 })
const Values = Type.Record(Text, Type.Unknown())
const { Optional } = Type

/** How many leases a host takes at once if its hello does not say it, and the most that it may ask for. */
export const usualSlots = 16
export const mostSlots = 10_000
/** The most open entries of one lease: entries that have no result yet. */
export const mostOpen = 1000
/** The most bytes of `say` and `think` of one lease that are not stored, and the most bytes of all that it has sent. */
export const mostUnsaid = 4 << 20
export const mostUnstored = 20 << 20
/** The greatest length of the context of a statechart, and of the rest of its state, in bytes of JSON. */
export const longestContext = 1 << 20

export const HostHello = Type.Object({
  protocol: Type.Literal(agentProtocolVersion),
  name: Optional(Type.String({ minLength: 1, maxLength: 128 })),
  slots: Optional(Type.Integer({ minimum: 1, maximum: mostSlots })),
  agents: Type.Array(
    Type.Object({
      name: Name,
      kind: Optional(Type.Enum(['function', 'machine'])),
      description: Optional(Type.String({ maxLength: 10_000 })),
      parameters: Optional(Values),
      version: Optional(Type.String({ minLength: 1, maxLength: 128 })),
      task_support: Optional(TaskSupport),
      machine: Optional(Type.Unknown()),
    }),
    { minItems: 1, maxItems: 1000 },
  ),
})
export type HostHello = Static<typeof HostHello>

const entry = { n: Place, digest: Type.String({ maxLength: 64 }) }
const timed = { ...entry, timeout_ms: Optional(Place) }
const ModelMessage = Type.Union([
  Type.Object({
    role: Type.Enum(['user', 'assistant', 'system', 'developer']),
    content: MessageContent,
  }),
  OutputItem,
])

/** The form of each move, by its `do`. A tool has `arguments` or `call_id`. */
export const moveSchemas = {
  say: Type.Object({ ...entry, text: Text }),
  think: Type.Object({ ...entry, text: Text }),
  tool: Type.Object({ ...timed, name: Name, arguments: Optional(Values), call_id: Optional(Name) }),
  model: Type.Object({
    ...timed,
    messages: Type.Array(ModelMessage),
    continues: Optional(Place),
    tools: Optional(Type.Array(Type.Union([Name, ToolDefinition]))),
    schema: Optional(Values),
    model: Optional(Name),
    silent: Optional(Type.Boolean()),
  }),
  agent: Type.Object({ ...timed, name: Name, input: MessageContent, config: Optional(Values) }),
  ask: Type.Object({ ...timed, name: Name, arguments: Values, schema: Optional(Values) }),
  env: Type.Object({ ...entry, name: Type.Enum(['reset', 'observe']), arguments: Values }),
  sleep: Type.Object({ ...entry, until: Type.Integer({ minimum: 0 }) }),
  message: Type.Object({ ...timed }),
  run: Type.Object({ ...timed, name: Name, safe: Optional(Type.Boolean()) }),
  ran: Type.Object({
    of: Place,
    value: Optional(Type.Unknown()),
    error: Optional(
      Type.Object({
        message: Text,
        name: Optional(Text),
        code: Optional(Type.Integer()),
        data: Optional(Type.Unknown()),
      }),
    ),
  }),
  drop: Type.Object({ of: Place }),
} as const
export type MoveKind = keyof typeof moveSchemas

const JournalEntry = { do: Type.Enum([...entryKinds]), name: Optional(Text), digest: Text }
const ofLease = { lease: Text }

/** The form of each message but the hello, by its `type`. */
export const hostMessages = {
  turn: Type.Object({
    ...ofLease,
    seen: Count,
    moves: Type.Array(Type.Object({ do: Text })),
    machine: Optional(
      Type.Object({ value: Type.Unknown(), context: Type.Unknown(), next_events: Type.Array(Text) }),
    ),
    outcome: Optional(
      Type.Object({
        answer: Optional(Type.Unknown()),
        error: Optional(Type.Object({ message: Text, name: Optional(Text), stack: Optional(Text) })),
        changed: Optional(
          Type.Object({
            n: Place,
            was: Type.Object(JournalEntry),
            is: Optional(Type.Object({ ...JournalEntry, arguments: Optional(Type.Unknown()) })),
          }),
        ),
      }),
    ),
  }),
  ask: Type.Object({ ...ofLease, id: Type.Union([Name, Type.Integer()]), what: Text }),
  release: Type.Object({ ...ofLease, reason: Optional(Text) }),
  pong: Type.Object({}),
  stopping: Type.Object({}),
  failed: Type.Object({ message: Text }),
} as const
export type HostMessages = { [T in keyof typeof hostMessages]: Static<(typeof hostMessages)[T]> }
