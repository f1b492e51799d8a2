// The code of an agent works with the environment session of its task: it resets it, observes it, and takes steps in it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { read, until } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { tasksOf, textsOf } from './agent-tasks.ts'
import { envCalls } from './env-calls.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'reprise-agents-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
writeFileSync(
  path.join(folder, 'walker.mjs'),
  `import { agent } from 'reprise/agent'
export default agent(async ctx => {
  const before = await ctx.env.observe()
  const reset = await ctx.env.reset({ seed: 7, options: { keys: 0 } })
  await ctx.env.step('move', { direction: 'north' }).catch(() => {})
  const after = await ctx.env.observe()
  return { before, reset, after }
})`,
)
writeFileSync(
  path.join(folder, 'lost.mjs'),
  `import { agent } from 'reprise/agent'
const messageOf = error => error.message
export default agent(async ctx => ({
  observed: await ctx.env.observe().catch(messageOf),
  reset: await ctx.env.reset({ seed: 'seven' }).catch(messageOf),
}))`,
)
const { api, system } = await serveHere(t, { AGENT_PATH: folder })
const { post } = tasksOf(api)
const { call } = envCalls(api)
const isThere = async () =>
  (await read(api('GET', '/agents'))).text.includes('"walker"') &&
  (await read(api('GET', '/agents'))).text.includes('"lost"')
await until(isThere)

const answerOf = async (agent_id: string, session_id: string) => {
  const { body } = await post({ session_id, agent_config: { agent_id } })
  t.match(body.result, { status: 'completed' })
  return JSON.parse(textsOf(body.result as never).at(-1) ?? '')
}

t.test('it observes and resets the session, and takes steps in it', async t => {
  const { body } = await call('POST', '/env/create', { env_id: 'gridworld', env_params: { seed: 1 } })
  const { before, reset, after } = await answerOf('walker', body.session_id)
  t.match(before, { state: {}, tools: [], done: false })
  t.match(reset, { observation: {}, tools: [], done: false })
  const observed = await call('POST', '/env/observation', { session_id: body.session_id })
  t.match(observed.body, { state: after.state, done: false }, 'the code has seen what a client sees')
})

t.test('a reset that is asked for again with the same effect is done once', async t => {
  const { body } = await call('POST', '/env/create', { env_id: 'gridworld' })
  const { session_id, user_id } = (await call('GET', `/env/session/${body.session_id}`)).body
  const reset = (effectId: string) =>
    system.environments.sessions.operateFor(session_id, user_id, { of: 'reset', args: {}, effectId })
  const [one, other] = await Promise.all([reset('task_1/1/1'), reset('task_1/1/1')])
  t.same(other, one)
  t.same(await reset('task_1/1/1'), one, 'also later')
  await reset('task_1/2/1')
  let resets = 0
  for await (const page of system.log.readStream(`env-${session_id}`)) {
    resets += page.filter(({ header }) => header.type === 'EnvSessionReset').length
  }
  t.equal(resets, 2)
})

t.test('the code gets an error that says what is wrong', async t => {
  const none = await answerOf('lost', 'sess_none')
  t.match(none, { observed: /no environment/, reset: /no environment/ })
  const { body } = await call('POST', '/env/create', { env_id: 'gridworld' })
  t.match(await answerOf('lost', body.session_id), { observed: {}, reset: /whole number/ })
})
