// The events of AG-UI that this server sends.
import Type, { type Static } from 'typebox'
import { OpenObject, optional } from '../wire/schema.ts'

const text = Type.String()
const inMessage = { messageId: text }
const ofCall = { toolCallId: text }
const ofRun = { threadId: text, runId: text }
const count = optional(Type.Integer({ minimum: 0 }))

export const AgUiInterrupt = Type.Object({
  id: text,
  reason: text,
  toolCallId: text,
  message: optional(text),
  responseSchema: optional(OpenObject),
  expiresAt: optional(text),
  /** `asked_by`: the tool server that asks, and not the agent. */
  metadata: optional(Type.Object({ asked_by: text })),
})
export type AgUiInterrupt = Static<typeof AgUiInterrupt>

const Outcome = Type.Union([
  Type.Object({ type: Type.Literal('success'), pendingToolCallIds: optional(Type.Array(text)) }),
  Type.Object({ type: Type.Literal('interrupt'), interrupts: Type.Array(AgUiInterrupt) }),
  Type.Object({ type: Type.Literal('cancelled') }),
])
const Tokens = Type.Object({
  inputTokens: count,
  outputTokens: count,
  totalTokens: count,
  reasoningTokens: count,
  cachedInputTokens: count,
})
const usage = optional(Type.Array(Tokens))

const events = {
  RUN_STARTED: { ...ofRun, protocolVersion: text, parentRunId: optional(text) },
  RUN_FINISHED: { ...ofRun, outcome: Outcome, usage },
  RUN_ERROR: { message: text, code: text, usage },
  STEP_STARTED: { stepName: text },
  STEP_FINISHED: { stepName: text },
  STATE_SNAPSHOT: { snapshot: Type.Unknown() },
  TEXT_MESSAGE_START: { ...inMessage, role: Type.Literal('assistant'), name: optional(text) },
  TEXT_MESSAGE_CONTENT: { ...inMessage, delta: text },
  TEXT_MESSAGE_END: inMessage,
  REASONING_START: inMessage,
  REASONING_MESSAGE_START: { ...inMessage, role: Type.Literal('reasoning') },
  REASONING_MESSAGE_CONTENT: { ...inMessage, delta: text },
  REASONING_MESSAGE_END: inMessage,
  REASONING_END: inMessage,
  TOOL_CALL_START: { ...ofCall, toolCallName: text, parentMessageId: text },
  TOOL_CALL_ARGS: { ...ofCall, delta: text },
  TOOL_CALL_END: ofCall,
  TOOL_CALL_RESULT: { ...ofCall, ...inMessage, role: Type.Literal('tool'), content: text },
} as const
type Events = typeof events

/** An event, by its type. */
export type AgUiEvent = {
  [Name in keyof Events]: { type: Name } & Static<Type.TObject<Events[Name]>>
}[keyof Events]
export const AgUiEvent = Type.Union(
  Object.entries(events).map(([type, fields]) => Type.Object({ type: Type.Literal(type), ...fields })),
)
