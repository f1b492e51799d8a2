// Ollama, at its endpoint that is compatible with OpenAI.
import { fieldsOf, listOf } from '../../../src/fake-model/question.ts'
import { callsOf, isJsonObject, messagesOf } from './completions-history.ts'
import { eachChoice, wholeCalls } from './completions-traits.ts'
import { type Imitation, idsLike, type Sent } from './imitation.ts'

const code = 'https://github.com/ollama/ollama/blob/main/openai/openai.go'
const model = 'qwen3:8b'

const contentProblem = (sent: Sent): string | undefined => {
  for (const { content, tool_calls } of messagesOf(sent)) {
    if (typeof content === 'string') continue
    if (!Array.isArray(content)) {
      if (Array.isArray(tool_calls)) continue
      return `invalid message content type: ${content === null || content === undefined ? '<nil>' : typeof content}`
    }
    const known = ['text', 'image_url', 'input_audio']
    if (content.some(part => !known.includes(String(fieldsOf(part).type)))) return 'invalid message format'
  }
  return undefined
}
const imageProblem = (sent: Sent): string | undefined => {
  const parts = messagesOf(sent).flatMap(({ content }) => listOf(content).map(fieldsOf))
  const images = parts.flatMap(({ type, image_url }) =>
    type === 'image_url' ? [String(fieldsOf(image_url).url ?? image_url)] : [],
  )
  if (images.some(url => /^https?:/.test(url))) {
    return 'image URLs are not currently supported, please use base64 encoded data instead'
  }
  const data = /^data:(image\/(jpeg|jpg|png|webp))?;base64,/
  return images.some(url => !data.test(url)) ? 'invalid image input' : undefined
}

export const ollama: Imitation = {
  title: 'Ollama',
  paths: { chat: '/v1/chat/completions' },
  base: '/v1',
  model,
  headers: {},
  rules: [
    {
      name: 'messages',
      about: 'no messages',
      source: 'https://github.com/ollama/ollama/blob/main/middleware/openai.go',
      check: sent => (messagesOf(sent).length === 0 ? "[] is too short - 'messages'" : undefined),
    },
    {
      name: 'content',
      about: 'a content that is no text, list of known parts, or null beside calls',
      source: code,
      check: contentProblem,
    },
    {
      name: 'image',
      about: 'an image that is not jpeg, png or webp in base64',
      source: code,
      check: imageProblem,
    },
    {
      name: 'malformed-arguments',
      about: 'arguments of an earlier call that are no JSON object',
      source: code,
      check: sent =>
        callsOf(sent).some(call => call.arguments !== 'null' && !isJsonObject(call.arguments))
          ? 'invalid tool call arguments'
          : undefined,
    },
    {
      name: 'effort',
      about: 'an unknown reasoning_effort',
      source: code,
      check: ({ body }) => {
        const effort = String(fieldsOf(body.reasoning).effort ?? body.reasoning_effort ?? 'none')
        return ['minimal', 'low', 'medium', 'high', 'xhigh', 'ultra', 'max', 'none'].includes(effort)
          ? undefined
          : `invalid reasoning value: "${effort}" (must be "minimal", "low", "medium", "high", "xhigh", "ultra", "max", or "none")`
      },
    },
    {
      name: 'model',
      about: 'a model that is not there',
      source: 'https://github.com/ollama/ollama/blob/main/server/routes.go',
      check: ({ body }) => (body.model === model ? undefined : `model '${body.model}' not found`),
      status: 404,
      error: { type: 'not_found_error' },
    },
  ],
  traits: [
    {
      about: 'reasoning is in reasoning',
      source: code,
      answer: answer => ({ reasoning_as: 'reasoning', ...answer }),
    },
    {
      about: 'a call comes whole, in one piece without an index',
      source: 'https://github.com/ollama/ollama/issues/7881',
      ...wholeCalls,
    },
    {
      about: 'the fingerprint is fp_ollama',
      source: code,
      ...eachChoice(
        choice => choice,
        chunk => ({ ...chunk, system_fingerprint: 'fp_ollama' }),
      ),
    },
  ],
  errorBody: (message, status, error) => ({
    error: {
      message,
      type: status === 404 ? 'not_found_error' : status >= 500 ? 'api_error' : 'invalid_request_error',
      param: null,
      code: null,
      ...error,
    },
  }),
  callId: idsLike('call_', 8),
}
