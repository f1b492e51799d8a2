// The agent with a model. Each step is one streamed call of the model's endpoint. The runtime runs the tools that the
// model calls. The answer of the model ends the task. A history that is too long is summarized first, in a step of its
// own.
import { stepBody } from '../../chat/request.ts'
import type { Agent, GivenTurn, StepEnd, StepInput, StepPart } from '../../contract/agent.ts'
import type { Timers } from '../../contract/ports.ts'
import type { OutputItem } from '../../contract/wire.ts'
import { sleep } from '../../platform/sleep.ts'
import { tooMuch } from './compress.ts'
import type { Heard, ModelEndpoint } from './endpoint.ts'
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
        ...(heard.opens === undefined ? {} : { opens: heard.opens }),
        ...(heard.logprobs === undefined ? {} : { logprobs: heard.logprobs }),
      }

/** The context of a step. */
type Seen = { items: OutputItem[]; turns: GivenTurn[] }

export const model = (endpoint: ModelEndpoint, limits: Limits, timers: Timers): Agent => {
  const nameOf = ({ request }: StepInput) => request.agent_config?.model ?? endpoint.model

  /** Asks the model, and asks again with another body when the endpoint turns out not to take the first one. */
  async function* answer(input: StepInput, seen: Seen): AsyncGenerator<StepPart, Listened> {
    const { request, signal } = input
    const tools = await input.tools()
    yield { say: 'tools', tools }
    for (;;) {
      const asked = endpoint.asks(nameOf(input))
      const heard = listen(endpoint, asked, stepBody(asked, { request, ...seen, tools }), signal)
      try {
        for (;;) {
          const next = await heard.next()
          if (next.done) return next.value
          yield say(next.value)
        }
      } catch (error) {
        if (!(error instanceof ModelRefused) || !endpoint.learns(asked, error)) throw error
      }
    }
  }

  return {
    name: 'model',
    description: 'Asks the configured model, runs the tools that it calls, and gives its answer.',
    corrects: true,
    async *step(input): AsyncGenerator<StepPart, StepEnd> {
      const { attempt, request, used, signal } = input
      const over = overLimit(input, limits)
      if (over !== undefined) return failed(over)
      if (attempt > 0) await sleep(timers, 500 * 2 ** Math.min(attempt - 1, 4), signal)
      const [items, turns] = [await input.history(), await input.given()]
      const long = tooMuch(request, items, used.context)
      try {
        if (long !== undefined) return yield* sumUp(endpoint, nameOf(input), input, long)
        return yield* endOfAnswer(yield* answer(input, { items, turns }), input.corrected)
      } catch (error) {
        return endOfFailure(error, attempt, signal)
      }
    },
  }
}
