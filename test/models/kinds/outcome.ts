// What one step of the agent makes of the bytes of an endpoint, in a form that a table can hold.
import type { Test } from 'tap'
import { createRecorder } from '../../../actors/task/step/recorder.ts'
import type { StepEnd, StepPart } from '../../../src/contract/agent.ts'
import { joined, type Played, replay, stepAt } from '../../agents/streams/replay.ts'
import { testWorld } from '../../support/world.ts'

/**
 * `end`: `answer`, `continue` (calls run), `correct`, `again`, or `fail` with the reason. `calls`: the calls that are
 * made, as `name arguments`. `cut`: why the answer is not whole.
 */
export type Outcome = { end: string; text?: string; thought?: string; calls?: string[]; cut?: string }

/** The calls that are made of what a step said: those that an end does not cut off. */
const madeOf = (said: StepPart[]): string[] => {
  const recorder = createRecorder(1, testWorld().ids, { stream: undefined, odd: [] })
  for (const part of said) if (part.say !== 'tools') recorder.hear(part)
  return recorder.calls().map(({ name, arguments: text }) => `${name} ${text}`)
}
const endOf = (end: StepEnd): string => (end.end === 'fail' ? `fail: ${end.error.message}` : end.end)

export const outcomeOf = (said: StepPart[], end: StepEnd): Outcome => {
  const texts = Object.fromEntries(joined(said))
  const cut = said.find(part => part.say === 'cut-off')
  const isMade = end.end === 'continue' || end.end === 'answer'
  const calls = isMade ? madeOf(said) : []
  return {
    end: endOf(end),
    ...(texts.output_text === undefined ? {} : { text: texts.output_text }),
    ...(texts.reasoning_text === undefined ? {} : { thought: texts.reasoning_text }),
    ...(calls.length === 0 ? {} : { calls }),
    ...(cut === undefined ? {} : { cut: cut.reason }),
  }
}

/** Plays each answer of a table to a step of its own, and compares what the step made of it. */
export const plays = async (t: Test, table: Record<string, [Played, Outcome]>, silenceMs?: number) => {
  const cases = Object.entries(table)
  let at = 0
  const { baseUrl } = await replay(t, () => cases[at]?.[1][0] ?? { body: [] })
  for (const [n, [name, [, expected]]] of cases.entries()) {
    at = n
    const { said, end } = await stepAt(baseUrl, silenceMs)
    t.same(outcomeOf(said, end), expected, name)
  }
}

/** Events and then an orderly end of the stream. */
export const stream = (...pieces: string[]): Played => ({ body: pieces })
/** Events and then a connection that breaks. */
export const breaks = (...pieces: string[]): Played => ({
  body: (async function* () {
    yield* pieces
    await new Promise(resolve => setTimeout(resolve, 20)) // what was sent has left before the end
    throw new Error('the connection breaks')
  })(),
})
/** Events and then nothing, while the connection stays open; `again` comes for ever. */
export const stays = (pieces: string[], again?: string): Played => ({
  body: (async function* () {
    yield* pieces
    for (;;) {
      await new Promise(resolve => setTimeout(resolve, 50).unref()) // the end of the tests does not wait for it
      if (again !== undefined) yield again
    }
  })(),
})
