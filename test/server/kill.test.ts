// Two hundred times: npm run soak -- kill
import t from 'tap'
import { killRounds } from './kill-rounds.ts'

const seed = Number(process.env.SEED ?? 20_260_101)

t.test('ten times killed under load, no acknowledged task is lost, changed or done twice', async t => {
  const { problems, ...seen } = await killRounds({ dataDir: t.testdir(), seed, rounds: 10, atMost: 60 })
  t.same(problems, [])
  t.comment(JSON.stringify({ seed, ...seen }))
  t.ok(seen.tasks > 50, 'there was a load')
  t.ok(seen.retries > 10, 'calls were cut and made again')
  t.ok(seen.cuts > 5, 'streams were cut and taken up again')
  t.ok(seen.incomplete > 3, 'steps were broken off and ran again')
})
