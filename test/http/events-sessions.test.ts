// Environment sessions on /api/events: told to who names their events, and to nobody else.
import t from 'tap'
import { read } from '../support/http.ts'
import { apiOf, serveHere } from '../support/server.ts'
import { type Heard, listen } from './event-streams.ts'

const { api, url } = await serveHere(t)
const names = [
  'EnvSessionCreated',
  'EnvStepCompleted',
  'EnvSessionReset',
  'EnvSessionClosed',
  'EnvSessionDeleted',
]
const types = `types=${names.join(',')}`
const ok = async (who: typeof api, method: string, path: string, body?: object) => {
  const { status, text } = await read(who(method, path, body))
  if (status !== 200) throw new Error(`${path} ${status} ${text}`)
}
const tokenOf = async (user_id: string): Promise<string> => {
  const { body } = await read(api('POST', '/auth/tokens', { role: 'user', user_id }))
  return (body as unknown as { token: string }).token
}
const namesOf = (heard: Heard[]) => heard.map(({ type }) => type)
const isUsual = ({ type }: Heard) => type !== 'Position'

/** A session from its creation to its deletion; `task_id` names one step. */
const live = async (who: typeof api, session_id: string, task_id: string) => {
  const step = { session_id, tool_name: 'move', tool_args: { direction: 'east' } }
  const env_init_kwargs = { map: '#####\n#@.G#\n#####' }
  await ok(who, 'POST', '/env/create', { session_id, env_id: 'gridworld', env_init_kwargs })
  await ok(who, 'POST', '/env/step', step)
  await ok(who, 'POST', '/env/step', { ...step, task_id })
  await ok(who, 'POST', '/env/reset', { session_id, seed: 7 })
  await ok(who, 'POST', '/env/close', { session_id })
  await ok(who, 'DELETE', `/env/session/${session_id}`)
}
/** A task is told to everybody: what stands before it was told before, if at all. */
const mark = async (who = api, more: object = {}) => {
  const { body } = await read(
    who('POST', '/tasks', { user_message_content: 'x', stream: false, client_id: 'echo', ...more }),
  )
  const { id } = body.result
  return (heard: Heard[]) => heard.some(({ body }) => body.task_id === id && body.new_status === 'completed')
}

t.test('a session is told live, event by event, to who names its events', async t => {
  const named = await listen(url, { query: `${types}&types=TaskStatusChanged` })
  const everybody = await listen(url)
  await live(api, 'maze', 'task_of_maze')
  const isMarked = await mark()
  const heard = (await named.until(isMarked)).filter(({ type }) => names.includes(type))
  t.match(
    heard.map(({ body }) => body),
    [
      { type: 'EnvSessionCreated', session_id: 'maze', env_id: 'gridworld', user_id: 'default' },
      { type: 'EnvStepCompleted', session_id: 'maze', step: 1, tool_name: 'move', reward: 0, done: false },
      {
        type: 'EnvStepCompleted',
        session_id: 'maze',
        step: 2,
        reward: Number,
        done: true,
        task_id: 'task_of_maze',
      },
      { type: 'EnvSessionReset', session_id: 'maze', seed: 7 },
      { type: 'EnvSessionClosed', session_id: 'maze', reason: 'closed' },
      { type: 'EnvSessionDeleted', session_id: 'maze' },
    ],
  )
  t.equal(heard.length, 6)
  const usual = (await everybody.until(isMarked)).filter(isUsual)
  t.notMatch(namesOf(usual).join(), /Env/, 'without names they are left out')
  t.ok(namesOf(usual).includes('TaskCreated'))
  await Promise.all([named.cut(), everybody.cut()])
})

t.test('and from the log, the same', async t => {
  const isMarked = await mark()
  const all = await listen(url, { query: 'starting_after=earliest' })
  t.notMatch(namesOf(await all.until(isMarked)).join(), /Env/)
  const named = await listen(url, { query: `starting_after=earliest&${types}` })
  t.equal((await named.until(heard => heard.length >= 6)).at(-1)?.type, 'EnvSessionDeleted')
  const one = await listen(url, { query: 'starting_after=earliest&types=EnvSessionReset,TaskStatusChanged' })
  t.same(new Set(namesOf(await one.until(isMarked))), new Set(['EnvSessionReset', 'TaskStatusChanged']))
  await Promise.all([all.cut(), named.cut(), one.cut()])
})

t.test('filters by session and by task', async t => {
  await live(api, 'other', 'task_of_other')
  const ofSession = await listen(url, { query: `starting_after=earliest&${types}&session_id=other` })
  const heard = await ofSession.until(heard => heard.some(({ type }) => type === 'EnvSessionDeleted'))
  t.same(new Set(heard.map(({ body }) => body.session_id)), new Set(['other']))
  t.equal(heard.length, 6)
  const deleted = heard.at(-1)?.id ?? 0
  const ofTask = await listen(url, { query: `starting_after=earliest&${types}&task_id=task_of_other` })
  const usual = await listen(url, { query: 'starting_after=earliest&session_id=other' })
  await live(api, 'third', 'task_of_other')
  const steps = await ofTask.until(heard => heard.length >= 2)
  t.same(
    steps.map(({ type, body }) => [type, body.session_id, body.step]),
    [
      ['EnvStepCompleted', 'other', 2],
      ['EnvStepCompleted', 'third', 2],
    ],
    'the steps that name the task',
  )
  t.ok((steps[0]?.id ?? 0) < deleted && (steps[1]?.id ?? 0) > deleted, 'one from the log, one live')
  const told = await usual.until(await mark(api, { session_id: 'other' }))
  t.notMatch(namesOf(told).join(), /Env/, 'of the same session, who names none hears of tasks')
  await Promise.all([ofSession.cut(), ofTask.cut(), usual.cut()])
})

t.test('who belongs to a user hears of its own sessions only', async t => {
  const [annas, bobs] = [await tokenOf('anna'), await tokenOf('bob')]
  const anna = await listen(url, { query: `${types}&types=TaskStatusChanged`, token: annas })
  const bob = await listen(url, { query: `${types}&types=TaskStatusChanged`, token: bobs })
  const usual = await listen(url, { token: annas })
  await live(apiOf(url, annas), 'of-anna', 'task_1')
  const [annaIsMarked, bobIsMarked] = [await mark(apiOf(url, annas)), await mark(apiOf(url, bobs))]
  const annaHeard = namesOf(await anna.until(annaIsMarked)).filter(name => names.includes(name))
  t.equal(annaHeard.length, 6)
  t.notMatch(namesOf(await bob.until(bobIsMarked)).join(), /Env/)
  t.notMatch(namesOf(await usual.until(annaIsMarked)).join(), /Env/)
  await Promise.all([anna.cut(), bob.cut(), usual.cut()])
})
