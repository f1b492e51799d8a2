import t from 'tap'
import { stepKills } from './step-kills.ts'

const seed = Number(process.env.SEED ?? 20_260_101)

t.test('killed during steps that are retried in every way, each answered step is there once', async t => {
  const { problems, ...seen } = await stepKills({ dataDir: t.testdir(), seed, rounds: 3, sessions: 4 })
  t.same(problems, [])
  t.comment(JSON.stringify({ seed, ...seen }))
  t.ok(seen.steps > 10, 'steps were answered')
  t.ok(seen.cuts > 0, 'calls were cut and made again')
})
