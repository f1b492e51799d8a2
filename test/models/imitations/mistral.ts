// Mistral: the checks that it publishes as mistral-common, and its schema, which allows no other fields.
import { callsOf, messagesOf } from './completions-history.ts'
import { callsInOnePiece } from './completions-traits.ts'
import { bearer, hasBearer, type Imitation, type Rule, type Sent } from './imitation.ts'
import { any, byField, checkerOf, listOf, maybe, objectOf, only, text, textOr, truth } from './schema.ts'

const validator =
  'https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py'
const chunk = byField('type', {
  text: { text },
  image_url: { image_url: any },
  document_url: { document_url: text, 'document_name?': maybe(text) },
  reference: { reference_ids: any },
  file: { file_id: text },
  thinking: { thinking: listOf({ type: 'object' }), 'signature?': maybe(text), 'closed?': truth },
})
const content = { if: { type: 'null' }, else: textOr(chunk) }
const call = objectOf({
  'id?': text,
  'type?': only('function'),
  'index?': { type: 'integer' },
  function: objectOf({ name: text, arguments: { type: ['string', 'object'] } }),
})
const options = [
  ...['temperature', 'top_p', 'max_tokens', 'stop', 'random_seed', 'metadata', 'response_format'],
  ...['tool_choice', 'presence_penalty', 'frequency_penalty', 'n', 'prediction', 'parallel_tool_calls'],
  ...['reasoning_effort', 'prompt_mode', 'guardrails', 'prompt_cache_key', 'service_tier', 'safe_prompt'],
]
const check = checkerOf(
  objectOf({
    model: text,
    messages: listOf(
      byField('role', {
        system: { content },
        user: { content },
        assistant: { 'content?': content, 'tool_calls?': maybe(listOf(call)), 'prefix?': truth },
        tool: { content, 'tool_call_id?': maybe(text), 'name?': maybe(text) },
      }),
    ),
    'tools?': maybe(
      listOf(
        objectOf({
          'type?': only('function'),
          function: objectOf({
            name: text,
            'description?': text,
            'strict?': truth,
            parameters: { type: 'object' },
          }),
        }),
      ),
    ),
    'stream?': truth,
    ...Object.fromEntries(options.map(name => [`${name}?`, any])),
  }),
)
const kinds = { unknown: 'extra_forbidden', missing: 'missing', wrong: 'value_error' }
const says = { unknown: 'Extra inputs are not permitted', missing: 'Field required' }
/** The place of a problem, where messages have their role after their number. */
const locOf = ({ body }: Sent, at: (string | number)[]): (string | number)[] => {
  const [first, n, ...rest] = at
  const role =
    first === 'messages' && typeof n === 'number' ? messagesOf({ body } as Sent)[n]?.role : undefined
  return ['body', ...(role === undefined ? at : [first as string, n as number, String(role), ...rest])]
}

const id = /^[a-zA-Z0-9]{9}$/
const badId = (sent: Sent): string | undefined => {
  const results = messagesOf(sent).flatMap(({ role, tool_call_id }) =>
    role === 'tool' ? [String(tool_call_id)] : [],
  )
  const bad = [...callsOf(sent).map(call => call.id), ...results].find(each => !id.test(each))
  return bad === undefined
    ? undefined
    : `Tool call id was ${bad} but must be a-z, A-Z, 0-9, with a length of 9.`
}

const mayFollow: Record<string, string[]> = {
  system: ['user', 'assistant', 'system'],
  user: ['assistant', 'system', 'user'],
  assistant: ['assistant', 'user', 'tool'],
  tool: ['assistant', 'tool'],
}
const badOrder = (sent: Sent): string | undefined => {
  const roles = messagesOf(sent).map(({ role }) => String(role))
  const n = roles.findIndex((role, at) => at > 0 && !mayFollow[roles[at - 1] ?? '']?.includes(role))
  if (n > 0) return `Unexpected role '${roles[n]}' after role '${roles[n - 1]}'`
  const last = messagesOf(sent).at(-1)
  return last?.role === 'assistant' && last.prefix !== true && roles.length > 1
    ? 'Expected last role User or Tool (or Assistant with prefix or continue_final_message set to True) for serving but got assistant'
    : undefined
}
/** As mistral-common counts: results of the calls of the newest message of the assistant. */
const badCount = (sent: Sent): string | undefined => {
  let open = 0
  for (const { role, tool_calls } of messagesOf(sent)) {
    if (role === 'tool') open--
    if (role === 'assistant' && open !== 0) break
    if (role === 'assistant') open = Array.isArray(tool_calls) ? tool_calls.length : 0
  }
  return open === 0 ? undefined : 'Not the same number of function calls and responses'
}

const order = { type: 'invalid_request_message_order', code: '3230' }
const rules: readonly Rule[] = [
  {
    name: 'key',
    about: 'a request without a valid key as its bearer token',
    source: 'https://docs.mistral.ai/api/',
    check: sent => (hasBearer(sent) ? undefined : 'Unauthorized'),
    status: 401,
  },
  {
    name: 'schema',
    about:
      'a field that the published schema does not have: stream_options, max_completion_tokens, reasoning_content, …',
    source: 'https://github.com/charmbracelet/crush/issues/1590',
    check: sent => {
      const problem = check(sent.body)
      if (problem === undefined) return undefined
      const { kind, at, value } = problem
      const msg = kind === 'wrong' ? `Value error, ${problem.says}` : says[kind]
      return {
        message: msg,
        more: { detail: [{ type: kinds[kind], loc: locOf(sent, at), msg, input: value }] },
      }
    },
    status: 422,
  },
  {
    name: 'call-id',
    about: 'an id of a call that is not nine letters and digits',
    source: 'https://github.com/nearai/ironclaw/issues/1241',
    check: badId,
    error: { type: 'invalid_function_call', code: '3280' },
  },
  {
    name: 'message-order',
    about: 'roles in an order that the models do not know, such as a user after a tool',
    source: 'https://github.com/datapizza-labs/datapizza-ai/issues/98',
    check: badOrder,
    error: order,
  },
  {
    name: 'unanswered-calls',
    about: 'more or fewer results than calls',
    source: validator,
    check: badCount,
    error: order,
  },
  {
    name: 'function-name',
    about: 'a name of a tool with other characters than letters, digits, _ and -, or more than 64 of them',
    source: validator,
    check: sent => {
      const bad = callsOf(sent).find(({ name }) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))
      return (
        bad &&
        `Function name was ${bad.name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.`
      )
    },
    error: { type: 'invalid_function_call', code: '3280' },
  },
]

const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789'
export const mistral: Imitation = {
  title: 'Mistral',
  paths: { chat: '/v1/chat/completions' },
  base: '/v1',
  model: 'magistral-medium-latest',
  headers: bearer,
  rules,
  traits: [
    {
      about: 'reasoning is a part of the content, of the type thinking',
      source: 'https://docs.mistral.ai/inference/conversations/reasoning',
      answer: answer => ({ reasoning_as: 'thinking', ...answer }),
    },
    {
      about: 'a call comes whole: its id, its name and its arguments in one piece',
      source: 'https://github.com/64bit/async-openai/pull/329',
      ...callsInOnePiece,
    },
  ],
  errorBody: (message, status, { detail, ...error }) => ({
    object: 'error',
    message: detail === undefined ? message : { detail },
    type: status >= 500 ? 'internal_server_error' : 'invalid_request_error',
    param: null,
    code: null,
    ...error,
  }),
  callId: nth => Array.from({ length: 9 }, (_, at) => letters[(nth * 31 + at * 7) % letters.length]).join(''),
}
