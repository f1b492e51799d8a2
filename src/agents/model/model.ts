// The agent with a model. Each step is one streamed call of a chat completions endpoint. The runtime runs the tools
// that the model calls. The answer of the model ends the task. A history that is too long is summarized first, in a
// step of its own.
import { type Asked, schemaOf, stepBody } from '../../chat/request.ts'
import type { Agent, StepEnd, StepInput, StepPart } from '../../contract/agent.ts'
import type { Timers } from '../../contract/ports.ts'
import type { OutputItem } from '../../contract/wire.ts'
import { sleep } from '../../platform/sleep.ts'
import type { Heard } from './chunks.ts'
import { tooMuch } from './compress.ts'
import { createEndpoint, type Endpoint } from './endpoint.ts'
import { ModelRefused } from './failures.ts'
import { type Limits, overLimit } from './limits.ts'
import { type Listened, listen } from './listen.ts'
import { endOfAnswer, endOfFailure, failed } from './step-end.ts'
import { sumUp } from './sum-up.ts'

const parts = {
  text: { item: 'message', part: 'output_text' },
  refusal: { item: 'message', part: 'refusal' },
  reasoning: { item: 'reasoning', part: 'reasoning_text' },
} as const

const say = (heard: Heard): StepPart =>
  heard.kind === 'call'
    ? { say: 'call-delta', call: heard.call, name: heard.name, text: heard.text }
    : {
        say: 'delta',
        ...parts[heard.kind],
        text: heard.text,
        ...(heard.logprobs === undefined ? {} : { logprobs: heard.logprobs }),
      }

/** Whether the error says, in the usual words, that the endpoint does not support schemas of answers. */
const knowsNoSchema = (error: unknown): boolean =>
  error instanceof ModelRefused &&
  [400, 404, 415, 422, 501].includes(error.status ?? 0) &&
  /response_format|json_schema|structured|guided/i.test(error.message)

export const model = (endpoint: Endpoint, limits: Limits, timers: Timers): Agent => {
  const { chunks } = createEndpoint(endpoint, timers)
  /**
   * Whether schemas are described in words because the endpoint has refused one. The next start tries schemas again,
   * since the endpoint may support them by then.
   */
  let schemaInWords = false

  const nameOf = ({ request }: StepInput) => request.agent_config?.model ?? endpoint.model

  async function* answer(input: StepInput, items: OutputItem[]): AsyncGenerator<StepPart, Listened> {
    const { request, signal } = input
    const tools = await input.tools()
    yield { say: 'tools', tools }
    const inWords = schemaInWords && schemaOf(request) !== undefined
    const asked: Asked = { model: nameOf(input), ...(inWords ? { schema_in_words: true } : {}) }
    const heard = listen(chunks, asked, stepBody(asked, { request, items, tools }), signal)
    for (;;) {
      const next = await heard.next()
      if (next.done) return next.value
      yield say(next.value)
    }
  }

  /** Asks the model, and asks once more when the endpoint turns out not to support schemas. */
  async function* think(input: StepInput, items: OutputItem[]): AsyncGenerator<StepPart, StepEnd> {
    let listened: Listened
    try {
      listened = yield* answer(input, items)
    } catch (error) {
      if (schemaInWords || schemaOf(input.request) === undefined || !knowsNoSchema(error)) throw error
      schemaInWords = true
      listened = yield* answer(input, items)
    }
    return yield* endOfAnswer(listened, input.corrected)
  }

  return {
    name: 'model',
    description: 'Asks the configured model, runs the tools that it calls, and gives its answer.',
    corrects: true,
    async *step(input) {
      const { attempt, request, used, signal } = input
      const over = overLimit(input, limits)
      if (over !== undefined) return failed(over)
      if (attempt > 0) await sleep(timers, 500 * 2 ** Math.min(attempt - 1, 4), signal)
      const items = await input.history()
      const long = tooMuch(request, items, used.context)
      try {
        return long === undefined
          ? yield* think(input, items)
          : yield* sumUp(chunks, nameOf(input), input, long)
      } catch (error) {
        return endOfFailure(error, attempt, signal)
      }
    },
  }
}
