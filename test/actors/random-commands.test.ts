import t, { type Test } from 'tap'
import { simulate } from './simulation.ts'

// Ten thousand, and from another seed: npm run soak -- random-commands
const first = Number(process.env.SEED ?? 1)

/** The types of all facts of all histories. */
const play = async (t: Test, runs: number, disks: boolean): Promise<Set<string>> => {
  const types = new Set<string>()
  for (let seed = first; seed < first + runs; seed++) {
    try {
      for (const { header } of await simulate(seed, { disks })) types.add(header.type)
    } catch (error) {
      t.fail(`SEED=${seed}: ${(error as Error).stack}`)
      break
    }
  }
  return types
}

t.test('whatever is asked, in whatever order, everything derived is what the log says', async t => {
  const types = await play(t, 50, false)
  // The random commands reach what they are meant to reach.
  for (const type of ['TaskPaused', 'TaskResumed', 'TaskFailed', 'TaskCanceled', 'TaskExpired']) {
    t.ok(types.has(type), type)
  }
  for (const type of ['AgentStepAbandoned', 'EffectStopped', 'TaskQueued', 'ItemDelta', 'TaskDeleted']) {
    t.ok(types.has(type), type)
  }
})

t.test('and so it is when the disk fails now and then', async t => {
  t.ok((await play(t, 25, true)).size > 0)
})
