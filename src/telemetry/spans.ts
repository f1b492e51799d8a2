// Makes the spans of a task as plain data. Names and attributes are those of the semantic conventions of OpenTelemetry
// for generative AI. Ids are computed from the task's ids, so a span that is exported twice has one id, by which the
// collector can recognize it.
import { hash } from 'node:crypto'
import type { ModelResponse, TaskEventData } from '../contract/events/task-events.ts'
import type { TaskStatus } from '../contract/wire.ts'

export type Attributes = Record<string, string | number | string[]>

export type Span = {
  /** The ids are hexadecimal: a trace id has 32 digits, a span id 16. */
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: 'internal' | 'client'
  /** Milliseconds since the epoch. */
  start: number
  end: number
  attributes: Attributes
  failed: boolean
}

/** The start and the end of a span in milliseconds since the epoch, and the class of the error if there was one. */
export type Course = { start: number; end: number; error: string | undefined }

/** What the spans of a task are made from: its ids, its user and its agent. */
export type SpanTask = {
  id: string
  traceId: string
  session: string
  user: string
  agent: string
}
export type Usage = { input?: number; output?: number }
/** The model call of a step. `response` is absent if the model gave none. */
export type ModelCall = {
  effectId: string
  model: string | undefined
  /** The protocol of the endpoint; undefined: chat completions, or not known yet. */
  protocol?: string | undefined
  usage: Usage
  response?: ModelResponse
}
/** A call of a tool. A call that runs on the server has an `effect`; a call without one belongs to the client. */
export type ToolCall = { callId: string; name: string; effect: string | undefined; start: number }

/** The provider of a model: the one whose protocol its endpoint speaks. */
const providerOf = (protocol: string | undefined): string =>
  protocol === 'messages' ? 'anthropic' : 'openai'
/** The provider of an agent without a model. */
const ownProvider = 'reprise'

const idOf = (text: string, bytes: number): string => hash('sha256', text, 'hex').slice(0, 2 * bytes)
const spanIdOf = (text: string): string => idOf(text, 8)

const traceIdOf = ({ root_task_id, task_id }: Named): string => idOf(root_task_id ?? task_id, 16)
type Named = Pick<TaskEventData<'TaskCreated'>, 'task_id' | 'root_task_id'>

/** The header `traceparent` (W3C Trace Context) under which a process outside adds its spans to the span of a task. */
export const traceparentOf = (created: Named): string =>
  `00-${traceIdOf(created)}-${spanIdOf(created.task_id)}-01`

export const spanTaskOf = (created: TaskEventData<'TaskCreated'>): SpanTask => ({
  id: created.task_id,
  traceId: traceIdOf(created),
  session: created.session_id,
  user: created.user_id,
  agent: created.request.agent_config?.name || created.agent,
})

const present = (fields: Record<string, string | number | string[] | undefined>): Attributes =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  )

const spanOf = (
  task: SpanTask,
  { id, parent, kind }: { id: string; parent: string | undefined; kind: Span['kind'] },
  [operation, subject]: [operation: string, subject: string | undefined],
  { start, end, error }: Course,
  attributes: Parameters<typeof present>[0],
): Span => ({
  traceId: task.traceId,
  spanId: spanIdOf(id),
  ...(parent === undefined ? {} : { parentSpanId: spanIdOf(parent) }),
  name: subject === undefined ? operation : `${operation} ${subject}`,
  kind,
  start,
  end,
  attributes: present({
    'gen_ai.operation.name': operation,
    'gen_ai.conversation.id': task.session,
    'reprise.task.id': task.id,
    'error.type': error,
    ...attributes,
  }),
  failed: error !== undefined,
})

const usageOf = ({ input, output }: Usage) => ({
  'gen_ai.usage.input_tokens': input,
  'gen_ai.usage.output_tokens': output,
})

/** The span of a step of an agent with a model. */
export const modelCallSpan = (task: SpanTask, call: ModelCall, course: Course): Span => {
  const { effectId, model, protocol, usage, response = {} } = call
  const { id, model: answered, finish_reason } = response
  return spanOf(task, { id: effectId, parent: task.id, kind: 'client' }, ['chat', model], course, {
    'gen_ai.provider.name': providerOf(protocol),
    'gen_ai.request.model': model,
    'gen_ai.response.model': answered,
    'gen_ai.response.id': id,
    'gen_ai.response.finish_reasons': finish_reason === undefined ? undefined : [finish_reason],
    ...usageOf(usage),
    'reprise.effect.id': effectId,
  })
}

export const toolSpan = (task: SpanTask, call: ToolCall, end: number, error: string | undefined): Span => {
  const { callId, name, effect, start } = call
  const id = effect ?? `${task.id}/${callId}`
  const course = { start, end, error }
  return spanOf(task, { id, parent: task.id, kind: 'internal' }, ['execute_tool', name], course, {
    'gen_ai.tool.name': name,
    'gen_ai.tool.call.id': callId,
    // In the semantic conventions, `extension` is a tool that runs on the agent's side, and `function` one that runs on
    // the client's side.
    'gen_ai.tool.type': effect === undefined ? 'function' : 'extension',
    'reprise.effect.id': effect,
  })
}

export type AgentRun = {
  status: TaskStatus
  /** The id of the effect with which another task called this task. */
  caller: string | undefined
  hasModel: boolean
  model: string | undefined
  protocol: string | undefined
  usage: Usage
}
export const agentSpan = (task: SpanTask, run: AgentRun, course: Course): Span => {
  const { status, caller, hasModel, model, protocol, usage } = run
  const { id, agent } = task
  return spanOf(task, { id, parent: caller, kind: 'internal' }, ['invoke_agent', agent], course, {
    'gen_ai.provider.name': hasModel ? providerOf(protocol) : ownProvider,
    'gen_ai.agent.name': agent,
    'gen_ai.request.model': model,
    ...usageOf(usage),
    'reprise.user.id': task.user,
    'reprise.task.status': status,
  })
}
