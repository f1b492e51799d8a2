// OpenAI: Chat Completions and Responses, with a model that reasons.
import { type Fields, fieldsOf, listOf } from '../../../src/fake-model/question.ts'
import { hiddenReasoning } from './completions-traits.ts'
import {
  bearer,
  type Complaint,
  hasBearer,
  type Imitation,
  idsLike,
  type Rule,
  type Sent,
} from './imitation.ts'
import { looseObject, openaiCompletionsRules } from './openai-completions-rules.ts'
import {
  any,
  checkerOf,
  listOf as listSchema,
  maybe,
  number,
  objectOf,
  only,
  text,
  truth,
  withBrackets,
} from './schema.ts'

const invalid = { type: 'invalid_request_error', param: null, code: null }
const about = (message: string, param: string, code: string | null = null): Complaint => ({
  message,
  more: { param, code },
})
const itemsOf = ({ body }: Sent): Fields[] => listOf(body.input).map(fieldsOf)

const tool = objectOf({
  type: only('function'),
  name: text,
  'description?': maybe(text),
  parameters: maybe({ type: 'object' }),
  'strict?': maybe(truth),
})
const free = [
  ...[
    'background',
    'context_management',
    'conversation',
    'include',
    'instructions',
    'metadata',
    'moderation',
  ],
  ...['previous_response_id', 'prompt', 'prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention'],
  ...[
    'reasoning',
    'safety_identifier',
    'service_tier',
    'stream_options',
    'text',
    'tool_choice',
    'truncation',
  ],
  'user',
]
const all = (names: string[], schema: object) => Object.fromEntries(names.map(name => [`${name}?`, schema]))
const check = checkerOf(
  objectOf({
    model: text,
    input: { if: { type: 'string' }, else: listSchema({ type: 'object' }) },
    ...all(free, any),
    ...all(['max_output_tokens', 'temperature', 'top_logprobs', 'top_p'], maybe(number)),
    ...all(['parallel_tool_calls', 'store', 'stream'], maybe(truth)),
    'tools?': listSchema(tool),
  }),
)

/** Reasoning belongs to the message or the call after it. */
const lonelyReasoning = (sent: Sent): Complaint | undefined => {
  const items = itemsOf(sent)
  const lonely = items.find(({ type }, n) => {
    const { type: next, role } = items[n + 1] ?? {}
    const follows = next === 'function_call' || next === 'reasoning' || role === 'assistant'
    return type === 'reasoning' && !follows
  })
  if (lonely === undefined) return undefined
  const says = `Item '${lonely.id}' of type 'reasoning' was provided without its required following item.`
  return about(says, 'input')
}
const openCalls = (sent: Sent): Complaint | undefined => {
  const items = itemsOf(sent)
  const answered = items.flatMap(({ type, call_id }) => (type === 'function_call_output' ? [call_id] : []))
  const open = items.find(({ type, call_id }) => type === 'function_call' && !answered.includes(call_id))
  return open && about(`No tool output found for function call ${open.call_id}.`, 'input')
}
const strayOutputs = (sent: Sent): Complaint | undefined => {
  if (sent.body.previous_response_id) return undefined
  const items = itemsOf(sent)
  const stray = items.find(
    ({ type, call_id }, n) =>
      type === 'function_call_output' &&
      !items.slice(0, n).some(other => other.type === 'function_call' && other.call_id === call_id),
  )
  return stray && about(`No tool call found for function call output with call_id ${stray.call_id}.`, 'input')
}
/** A call of a reasoning model must come with the reasoning from which it came. */
const callWithoutReasoning = (sent: Sent): Complaint | undefined => {
  const items = itemsOf(sent)
  const sealed = items.map(({ encrypted_content }) => encrypted_content)
  const bare = items.find(({ type, call_id }) => {
    const signature = sent.issued.calls.get(String(call_id))?.signature
    return type === 'function_call' && signature !== undefined && !sealed.includes(signature)
  })
  if (bare === undefined) return undefined
  const says = `Item '${bare.id}' of type 'function_call' was provided without its required 'reasoning' item.`
  return about(says, 'input')
}

const responses = ['responses'] as const
const responsesRules: readonly Rule[] = [
  {
    name: 'responses-schema',
    about: 'a body that does not fit the published schema, such as a field that it does not have',
    source: 'https://github.com/openai/openai-openapi',
    check: ({ body }) => {
      const problem = check(body)
      if (problem === undefined) return undefined
      const param = withBrackets(problem.at)
      return problem.kind === 'unknown'
        ? about(`Unknown parameter: '${param}'.`, param, 'unknown_parameter')
        : problem.kind === 'missing'
          ? about(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter')
          : about(`Invalid value for '${param}': ${problem.says}.`, param, 'invalid_value')
    },
    error: invalid,
    protocols: responses,
  },
  {
    name: 'lonely-reasoning',
    about: 'reasoning without the message or the call that came after it',
    source: 'https://github.com/continuedev/continue/issues/8933',
    check: lonelyReasoning,
    error: invalid,
    protocols: responses,
  },
  {
    name: 'call-without-reasoning',
    about: 'a call without the reasoning that came before it',
    source: 'https://github.com/0xPlaygrounds/rig/issues/751',
    check: callWithoutReasoning,
    error: invalid,
    protocols: responses,
  },
  {
    name: 'open-calls',
    about: 'a call without its output',
    source: 'https://github.com/router-for-me/CLIProxyAPI/issues/2368',
    check: openCalls,
    error: invalid,
    protocols: responses,
  },
  {
    name: 'stray-outputs',
    about: 'an output without its call',
    source: 'https://github.com/microsoft/vscode/issues/320060',
    check: strayOutputs,
    error: invalid,
    protocols: responses,
  },
  {
    name: 'long-responses-call-id',
    about: 'an id of a call with more than 64 characters',
    source: 'https://github.com/AnswerDotAI/fastllm/issues/45',
    check: sent => {
      const items = itemsOf(sent)
      const n = items.findIndex(({ call_id }) => String(call_id ?? '').length > 64)
      const { length } = String(items[n]?.call_id)
      return n < 0
        ? undefined
        : about(
            `Invalid 'input[${n}].call_id': string too long. Expected a string with maximum length 64, but got a string with length ${length} instead.`,
            `input[${n}].call_id`,
            'string_above_max_length',
          )
    },
    error: invalid,
    protocols: responses,
  },
  {
    name: 'loose-responses-schema',
    about: 'a strict schema with an object that allows other properties, or does not require all of its own',
    source: 'https://github.com/docker/docker-agent/pull/2168',
    check: ({ body }) => {
      const { name, strict, schema } = fieldsOf(fieldsOf(body.text).format)
      const loose = strict === true ? looseObject(schema, []) : undefined
      return loose && about(`Invalid schema for response_format '${name}': ${loose}`, 'text.format.schema')
    },
    error: invalid,
    protocols: responses,
  },
]

export const openai: Imitation = {
  title: 'OpenAI',
  paths: { chat: '/v1/chat/completions', responses: '/v1/responses' },
  base: '/v1',
  model: 'gpt-5.1',
  headers: bearer,
  rules: [
    {
      name: 'key',
      about: 'a request without a valid key as its bearer token',
      source: 'https://platform.openai.com/docs/api-reference/authentication',
      check: sent => (hasBearer(sent) ? undefined : 'Incorrect API key provided.'),
      status: 401,
      error: { ...invalid, code: 'invalid_api_key' },
    },
    ...openaiCompletionsRules,
    ...responsesRules,
  ],
  traits: [hiddenReasoning],
  errorBody: (message, _status, error) => ({ error: { message, ...invalid, ...error } }),
  callId: idsLike('call_', 24),
}
