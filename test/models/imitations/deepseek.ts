// DeepSeek, with a model that thinks, as its models do by default.
import type { Frame, Step } from '../../../src/fake-model/frames.ts'
import { fieldsOf } from '../../../src/fake-model/question.ts'
import { callsIn, hasImage, messagesOf, strayResults, unanswered } from './completions-history.ts'
import { after } from './completions-traits.ts'
import { bearer, hasBearer, hasLoneSurrogate, type Imitation, idsLike, type Sent } from './imitation.ts'

const invalid = { type: 'invalid_request_error', param: null, code: 'invalid_request_error' }
const thinks = ({ body }: Sent): boolean => fieldsOf(body.thinking).type !== 'disabled'

/** The empty lines that come before a body while the server is busy. */
function* afterLines(frames: Iterable<Frame>): Generator<Frame> {
  let isStream: boolean | undefined
  for (const frame of frames) {
    isStream ??= typeof frame === 'string' && /^(data|event)?:/.test(frame)
    if (!isStream && typeof frame === 'string') yield '\n\n'
    yield frame
    isStream ??= true
  }
}
const keepAlive: Step[] = [': keep-alive\n\n', ': keep-alive\n\n']

export const deepseek: Imitation = {
  title: 'DeepSeek',
  paths: { chat: '/v1/chat/completions' },
  base: '/v1',
  model: 'deepseek-reasoner',
  headers: bearer,
  rules: [
    {
      name: 'key',
      about: 'a request without a valid key as its bearer token',
      source: 'https://api-docs.deepseek.com/quick_start/error_codes',
      check: sent => (hasBearer(sent) ? undefined : 'Authentication Fails, Your api key is invalid'),
      status: 401,
      error: { type: 'authentication_error' },
    },
    {
      name: 'lone-surrogate',
      about: 'half of a surrogate pair anywhere in the body',
      source: 'https://github.com/JohnnyZ93/oai-compatible-copilot/pull/271',
      check: sent =>
        hasLoneSurrogate(sent)
          ? 'Failed to parse the request body as JSON: messages[0].content: lone leading surrogate in hex escape'
          : undefined,
    },
    {
      name: 'image',
      about: 'an image in any message',
      source: 'https://github.com/esengine/DeepSeek-Reasonix/issues/7859',
      check: sent => {
        const n = messagesOf(sent).findIndex(hasImage)
        return n < 0
          ? undefined
          : `Failed to deserialize the JSON body into the target type: messages[${n}]: unknown variant \`image_url\`, expected \`text\` at line 1 column ${sent.raw.length}`
      },
    },
    {
      name: 'unanswered-calls',
      about: 'a call whose result does not follow right after its message',
      source: 'https://github.com/TurixAI/TuriX-CUA/issues/15',
      check: sent =>
        unanswered(messagesOf(sent)).length > 0
          ? "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages following tool_calls message)"
          : undefined,
    },
    {
      name: 'stray-results',
      about: 'a result of a call that is not in the message before',
      source: 'https://github.com/qwersyk/Newelle/issues/425',
      check: sent =>
        strayResults(messagesOf(sent)).length > 0
          ? "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'"
          : undefined,
    },
    {
      name: 'reasoning-content',
      about: 'a message with calls without the reasoning_content that came with it, while thinking is on',
      source: 'https://github.com/dirac-run/dirac/issues/5',
      check: sent =>
        thinks(sent) &&
        messagesOf(sent).some(
          message => callsIn(message).length > 0 && typeof message.reasoning_content !== 'string',
        )
          ? 'The `reasoning_content` in the thinking mode must be passed back to the API.'
          : undefined,
    },
    {
      name: 'json-schema',
      about: 'a response_format with a schema: only text and json_object are allowed',
      source: 'https://github.com/llm-exe/llm-exe/issues/662',
      check: ({ body }) =>
        fieldsOf(body.response_format).type === 'json_schema'
          ? 'This response_format type is unavailable now'
          : undefined,
    },
    {
      name: 'json-in-words',
      about: 'a response_format json_object, when no message has the word json',
      source: 'https://github.com/browserbase/stagehand/issues/1204',
      check: ({ body }) =>
        fieldsOf(body.response_format).type === 'json_object' && !/json/i.test(JSON.stringify(body.messages))
          ? "Prompt must contain the word 'json' in some form to use 'response_format' of type 'json_object'."
          : undefined,
    },
  ],
  traits: [
    {
      about: 'keep-alive comments come before the first event, and empty lines before a body',
      source: 'https://api-docs.deepseek.com/quick_start/rate_limit',
      steps: after(...keepAlive),
      frames: afterLines,
    },
    {
      about: 'reasoning is in reasoning_content',
      source: 'https://api-docs.deepseek.com/guides/thinking_mode',
      answer: answer => ({ reasoning_as: 'reasoning_content', ...answer }),
    },
  ],
  errorBody: (message, _status, error) => ({ error: { message, ...invalid, ...error } }),
  callId: nth => `call_${String(nth - 1).padStart(2, '0')}_${idsLike('', 24)(nth)}`,
}
