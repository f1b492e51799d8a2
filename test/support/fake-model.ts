// A fake model that is closed when its test ends, and short ways to write its answers.
import type { Test } from 'tap'
import type { Answer } from '../../src/fake-model/answer.ts'
import { startFakeModel } from '../../src/fake-model/server.ts'

export type { Answer } from '../../src/fake-model/answer.ts'

/** A chunk made by hand, for answers that a script cannot give. */
export const delta = (given: Record<string, unknown>, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta: given, finish_reason }],
})
export const usage = (prompt_tokens: number, completion_tokens: number) => ({
  choices: [],
  usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
})

export const says = (...texts: string[]): Answer => ({
  text: texts.join(''),
  usage: { prompt_tokens: 7, completion_tokens: 3 },
})
export const calls = (...given: [name: string, args: string][]): Answer => ({
  tool_calls: given.map(([name, args]) => ({ name, arguments: args })),
  usage: false,
})

/**
 * Starts a fake model. `env`: the variables with which a server uses it. Without `answers`, its answers are plausible.
 */
export const fakeModel = async (t: Test, answers?: Answer[]) => {
  const model = await startFakeModel(answers === undefined ? {} : { answers })
  t.teardown(() => model.close())
  const { url, asked } = model
  return { url, asked, env: { MODEL_BASE_URL: `${url}/v1`, MODEL: 'fake-1', MODEL_API_KEY: 'sk-secret' } }
}
