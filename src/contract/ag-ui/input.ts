// The body with which an AG-UI client runs an agent. The forms are those of AG-UI: only the fields that have an effect here are
// known.
import Type, { type Static } from 'typebox'
import { AsciiId } from '../wire/ids.ts'
import { OpenObject, orNull } from '../wire/schema.ts'

const text = Type.String()

const Source = Type.Union([
  Type.Object({ type: Type.Literal('data'), value: text, mimeType: text }),
  Type.Object({ type: Type.Literal('url'), value: text, mimeType: orNull(text) }),
  Type.Object({ type: Type.Literal('file'), value: text }),
])
const mediaTypes = ['image', 'audio', 'video', 'document'] as const
export const AgUiPart = Type.Union([
  Type.Object({ type: Type.Literal('text'), text }),
  Type.Object({ type: Type.Enum([...mediaTypes]), source: Source }),
  // Clients before 1.0 send every file like this.
  Type.Object({
    type: Type.Literal('binary'),
    mimeType: text,
    url: orNull(text),
    data: orNull(text),
    filename: orNull(text),
  }),
])
export type AgUiPart = Static<typeof AgUiPart>

const AgUiCall = Type.Object({
  id: text,
  type: orNull(Type.Literal('function')),
  function: Type.Object({ name: text, arguments: text }),
})
const content = Type.Union([text, Type.Array(AgUiPart)])
export const AgUiMessage = Type.Union([
  Type.Object({ id: text, role: Type.Enum(['developer', 'system']), name: orNull(text), content: text }),
  Type.Object({ id: text, role: Type.Literal('user'), name: orNull(text), content }),
  Type.Object({
    id: text,
    role: Type.Literal('assistant'),
    name: orNull(text),
    content: orNull(text),
    toolCalls: orNull(Type.Array(AgUiCall)),
  }),
  Type.Object({ id: text, role: Type.Literal('tool'), toolCallId: text, content, error: orNull(text) }),
  Type.Object({ id: text, role: Type.Literal('reasoning'), content: text }),
  Type.Object({ id: text, role: Type.Literal('activity') }),
])
export type AgUiMessage = Static<typeof AgUiMessage>

const AgUiTool = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 128 }),
  description: orNull(text),
  parameters: orNull(OpenObject),
})
export const AgUiResume = Type.Object({
  interruptId: text,
  status: Type.Enum(['resolved', 'cancelled']),
  payload: Type.Optional(Type.Unknown()),
})
export type AgUiResume = Static<typeof AgUiResume>

export const RunAgentInput = Type.Object({
  threadId: AsciiId,
  runId: AsciiId,
  protocolVersion: orNull(text),
  parentRunId: orNull(text),
  state: Type.Optional(Type.Unknown()),
  messages: Type.Array(AgUiMessage),
  tools: orNull(Type.Array(AgUiTool)),
  context: orNull(Type.Array(Type.Object({ description: text, value: text }))),
  forwardedProps: Type.Optional(Type.Unknown()),
  resume: orNull(Type.Array(AgUiResume)),
})
export type RunAgentInput = Static<typeof RunAgentInput>
