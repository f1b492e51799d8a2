// The response object of a turn before anything has happened in it: what the request asked for.
import type { TaskEventData } from '../../../contract/events/task-events.ts'
import type { Item, OpenAIResponse } from '../../../contract/openai/responses.ts'
import { storedMetadata } from '../../metadata.ts'
import { anyObject, ownMetadata } from '../agent.ts'
import type { ResponseFacts } from './request.ts'

type Created = TaskEventData<'TaskCreated'>

/** The facts that this protocol stored with the request. A task that was made otherwise has none. */
export const factsOf = ({ request }: Created): ResponseFacts =>
  storedMetadata<ResponseFacts>(ownMetadata, request.metadata).facts

const formatOf = ({ request: { structured_output: schema } }: Created, { format }: ResponseFacts): Item => {
  if (!schema) return { type: 'text' }
  if (format === undefined && JSON.stringify(schema) === JSON.stringify(anyObject))
    return { type: 'json_object' }
  const { name = 'answer', description = null, strict = false } = format ?? {}
  return { type: 'json_schema', name, description, schema, strict }
}

const toolsOf = ({ request }: Created): Item[] =>
  (request.client_tools ?? []).map(({ function: { name, description, parameters, strict } }) => ({
    type: 'function',
    name,
    description: description ?? null,
    parameters,
    strict: strict ?? false,
  }))

const numberIn = (args: Record<string, unknown>, name: string, fallback: number): number => {
  const value = Number(args[name] ?? fallback)
  return Number.isFinite(value) ? value : fallback
}

/** `previous`: the response before this one in the same task. */
export const responseAtStart = (
  created: Created,
  id: string,
  previous: string | undefined,
): OpenAIResponse => {
  const { request } = created
  const { facts, metadata } = storedMetadata<ResponseFacts>(ownMetadata, request.metadata)
  const args = { ...request.agent_config?.inference_args, ...request.inference_args }
  return {
    id,
    object: 'response',
    created_at: 0,
    completed_at: null,
    status: 'in_progress',
    background: request.background === true,
    error: null,
    incomplete_details: null,
    instructions: request.agent_config?.developer_prompt ?? null,
    max_output_tokens: request.agent_config?.max_response_length ?? null,
    max_tool_calls: null,
    metadata,
    model: created.agent,
    output: [],
    parallel_tool_calls: facts.parallel_tool_calls ?? true,
    previous_response_id: previous ?? facts.previous_response_id ?? null,
    prompt_cache_key: null,
    reasoning: {
      effort: typeof args.reasoning_effort === 'string' ? args.reasoning_effort : null,
      summary: null,
    },
    safety_identifier: null,
    service_tier: 'default',
    store: true,
    temperature: numberIn(args, 'temperature', 1),
    text: { format: formatOf(created, facts) },
    tool_choice: facts.tool_choice ?? 'auto',
    tools: toolsOf(created),
    top_logprobs: 0,
    top_p: numberIn(args, 'top_p', 1),
    presence_penalty: numberIn(args, 'presence_penalty', 0),
    frequency_penalty: numberIn(args, 'frequency_penalty', 0),
    truncation: 'disabled',
    usage: null,
  }
}
