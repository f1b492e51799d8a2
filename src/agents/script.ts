// Plays `agent_config.script`, one entry per step, so that integrators can test every path without a model.
import type { Agent, StepEnd, StepInput, StepPart } from '../contract/agent.ts'
import { plainText } from '../contract/plain-text.ts'
import type { Timers } from '../contract/ports.ts'
import type { ScriptStep } from '../contract/wire.ts'
import { sleep } from '../platform/sleep.ts'
import { asksForResult, fillResult } from './fill-result.ts'
import { words } from './text.ts'

/** The text of the result that came last, in this task or before it. */
const lastResult = async ({ newestResult, history }: StepInput): Promise<string> => {
  const item = newestResult ?? (await history()).findLast(({ type }) => type === 'tool_result')
  return item?.type === 'tool_result' ? plainText(item.message_content) : ''
}

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

const callOf = (name: string, args: object): StepPart => ({
  say: 'call',
  name,
  arguments: JSON.stringify(args),
})

export const script = (timers: Timers): Agent => ({
  name: 'script',
  description: 'Needs no model: plays the steps in agent_config.script, one a step.',
  async *step(input) {
    const { agentStep, request } = input
    const entries = request.agent_config?.script ?? []
    const next = entries[agentStep - 1]
    const then: StepEnd = agentStep < entries.length ? { end: 'continue' } : { end: 'answer' }
    if (next === undefined) return then
    const entry = asksForResult(next) ? fillResult(next, await lastResult(input)) : next
    if (entry.reasoning !== undefined) {
      yield { say: 'item', item: 'reasoning', part: 'summary_text', texts: [entry.reasoning] }
    }
    if (entry.message !== undefined) yield* message(timers, entry, input.signal())
    if (entry.tool !== undefined) yield callOf(entry.tool, entry.arguments ?? {})
    for (const call of entry.tools ?? []) yield callOf(call.tool, call.arguments ?? {})
    if (entry.subagent !== undefined) yield callOf(`agent_${entry.subagent}`, { input: entry.input ?? '' })
    if (entry.sleep_ms !== undefined) await sleep(timers, entry.sleep_ms, input.signal())
    if (entry.pause !== undefined) return { end: 'pause', reason: entry.pause }
    if (entry.fail !== undefined) return { end: 'fail', error: entry.fail }
    return entry.usage === undefined ? then : { ...then, usage: entry.usage }
  },
})
