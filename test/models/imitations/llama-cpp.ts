// The server of llama.cpp, with --jinja and the template of a model that wants roles to alternate.
import { fieldsOf, listOf } from '../../../src/fake-model/question.ts'
import { callsIn, callsOf, jsonProblem, messagesOf } from './completions-history.ts'
import { argumentsWithName, eachChoice } from './completions-traits.ts'
import { type Imitation, idsLike, type Sent } from './imitation.ts'

const server = 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/server-common.cpp'
const bad = { type: 'invalid_request_error' }

/** As templates count: users and assistants in turns, without calls and results, after one system message. */
const outOfTurn = (sent: Sent): string | undefined => {
  const said = messagesOf(sent).filter(
    message => message.role !== 'tool' && !(message.role === 'assistant' && callsIn(message).length > 0),
  )
  const turns = said[0]?.role === 'system' ? said.slice(1) : said
  return turns.some(({ role }, n) => role !== (n % 2 === 0 ? 'user' : 'assistant'))
    ? "\n------------\nWhile executing CallExpression at line 47, column 32 in source:\n...== 0) %}↵            {{- raise_exception('After the optional system message, con...\n                                           ^\nError: Jinja Exception: After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results."
    : undefined
}
const partProblem = (sent: Sent): string | undefined =>
  messagesOf(sent)
    .flatMap(({ content }) => listOf(content).map(fieldsOf))
    .some(({ type }) => !['text', 'image_url', 'input_audio'].includes(String(type)))
    ? 'unsupported content[].type'
    : undefined
const urls = (sent: Sent): string[] =>
  messagesOf(sent)
    .flatMap(({ content }) => listOf(content).map(fieldsOf))
    .flatMap(part => (part.type === 'image_url' ? [String(fieldsOf(part.image_url).url)] : []))

export const llamaCpp: Imitation = {
  title: 'llama.cpp',
  paths: { chat: '/v1/chat/completions' },
  base: '/v1',
  model: 'local',
  headers: {},
  rules: [
    {
      name: 'messages',
      about: 'a message without content; of an assistant, one without content and calls',
      source: server,
      check: sent => {
        for (const message of messagesOf(sent)) {
          if ('content' in message) continue
          if (message.role !== 'assistant') return "All non-assistant messages must contain 'content'"
          if (!('tool_calls' in message)) {
            return "Assistant message must contain either 'content' or 'tool_calls'!"
          }
        }
        return undefined
      },
      error: bad,
    },
    {
      name: 'content-type',
      about: 'a part of a content that is no text, image or audio',
      source: server,
      check: partProblem,
      error: bad,
    },
    {
      name: 'image-url',
      about: 'an image that is not data of the type image/… in base64',
      source: server,
      check: sent => {
        const [url] = urls(sent).filter(
          each => !/^https?:/.test(each) && !/^data:image\/[^,]*base64,/.test(each),
        )
        if (url === undefined) return undefined
        return url.startsWith('data:image/')
          ? 'url must be base64 encoded'
          : `Invalid url format: ${url.split(',')[0]}`
      },
      status: 500,
    },
    {
      name: 'response-format',
      about: 'a response_format of an unknown type',
      source: server,
      check: ({ body }) => {
        const { type = 'text' } = fieldsOf(body.response_format)
        return ['text', 'json_object', 'json_schema'].includes(String(type))
          ? undefined
          : `response_format type must be one of "text" or "json_object", but got: ${type}`
      },
      error: bad,
    },
    {
      name: 'two-assistants-last',
      about: 'two messages of the assistant at the end',
      source: server,
      check: sent =>
        messagesOf(sent)
          .slice(-2)
          .filter(({ role }) => role === 'assistant').length === 2
          ? 'Cannot have 2 or more assistant messages at the end of the list.'
          : undefined,
      error: bad,
    },
    {
      name: 'malformed-arguments',
      about: 'arguments of an earlier call that are no JSON',
      source: 'https://github.com/ggml-org/llama.cpp/issues/25510',
      check: sent => {
        const problem = callsOf(sent)
          .map(call => jsonProblem(call.arguments))
          .find(each => each !== undefined)
        return (
          problem &&
          `Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] ${problem}`
        )
      },
      status: 500,
    },
    {
      name: 'alternating-roles',
      about:
        'two messages of the user, or of the assistant, in a row; a system message that is not the first one',
      source: 'https://github.com/ggml-org/llama.cpp/issues/19851',
      check: outOfTurn,
      status: 500,
    },
  ],
  traits: [
    {
      about: 'reasoning is in reasoning_content',
      source: 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md',
      answer: answer => ({ reasoning_as: 'reasoning_content', ...answer }),
    },
    {
      about: 'the first piece of a call has the beginning of its arguments',
      source: 'https://github.com/agentjido/req_llm/pull/801',
      ...argumentsWithName,
    },
    {
      about: 'the chunk that ends the answer has timings',
      source: 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md',
      ...eachChoice(
        choice => choice,
        chunk =>
          listOf(chunk.choices).some(choice => fieldsOf(choice).finish_reason)
            ? { ...chunk, timings: { prompt_n: 7, predicted_n: 3, predicted_ms: 12.5 } }
            : chunk,
      ),
    },
  ],
  errorBody: (message, code, error) => ({
    error: { code, message, type: code >= 500 ? 'server_error' : bad.type, ...error },
  }),
  callId: idsLike('', 32),
}
