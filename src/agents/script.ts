// Plays `agent_config.script`, one entry a step, so that integrators can test every path without a model.
import type { Agent, StepEnd, StepPart } from '../contract/agent.ts'
import type { Timers } from '../contract/ports.ts'
import type { ScriptStep } from '../contract/wire.ts'
import { sleep } from './sleep.ts'
import { words } from './text.ts'

async function* message(
  timers: Timers,
  { message: text = '', delta_ms }: ScriptStep,
  signal: AbortSignal,
): AsyncGenerator<StepPart> {
  if (delta_ms === undefined) {
    yield { say: 'item', item: 'message', part: 'output_text', texts: [text] }
    return
  }
  let first = true
  for (const word of words(text)) {
    if (!first) await sleep(timers, delta_ms, signal)
    first = false
    yield { say: 'delta', item: 'message', part: 'output_text', text: word }
  }
}

export const script = (timers: Timers): Agent => ({
  name: 'script',
  async *step({ agentStep, request, signal }) {
    const entries = request.agent_config?.script ?? []
    const entry = entries[agentStep - 1]
    const then: StepEnd = agentStep < entries.length ? { end: 'continue' } : { end: 'answer' }
    if (entry === undefined) return then
    if (entry.reasoning !== undefined) {
      yield { say: 'item', item: 'reasoning', part: 'summary_text', texts: [entry.reasoning] }
    }
    if (entry.message !== undefined) yield* message(timers, entry, signal)
    if (entry.sleep_ms !== undefined) await sleep(timers, entry.sleep_ms, signal)
    if (entry.pause !== undefined) return { end: 'pause', reason: entry.pause }
    if (entry.fail !== undefined) return { end: 'fail', error: entry.fail }
    return entry.usage === undefined ? then : { ...then, usage: entry.usage }
  },
})
