// What the tests of the kinds share: steps with seeded random numbers, and failures as texts.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'
import type { Environment, OpenObject, StepContext, StepResult } from '../../../src/contract/environment.ts'
import { randomFrom } from '../../../src/environments/kinds/shared/random.ts'

export const at = Date.parse('2026-01-02T03:04:05.678Z')

/** As the service gives it: the numbers of a step follow from the seed and the step's number. */
export const contextOf = (seed = 0, number = 0, given: Partial<StepContext> = {}): StepContext => ({
  emit() {},
  signal: new AbortController().signal,
  random: randomFrom(seed + number / 1_000),
  now: () => at,
  env_vars: {},
  ...given,
})

export type Action = { tool: string; args: OpenObject }
export type Outcome = StepResult | { failed: string }

/** What each action gave, one after the other, with the state after it. */
export const play = async (environment: Environment, actions: Action[], seed = 0) => {
  const outcomes: { outcome: Outcome; state: OpenObject }[] = []
  for (const [number, { tool, args }] of actions.entries()) {
    const outcome = await (async () => environment.step(tool, args, contextOf(seed, number)))().catch(
      (error: Error) => ({ failed: error.message }),
    )
    outcomes.push({ outcome, state: await environment.observe() })
  }
  return outcomes
}

export const failure = async (job: () => unknown): Promise<string> => {
  try {
    return `answered: ${JSON.stringify(await job()).slice(0, 1_000)}`
  } catch (error) {
    return (error as Error).message
  }
}

export const contentOf = async (environment: Environment, tool: string, args: OpenObject = {}) =>
  (await environment.step(tool, args, contextOf())).content as string

/** What an instance in one folder keeps, brought back by one in another, as text in between. */
export const carry = (
  [from, fromDir]: [Pick<Environment, 'snapshot'>, string],
  [to, toDir]: [Pick<Environment, 'restore'>, string],
): string[] => {
  const leftOut: string[] = []
  const state = from.snapshot?.({ leaveOut: what => leftOut.push(what), keepOld: false })
  rmSync(path.join(toDir, 'kept'), { recursive: true, force: true })
  cpSync(path.join(fromDir, 'kept'), path.join(toDir, 'kept'), { recursive: true })
  void to.restore?.(JSON.parse(JSON.stringify(state)))
  return leftOut
}

/** A folder for one instance. */
export const folder = (t: Test): string => {
  const made = mkdtempSync(path.join(tmpdir(), 'reprise-kind-'))
  t.teardown(() => rmSync(made, { recursive: true, force: true }))
  return made
}
