// The agent with a model: one call of a chat completions endpoint a step, streamed; its calls are run by the
// runtime, its answer ends the task. What is too long for the model is first summed up, in a step of its own.
import { type Asked, schemaOf, stepBody, summaryBody } from '../../chat/request.ts'
import type { Agent, StepEnd, StepInput, StepPart } from '../../contract/agent.ts'
import type { Timers } from '../../contract/ports.ts'
import { isWholeJson } from '../../contract/whole-json.ts'
import type { OutputItem } from '../../contract/wire.ts'
import { sleep } from '../../platform/sleep.ts'
import type { Heard } from './chunks.ts'
import { tooMuch } from './compress.ts'
import { createEndpoint, type Endpoint, ModelRefused } from './endpoint.ts'
import { endOf, failed, type Listened, listen } from './listen.ts'

/** What one task may use before it has failed; 0: as much as it likes. */
export type Limits = { steps: number; tokens: number; seconds: number }

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

const overLimit = (
  { agentStep, used }: StepInput,
  { steps, tokens, seconds }: Limits,
): string | undefined => {
  const not = 'the agent has not come to an answer'
  if (steps > 0 && agentStep > steps) return `${not} in ${steps} steps`
  if (tokens > 0 && used.tokens >= tokens) return `${not} with ${tokens} tokens`
  if (seconds > 0 && Date.now() - used.startedAt > seconds * 1000) return `${not} in ${seconds} s`
  return undefined
}

/** An endpoint that does not know how to fit an answer to a schema says so in these words, more or less. */
const knowsNoSchema = (error: unknown): boolean =>
  error instanceof ModelRefused &&
  [400, 404, 415, 422, 501].includes(error.status ?? 0) &&
  /response_format|json_schema|structured|guided/i.test(error.message)

const cutCall =
  'the model was cut off while it called a tool (finish reason: length); give it a larger max_response_length'
const correctionOfCut =
  'Your call was cut off because your answer reached the greatest length allowed. It did not run. Answer again, and say less at once.'

const account = ({ call, usage }: Listened) => ({ call, ...(usage === undefined ? {} : { usage }) })

export const model = (endpoint: Endpoint, limits: Limits, timers: Timers): Agent => {
  const { chunks } = createEndpoint(endpoint, timers)
  /** Learned from its refusal; forgotten with the process, for endpoints learn too. */
  let schemaInWords = false

  const nameOf = ({ request }: StepInput) => request.agent_config?.model ?? endpoint.model

  async function* answer(input: StepInput, items: OutputItem[]): AsyncGenerator<StepPart, Listened> {
    const { request, form, signal } = input
    const tools = await input.tools()
    yield { say: 'tools', tools }
    const inWords = schemaInWords && schemaOf(request) !== undefined
    const asked: Asked = { form, model: nameOf(input), ...(inWords ? { schema_in_words: true } : {}) }
    const heard = listen(chunks, asked, stepBody(asked, { request, items, tools }), signal)
    for (;;) {
      const next = await heard.next()
      if (next.done) return next.value
      yield say(next.value)
    }
  }

  /** The same, once more when the endpoint turns out to know no schemas. */
  async function* think(input: StepInput, items: OutputItem[]): AsyncGenerator<StepPart, StepEnd> {
    let listened: Listened
    try {
      listened = yield* answer(input, items)
    } catch (error) {
      if (schemaInWords || schemaOf(input.request) === undefined || !knowsNoSchema(error)) throw error
      schemaInWords = true
      listened = yield* answer(input, items)
    }
    const { calls, spoke, call } = listened
    const { finish_reason } = call.response
    const isCut = finish_reason === 'length'
    const made = isCut ? calls.filter(({ arguments: args }) => isWholeJson(args)) : calls
    if (!spoke && made.length === 0 && finish_reason !== 'stop') {
      return failed(`the model said nothing (finish reason: ${finish_reason})`)
    }
    if (isCut) yield { say: 'cut-off' }
    for (const { name, arguments: args } of made) {
      if (args === '') yield { say: 'call', name, arguments: '{}' } // nothing of it was said yet
    }
    if (made.length > 0) return { end: 'continue', ...account(listened) }
    if (calls.length === 0) return { end: 'answer', ...account(listened) }
    if (input.corrected) return failed(cutCall)
    return { end: 'correct', message: correctionOfCut, ...account(listened) }
  }

  async function* sumUp(input: StepInput, items: OutputItem[]): AsyncGenerator<StepPart, StepEnd> {
    const { request, form, signal } = input
    yield { say: 'compressing' }
    const asked: Asked = { form, model: request.agent_config?.compress_model ?? nameOf(input) }
    const heard = listen(chunks, asked, summaryBody(asked, { request, items }), signal)
    let summary = ''
    for (;;) {
      const next = await heard.next()
      if (next.done) {
        if (summary.trim() === '') return failed('the model that sums up said nothing')
        const compressed = { summary, items: items.flatMap(({ id }) => id ?? []) }
        return { end: 'continue', compressed, ...account(next.value) }
      }
      if (next.value.kind === 'text') summary += next.value.text
    }
  }

  return {
    name: 'model',
    description: 'Asks the configured model, runs the tools that it calls, and gives its answer.',
    corrects: true,
    async *step(input) {
      const { attempt, request, form, used, signal } = input
      const over = overLimit(input, limits)
      if (over !== undefined) return failed(over)
      if (attempt > 0) await sleep(timers, 500 * 2 ** Math.min(attempt - 1, 4), signal)
      const items = await input.history()
      const long = tooMuch(request, items, form, used.context)
      try {
        return long === undefined ? yield* think(input, items) : yield* sumUp(input, long)
      } catch (error) {
        return endOf(error, attempt, signal)
      }
    },
  }
}
