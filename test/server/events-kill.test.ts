import t from 'tap'
import { eventRounds } from './event-rounds.ts'

const seed = Number(process.env.SEED ?? 20_260_101)

t.test(
  'three times killed while tasks run, each of twenty subscribers hears everything once, in one order',
  async t => {
    const { problems, ...seen } = await eventRounds({
      dataDir: t.testdir(),
      seed,
      rounds: 3,
      subscribers: 20,
      atMost: 2000,
    })
    t.same(problems, [])
    t.comment(JSON.stringify({ seed, ...seen }))
    t.ok(seen.tasks > 20, 'there was a load')
    t.ok(seen.events > 100)
    t.ok(seen.sources >= 4, 'some were as browsers have them')
    t.ok(seen.cuts > 2 * 15, 'most were cut each time')
    t.ok(seen.waited > 0, 'some were cut before their first event, and heard it all the same')
  },
)
