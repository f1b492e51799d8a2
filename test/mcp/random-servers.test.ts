// A hundred random servers with odd lists and odd answers, slow, noisy and dying ones: no call waits beyond its limit,
// nothing that came is lost, each call ends with its own result or a reason, and the other calls of a server are not
// harmed. SEED=17 plays one server. The soak test plays five hundred.
import t from 'tap'
import { behaviours } from './random/behaviours.ts'
import { play, playAll } from './random/play.ts'

const { SEED } = process.env

if (SEED !== undefined) {
  t.test(`seed ${SEED}`, async t => {
    for (const isProcess of [true, false]) t.same((await play(t, Number(SEED), isProcess)).problems, [])
  })
} else {
  t.test('a hundred random servers', async t => {
    const { problems, shown } = await playAll({ first: 1, count: 100, processes: 15 })
    t.same(problems, [])
    const missing = behaviours.map(({ name }) => name).filter(name => !shown.has(name))
    t.same(missing, [], 'each behaviour is shown')
  })
}
