// Gemini, at its endpoint that is compatible with OpenAI.
import { createHash } from 'node:crypto'
import type { Piece } from '../../../src/fake-model/answer-pieces.ts'
import { type Fields, fieldsOf, listOf } from '../../../src/fake-model/question.ts'
import { callsIn, currentTurn, messagesOf, unanswered } from './completions-history.ts'
import { wholeCalls } from './completions-traits.ts'
import { bearer, hasBearer, type Imitation, idsLike, type Sent } from './imitation.ts'

const known = [
  ...['model', 'messages', 'stream', 'stream_options', 'temperature', 'top_p', 'max_tokens', 'n', 'stop'],
  ...['max_completion_tokens', 'tools', 'tool_choice', 'parallel_tool_calls', 'response_format'],
  ...['reasoning_effort', 'extra_body', 'presence_penalty', 'seed', 'user', 'logprobs', 'top_logprobs'],
  ...['metadata', 'store', 'service_tier', 'modalities', 'audio', 'web_search_options', 'verbosity'],
]
const unknownNames = ({ body }: Sent) => {
  const says = Object.keys(body)
    .filter(name => !known.includes(name))
    .map(name => `Invalid JSON payload received. Unknown name "${name}": Cannot find field.`)
  if (says.length === 0) return undefined
  const details = [
    {
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: says.map(description => ({ description })),
    },
  ]
  return { message: says.join('\n'), more: { details } }
}

const signatureOf = ({ fields }: { fields: Fields }): unknown =>
  fieldsOf(fieldsOf(fields.extra_content).google).thought_signature
/** In the turn that goes on, the first call of each step must have the signature that came with it. */
const lostSignature = (sent: Sent): string | undefined => {
  for (const [n, message] of currentTurn(messagesOf(sent)).entries()) {
    const [call] = callsIn(message)
    if (call === undefined) continue
    const issued = signatureOf({ fields: sent.issued.calls.get(call.id)?.extra ?? {} })
    const given = signatureOf(call)
    if (given !== undefined && (issued === undefined || given === issued)) continue
    return given === undefined
      ? `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${call.name}\` , position ${n + 2}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`
      : 'Corrupted thought signature.'
  }
  return undefined
}

/** Signs the first call of an answer. */
function* signed(pieces: Iterable<Piece>): Generator<Piece> {
  let isFirst = true
  for (const piece of pieces) {
    if (piece.kind !== 'call' || !isFirst) yield piece
    else {
      const thought_signature = createHash('sha256').update(`thought ${piece.id}`).digest('base64')
      yield { ...piece, extra: { extra_content: { google: { thought_signature } }, ...piece.extra } }
    }
    if (piece.kind === 'call') isFirst = false
  }
}

export const gemini: Imitation = {
  title: 'Gemini',
  paths: { chat: '/v1beta/openai/chat/completions' },
  base: '/v1beta/openai',
  model: 'gemini-3-pro-preview',
  headers: bearer,
  rules: [
    {
      name: 'key',
      about: 'a request without a valid key as its bearer token',
      source: 'https://ai.google.dev/gemini-api/docs/openai',
      check: sent => (hasBearer(sent) ? undefined : 'API key not valid. Please pass a valid API key.'),
    },
    {
      name: 'unknown-name',
      about: 'a field that the endpoint does not know, such as frequency_penalty, reasoning or top_k',
      source: 'https://github.com/MinLL/SkyrimNet-GamePlugin/issues/77',
      check: unknownNames,
    },
    {
      name: 'tool-name',
      about: 'a name of a tool that does not start with a letter or _, or has other characters',
      source: 'https://github.com/google-gemini/gemini-cli/issues/7878',
      check: ({ body }) => {
        const names = listOf(body.tools).map(tool => String(fieldsOf(fieldsOf(tool).function).name))
        const n = names.findIndex(name => !/^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/.test(name))
        return n < 0
          ? undefined
          : `The GenerateContentRequest proto is invalid:\n  * tools[0].function_declarations[${n}].name: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain underscores, dots and dashes, with a maximum length of 64.`
      },
    },
    {
      name: 'unanswered-calls',
      about: 'a turn with fewer results than calls',
      source: 'https://github.com/google-gemini/gemini-cli/issues/7410',
      check: sent =>
        unanswered(messagesOf(sent)).length > 0
          ? 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.'
          : undefined,
    },
    {
      name: 'thought-signature',
      about: 'a call of the turn that goes on without the thought_signature that came with it',
      source:
        'https://discuss.ai.google.dev/t/openai-api-compatibility-broken-due-to-thought-signature-on-gemini-3-pro-preview/109823',
      check: lostSignature,
    },
  ],
  traits: [
    {
      about: 'the first call of an answer has a signature in extra_content, which must come back',
      source: 'https://ai.google.dev/gemini-api/docs/thought-signatures',
      pieces: signed,
    },
    {
      about: 'a call comes whole, in one piece without an index',
      source: 'https://github.com/openai/openai-python/pull/3246',
      ...wholeCalls,
    },
  ],
  errorBody: (message, code, error) => [
    { error: { code, message, status: code === 404 ? 'NOT_FOUND' : 'INVALID_ARGUMENT', ...error } },
  ],
  callId: idsLike('function-call-', 19),
}
