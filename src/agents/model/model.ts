// The agent with a model. Each step is one streamed call of the model's endpoint. The runtime runs the tools that the
// model calls. The answer of the model ends the task. A history that is too long is summarized first, in a step of its
// own.

import type { Agent, GivenTurn, StepEnd, StepInput, StepPart } from '../../contract/agent.ts'
import type { World } from '../../contract/ports.ts'
import type { OutputItem } from '../../contract/wire.ts'
import { schemaOf, stepBody } from '../../model-requests/request.ts'
import { sleep } from '../../platform/sleep.ts'
import { olderHalf, tooMuch } from './compress.ts'
import type { Heard, ModelEndpoint } from './endpoint.ts'
import { ModelRefused } from './failures.ts'
import { createFenceFilter } from './fence.ts'
import { type Limits, overLimit } from './limits.ts'
import { ask, type Listened } from './listen.ts'
import { endOfAnswer, endOfFailure, failed } from './step-end.ts'
import { sumUp } from './sum-up.ts'
import { isTooLong, tooLongHint, windowIn } from './too-long.ts'

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
        ...(heard.annotations === undefined ? {} : { annotations: heard.annotations }),
      }

type Listening = AsyncGenerator<Heard, Listened>

async function* said(heard: Listening): AsyncGenerator<StepPart, Listened> {
  for (;;) {
    const next = await heard.next()
    if (next.done) return next.value
    yield say(next.value)
  }
}

/** An answer that must be JSON, without the fence around it. */
async function* withoutFence(heard: Listening): AsyncGenerator<StepPart, Listened> {
  const fence = createFenceFilter()
  for (;;) {
    const next = await heard.next()
    const rest = next.done || next.value.kind !== 'text' ? fence.end() : ''
    if (rest !== '') yield say({ kind: 'text', text: rest })
    if (next.done) return next.value
    const { value } = next
    const text = value.kind === 'text' ? fence.hear(value.text) : value.text
    const hasSources = value.kind === 'text' && value.annotations !== undefined
    if (text !== '' || hasSources) yield say({ ...value, text })
  }
}

/** The context of a step. */
type Seen = { items: OutputItem[]; turns: GivenTurn[] }

export const model = (
  endpoint: ModelEndpoint,
  limits: Limits,
  { timers, clock }: Pick<World, 'timers' | 'clock'>,
): Agent => {
  const nameOf = ({ request }: StepInput) => request.agent_config?.model ?? endpoint.model

  async function* answer(input: StepInput, seen: Seen): AsyncGenerator<StepPart, Listened> {
    const { request, signal } = input
    const tools = await input.tools()
    yield { say: 'tools', tools }
    const heard = ask(
      endpoint,
      { model: nameOf(input) },
      asked => stepBody(asked, { request, ...seen, tools }),
      signal(),
    )
    return yield* schemaOf(request) === undefined ? said(heard) : withoutFence(heard)
  }

  /** A step that asks the model, or sums up the context when the endpoint has no room for it. */
  async function* answered(input: StepInput, seen: Seen): AsyncGenerator<StepPart, StepEnd> {
    try {
      return yield* endOfAnswer(yield* answer(input, seen), input.corrected)
    } catch (error) {
      if (!isTooLong(error)) throw error
      const half = input.summed ? undefined : olderHalf(seen.items)
      if (half === undefined) throw new ModelRefused(`${error.message} (${tooLongHint})`)
      const window = windowIn(error) ?? Math.ceil(half.tokens / 2)
      return yield* sumUp(endpoint, nameOf(input), input, half.older, window)
    }
  }

  return {
    name: 'model',
    description: 'Asks the configured model, runs the tools that it calls, and gives its answer.',
    corrects: true,
    dialect: endpoint.dialect,
    async *step(input): AsyncGenerator<StepPart, StepEnd> {
      const { attempt, request, used, signal } = input
      const over = overLimit(input, limits, clock.now())
      if (over !== undefined) return failed(over)
      if (attempt > 0) await sleep(timers, 500 * 2 ** Math.min(attempt - 1, 4), signal())
      const [items, turns] = [await input.history(), await input.given()]
      const long = tooMuch(request, items, used.context)
      try {
        if (long !== undefined) return yield* sumUp(endpoint, nameOf(input), input, long)
        return yield* answered(input, { items, turns })
      } catch (error) {
        return endOfFailure(error, attempt, signal())
      }
    },
  }
}
