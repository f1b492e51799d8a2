// OpenRouter, with a model of another vendor behind it whose reasoning must come back.
import { eachEvent } from '../../../src/fake-model/faults/fault.ts'
import { fieldsOf, listOf } from '../../../src/fake-model/question.ts'
import { callsIn, currentTurn, messagesOf } from './completions-history.ts'
import { after, eachChoice } from './completions-traits.ts'
import { bearer, type Complaint, hasBearer, type Imitation, idsLike, type Sent } from './imitation.ts'

const preserving =
  'https://openrouter.ai/docs/guides/best-practices/reasoning-tokens#preserving-reasoning-blocks'

/** A step of the turn that goes on, which must have the reasoning from which its calls came. */
const lostReasoning = (sent: Sent): Complaint | undefined => {
  for (const message of currentTurn(messagesOf(sent))) {
    const signatures = callsIn(message).map(({ id }) => sent.issued.calls.get(id)?.signature)
    const details = listOf(message.reasoning_details).map(fieldsOf)
    const lost = signatures.find(
      signature => signature !== undefined && !details.some(detail => detail.signature === signature),
    )
    if (lost === undefined) continue
    const raw = `Gemini models require OpenRouter reasoning details to be preserved in each request. Please refer to our docs: ${preserving}. Upstream error: {"error":{"code":400,"message":"Function call is missing a thought_signature in functionCall parts.","status":"INVALID_ARGUMENT"}}`
    return {
      message: 'Provider returned error',
      more: { metadata: { raw, provider_name: 'Google AI Studio' } },
    }
  }
  return undefined
}
const forgedReasoning = (sent: Sent): Complaint | undefined => {
  for (const [n, { reasoning_details }] of messagesOf(sent).entries()) {
    const details = listOf(reasoning_details).map(fieldsOf)
    const thought = details.map(({ text = '' }) => text).join('')
    const forged = details.find(
      ({ signature }) => signature !== undefined && sent.issued.thoughts.get(String(signature)) !== thought,
    )
    if (forged === undefined) continue
    const raw = JSON.stringify({ message: `messages.${n}.content.0: Invalid signature in thinking block` })
    return {
      message: 'Provider returned error',
      more: { metadata: { raw, provider_name: 'Amazon Bedrock' } },
    }
  }
  return undefined
}

export const openrouter: Imitation = {
  title: 'OpenRouter',
  paths: { chat: '/api/v1/chat/completions' },
  base: '/api/v1',
  model: 'google/gemini-3-pro-preview',
  headers: bearer,
  rules: [
    {
      name: 'key',
      about: 'a request without a valid key as its bearer token',
      source: 'https://openrouter.ai/docs/api/reference/errors-and-debugging',
      check: sent => (hasBearer(sent) ? undefined : 'No auth credentials found'),
      status: 401,
    },
    {
      name: 'reasoning-details',
      about: 'a call of the turn that goes on without the reasoning_details that came with it',
      source: 'https://github.com/LibreChat-AI/agents/issues/37',
      check: lostReasoning,
    },
    {
      name: 'reasoning-signature',
      about: 'reasoning_details that are not as they were sent',
      source: 'https://github.com/linanwx/nagobot/issues/21',
      check: forgedReasoning,
    },
    {
      name: 'tool-name',
      about: 'a name of a tool that the vendor behind it refuses; its own error is in metadata.raw',
      source: 'https://github.com/xinnan-tech/xiaozhi-esp32-server/issues/1466',
      check: ({ body }) => {
        const names = listOf(body.tools).map(tool => String(fieldsOf(fieldsOf(tool).function).name))
        const n = names.findIndex(name => !/^[a-zA-Z0-9_-]+$/.test(name))
        if (n < 0) return undefined
        const param = `tools[${n}].function.name`
        const says = `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`
        const raw = JSON.stringify({ error: { message: says, type: 'invalid_request_error', param } })
        return { message: 'Provider returned error', more: { metadata: { raw, provider_name: 'OpenAI' } } }
      },
    },
  ],
  traits: [
    {
      about: 'comments come before the first event, and between events',
      source: 'https://openrouter.ai/docs/api-reference/streaming',
      steps: (steps, protocol) =>
        eachEvent((event, nth) => (nth === 2 ? [': OPENROUTER PROCESSING\n\n', event] : [event]))(
          after(': OPENROUTER PROCESSING\n\n')(steps, protocol),
          protocol,
        ),
    },
    {
      about: 'reasoning is in reasoning and in reasoning_details, which must come back unchanged',
      source: 'https://openrouter.ai/docs/use-cases/reasoning-tokens',
      answer: answer => ({ reasoning_as: 'reasoning_details', ...answer }),
    },
    {
      about: 'each chunk names the provider, and each choice the reason to finish in its words',
      source: 'https://openrouter.ai/docs/api/reference/overview',
      ...eachChoice(
        choice => ({ ...choice, native_finish_reason: choice.finish_reason ?? null }),
        chunk => ({ ...chunk, provider: 'Google AI Studio' }),
      ),
    },
  ],
  errorBody: (message, code, error) => ({ error: { message, code, ...error }, user_id: 'user_imitation' }),
  callId: idsLike('tool_0_', 20),
}
