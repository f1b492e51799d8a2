// What OpenAI refuses in Chat Completions. Azure refuses the same.
import { fieldsOf, listOf } from '../../../src/fake-model/question.ts'
import { callsOf, hasImage, messagesOf, strayResults, unanswered } from './completions-history.ts'
import type { Complaint, Rule, Sent } from './imitation.ts'
import {
  any,
  byField,
  checkerOf,
  listOf as listSchema,
  maybe,
  number,
  objectOf,
  only,
  text,
  textOr,
  truth,
  withBrackets,
} from './schema.ts'

const reference = 'https://github.com/openai/openai-openapi'
const invalid = { type: 'invalid_request_error', param: null, code: null }
const at = (message: string, param: string, code: string | null = null): Complaint => ({
  message,
  more: { param, code },
})

const textPart = { text }
const assistantPart = byField('type', { text: textPart, refusal: { refusal: text } })
const userPart = byField('type', {
  text: textPart,
  image_url: { image_url: objectOf({ url: text, 'detail?': only('auto', 'low', 'high') }) },
  input_audio: { input_audio: objectOf({ data: text, format: text }) },
  file: { file: any },
})
const call = objectOf({
  id: text,
  type: only('function'),
  function: objectOf({ name: text, arguments: text }),
})
/** Images in messages of tools have a rule of their own, whose words say more. */
const toolPart = byField('type', { text: textPart, image_url: { image_url: any } })
const message = byField('role', {
  system: { content: textOr(toolPart), 'name?': text },
  developer: { content: textOr(toolPart), 'name?': text },
  user: { content: textOr(userPart), 'name?': text },
  assistant: {
    'content?': { if: { type: 'null' }, else: textOr(assistantPart) },
    'name?': text,
    'refusal?': maybe(text),
    'tool_calls?': { ...listSchema(call), minItems: 1 },
  },
  tool: { content: textOr(toolPart), tool_call_id: text },
})
const tool = objectOf({
  type: only('function'),
  function: objectOf({
    name: text,
    'description?': text,
    'parameters?': { type: 'object' },
    'strict?': maybe(truth),
  }),
})
const optional = [
  ...['audio', 'logit_bias', 'metadata', 'modalities', 'moderation', 'prediction', 'prompt_cache_key'],
  ...['prompt_cache_options', 'prompt_cache_retention', 'reasoning_effort', 'response_format'],
  ...['safety_identifier', 'service_tier', 'stop', 'stream_options', 'tool_choice', 'user', 'verbosity'],
  ...['web_search_options', 'functions', 'function_call'],
]
const numbers = [
  ...['frequency_penalty', 'max_completion_tokens', 'max_tokens', 'n', 'presence_penalty', 'seed'],
  ...['temperature', 'top_logprobs', 'top_p'],
]
const all = (names: string[], schema: object) => Object.fromEntries(names.map(name => [`${name}?`, schema]))
const check = checkerOf(
  objectOf({
    model: text,
    messages: { ...listSchema(message), minItems: 1 },
    ...all(optional, any),
    ...all(numbers, maybe(number)),
    ...all(['logprobs', 'parallel_tool_calls', 'store', 'stream'], maybe(truth)),
    'tools?': { ...listSchema(tool), minItems: 1 },
  }),
)
const schemaComplaint = ({ body }: Sent): Complaint | undefined => {
  const problem = check(body)
  if (problem === undefined) return undefined
  const param = withBrackets(problem.at)
  if (problem.kind === 'unknown') return at(`Unknown parameter: '${param}'.`, param, 'unknown_parameter')
  return problem.kind === 'missing'
    ? at(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter')
    : at(`Invalid value for '${param}': ${problem.says}.`, param, 'invalid_value')
}

const strictComplaint = ({ body }: Sent): Complaint | undefined => {
  const { type, json_schema } = fieldsOf(body.response_format)
  const { name, strict, schema } = fieldsOf(json_schema)
  if (type !== 'json_schema' || strict !== true) return undefined
  const loose = looseObject(schema, [])
  return loose && at(`Invalid schema for response_format '${name}': ${loose}`, 'response_format')
}
/** The first object of a schema that is not closed, in the words of OpenAI. */
export const looseObject = (schema: unknown, path: string[]): string | undefined => {
  const { type, properties, items, additionalProperties, required } = fieldsOf(schema)
  const context = `In context=(${path.map(step => `'${step}'`).join(', ')})`
  if (type === 'object' && additionalProperties !== false) {
    return `${context}, 'additionalProperties' is required to be supplied and to be false.`
  }
  const names = Object.keys(fieldsOf(properties))
  if (names.some(name => !listOf(required).includes(name))) {
    return `${context}, 'required' is required to be supplied and to be an array including every key in properties.`
  }
  const inner = names.map(name => looseObject(fieldsOf(properties)[name], [...path, 'properties', name]))
  const ofItems = items === undefined ? undefined : looseObject(items, [...path, 'items'])
  return [...inner, ofItems].find(found => found !== undefined)
}

const name = /^[a-zA-Z0-9_-]+$/
const nameComplaint = (sent: Sent): Complaint | undefined => {
  const tools = listOf(sent.body.tools).map(tool => fieldsOf(fieldsOf(tool).function).name)
  const named = [
    ...tools.map((value, n) => ({ value, param: `tools[${n}].function.name` })),
    ...callsOf(sent).map(call => ({
      value: call.name,
      param: `messages[${call.message}].tool_calls[${call.nth}].function.name`,
    })),
  ]
  const wrong = named.find(({ value }) => !name.test(String(value)))
  if (wrong === undefined) return undefined
  const says = `Invalid '${wrong.param}': string does not match pattern. Expected a string that matches the pattern '${name.source}'.`
  return at(says, wrong.param, 'invalid_value')
}

const completions = ['chat'] as const
export const openaiCompletionsRules: readonly Rule[] = [
  {
    name: 'schema',
    about: 'a body that does not fit the published schema, such as a field that it does not have',
    source: reference,
    check: schemaComplaint,
    error: invalid,
    protocols: completions,
  },
  {
    name: 'max-tokens',
    about: 'max_tokens, for reasoning models and newer ones',
    source: 'https://github.com/microsoft/vscode-copilot-release/issues/9954',
    check: ({ body }) =>
      (body.max_tokens ?? null) !== null
        ? at(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            'max_tokens',
          )
        : undefined,
    error: { ...invalid, code: 'unsupported_parameter' },
    protocols: completions,
  },
  {
    name: 'temperature',
    about: 'a temperature other than 1, for reasoning models and newer ones',
    source: 'https://github.com/johny-b/llmcomp/issues/69',
    check: ({ body: { temperature } }) =>
      (temperature ?? 1) === 1
        ? undefined
        : at(
            `Unsupported value: 'temperature' does not support ${temperature} with this model. Only the default (1) value is supported.`,
            'temperature',
            'unsupported_value',
          ),
    error: invalid,
  },
  {
    name: 'unanswered-calls',
    about: 'a call whose result does not follow right after its message',
    source: 'https://github.com/tensorzero/tensorzero/issues/4880',
    check: sent => {
      const [open] = unanswered(messagesOf(sent))
      return (
        open &&
        at(
          `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.ids.join(', ')}`,
          `messages.[${open.message}].role`,
        )
      )
    },
    error: invalid,
    protocols: completions,
  },
  {
    name: 'stray-results',
    about: 'a result of a call that is not in the message before',
    source: 'https://github.com/miurla/morphic/issues/136',
    check: sent => {
      const [stray] = strayResults(messagesOf(sent))
      return stray === undefined
        ? undefined
        : at(
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
            `messages.[${stray}].role`,
          )
    },
    error: invalid,
    protocols: completions,
  },
  {
    name: 'image-of-a-tool',
    about: 'an image in a message that is not of the user',
    source: 'https://github.com/OpenHands/OpenHands/issues/7700',
    check: sent => {
      const messages = messagesOf(sent)
      const n = messages.findIndex(each => each.role !== 'user' && hasImage(each))
      return n < 0
        ? undefined
        : at(
            `Invalid 'messages[${n}]'. Image URLs are only allowed for messages with role 'user', but this message with role '${messages[n]?.role}' contains an image URL.`,
            `messages[${n}]`,
            'invalid_value',
          )
    },
    error: invalid,
    protocols: completions,
  },
  {
    name: 'long-call-id',
    about: 'an id of a call with more than 40 characters',
    source: 'https://github.com/Portkey-AI/gateway/issues/1062',
    check: sent => {
      const long = callsOf(sent).find(({ id }) => id.length > 40)
      if (long === undefined) return undefined
      const param = `messages[${long.message}].tool_calls[${long.nth}].id`
      const says = `Invalid '${param}': string too long. Expected a string with maximum length 40, but got a string with length ${long.id.length} instead.`
      return at(says, param, 'string_above_max_length')
    },
    error: invalid,
    protocols: completions,
  },
  {
    name: 'tool-name',
    about: 'a name of a tool with other characters than letters, digits, _ and -',
    source: 'https://github.com/brekkylab/ailoy/pull/109',
    check: nameComplaint,
    error: invalid,
    protocols: completions,
  },
  {
    name: 'loose-schema',
    about: 'a strict schema with an object that allows other properties, or does not require all of its own',
    source: 'https://github.com/agentscope-ai/agentscope-java/issues/2548',
    check: strictComplaint,
    error: invalid,
    protocols: completions,
  },
]
