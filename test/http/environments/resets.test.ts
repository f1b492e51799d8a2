// A reset, and what one seed brings.

import t from 'tap'
import { brief } from '../../support/http.ts'
import { counter, gone, kept } from '../env-calls.ts'
import { givenEnvironments } from './given.ts'

const { server, create, made, step, add, reset, observe, close, record, faults } = await givenEnvironments(t)

t.test('the same seed and moves are the same trajectory, and another seed is another', async t => {
  const play = async (env_class_path: string, seed: number) => {
    const id = await made({ env_class_path })
    const told = [(await reset(id, { seed })).body.observation]
    for (const by of [1, 2]) {
      told.push((await step(id, 'draw')).body.observation, (await add(id, by)).body.observation)
    }
    return JSON.stringify(told.map(({ at, ...seen }) => seen))
  }
  for (const path of [counter, kept, gone]) {
    const [first, second, other] = await Promise.all([play(path, 7), play(path, 7), play(path, 8)])
    t.equal(first, second, path)
    t.not(first, other)
  }
})

t.test('the same seed is the same trajectory again in one session, whatever was done before', async t => {
  for (const env_class_path of [counter, kept, gone]) {
    const id = await made({ env_class_path })
    const play = async (before: number) => {
      for (let n = 0; n < before; n++) await step(id, 'draw')
      const { observation } = (await reset(id, { seed: 7 })).body
      for (let n = 0; n < 2; n++) await step(id, 'draw')
      const { drawn, seed } = (await observe(id)).body.state
      return { observation, drawn, seed }
    }
    const first = await play(0)
    t.equal(new Set(first.drawn).size, 2, 'and its steps draw different numbers')
    t.same(await play(3), first, env_class_path)
    await close(id)
    await create({ session_id: id, env_class_path })
    t.same(await play(1), first, 'in a new instance, too')
  }
})

t.test('reset answers what is there then, takes options, and draws a seed when it gets none', async t => {
  const id = await made()
  await add(id, 5)
  const { status, body } = await reset(id, { seed: 2 ** 53 - 1, options: { start: 9 } })
  t.equal(status, 200)
  t.same(Object.keys(body).sort(), ['done', 'observation', 'tools'])
  t.match(body.observation, { total: 9, seed: 2 ** 53 - 1 })
  const seeds = new Set<number>()
  for (let n = 0; n < 3; n++) {
    const drawn = (await reset(id)).body.observation
    t.equal(drawn.total, 0, 'options hold for one reset')
    seeds.add(drawn.seed)
  }
  t.equal(seeds.size, 3)
  t.equal((await reset(id, { seed: null, options: null })).status, 200)
  t.equal((await add(id, 1)).body.step, 2, 'steps count on')
  const events: string[] = []
  for await (const page of server.system.log.readStream(`env-${id}`)) {
    for (const { header, data } of page) {
      if (header.type === 'EnvSessionReset') events.push(String((data as { seed: number }).seed))
    }
  }
  for (const seed of seeds) t.ok(events.includes(`${seed}`), 'the drawn seed is stored')
})

t.test('a reset that the environment refuses changes nothing', async t => {
  for (const env_class_path of [counter, kept, gone]) {
    const id = await made({ env_class_path })
    await add(id, 5)
    const { status, body } = await reset(id, { options: { broken: true } })
    t.equal(status, 422, env_class_path)
    t.same(brief(body.detail), ['body options value_error'])
    t.match((await observe(id)).body.state, { total: 5 })
    t.match((await add(id, 1)).body, { step: 2, state: { total: 6 } })
  }
})

t.test('an environment that dies in a reset leaves its session as it was', async t => {
  const id = await made()
  t.match((await add(id, 1)).body, { step: 1 })
  const before = (await observe(id)).body.state
  const { status, body } = await reset(id, { options: { exit: true } })
  t.equal(status, 503)
  t.match(body, { code: -32603, data: { session_id: id, reason: /exit code 3/ } })
  t.match((await record(id)).body, { is_active: true })
  t.same((await observe(id)).body.state, before, 'it comes back as it was before the reset')
  t.match((await add(id, 1)).body, { step: 2 })
})

t.test('nothing of all that was a fault of ours', async t => {
  t.same(faults(), [])
})
