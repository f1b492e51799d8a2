// The agent with a model: one call of a chat completions endpoint a step, streamed; its calls are run by the
// runtime, its answer ends the task.
import type { Agent, StepEnd, StepInput, StepPart } from '../../contract/agent.ts'
import type { Timers } from '../../contract/ports.ts'
import { sleep } from '../sleep.ts'
import { createReader, type Heard } from './chunks.ts'
import { createEndpoint, type Endpoint, ModelLost, ModelRefused } from './endpoint.ts'
import { messagesOf, toolsOf } from './messages.ts'

const mostSteps = 200
/** How often a step whose answer broke off is begun again. */
const mostAttempts = 4

const bodyOf = async ({ request, history, tools }: StepInput, model: string): Promise<object> => {
  const config = request.agent_config ?? {}
  const schema = request.stream ? undefined : request.structured_output
  const offered = toolsOf(await tools())
  return {
    ...config.inference_args,
    ...request.inference_args,
    ...(config.max_response_length ? { max_tokens: config.max_response_length } : {}),
    ...(schema ? { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } } : {}),
    ...(offered === undefined ? {} : { tools: offered }),
    model: config.model ?? model,
    messages: messagesOf(await history(), config.developer_prompt ?? undefined),
    stream: true,
    stream_options: { include_usage: true },
  }
}

const parts = {
  text: { item: 'message', part: 'output_text' },
  refusal: { item: 'message', part: 'refusal' },
  reasoning: { item: 'reasoning', part: 'reasoning_text' },
} as const

const failed = (message: string): StepEnd => ({ end: 'fail', error: { code: -32000, message } })

export const model = (endpoint: Endpoint, timers: Timers): Agent => {
  const { chunks } = createEndpoint(endpoint, timers)
  return {
    name: 'model',
    async *step(input) {
      const { agentStep, attempt, signal } = input
      if (agentStep > mostSteps) return failed(`the agent has not come to an answer in ${mostSteps} steps`)
      if (attempt > 0) await sleep(timers, 500 * 2 ** (attempt - 1), signal)
      const reader = createReader()
      const say = (heard: Heard): StepPart =>
        heard.kind === 'call'
          ? { say: 'call-delta', call: heard.call, name: heard.name, text: heard.text }
          : { say: 'delta', ...parts[heard.kind], text: heard.text }
      let spoke = false
      try {
        for await (const chunk of chunks(await bodyOf(input, endpoint.model), signal)) {
          for (const heard of reader.hear(chunk)) {
            spoke = true
            yield say(heard)
          }
        }
        for (const heard of reader.end()) {
          spoke = true
          yield say(heard)
        }
      } catch (error) {
        if (signal.aborted) return { end: 'again' }
        if (error instanceof ModelRefused) return failed(error.message)
        if (!(error instanceof ModelLost)) throw error
        return attempt + 1 < mostAttempts ? { end: 'again' } : failed(error.message)
      }
      const calls = reader.calls().filter(({ name }) => name !== '')
      const finish = reader.finish()
      // An answer without an end was cut off on its way.
      if (finish === undefined && calls.length === 0) {
        return attempt + 1 < mostAttempts ? { end: 'again' } : failed("the model's answer broke off")
      }
      if (!spoke && calls.length === 0 && finish !== 'stop') {
        return failed(`the model said nothing (finish reason: ${finish})`)
      }
      const usage = reader.usage()
      for (const { name, arguments: args } of calls) {
        if (args === '') yield { say: 'call', name, arguments: '{}' } // nothing of it was said yet
      }
      return { end: calls.length > 0 ? 'continue' : 'answer', ...(usage === undefined ? {} : { usage }) }
    },
  }
}
