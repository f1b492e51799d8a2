// The steps of an environment in the rollouts of the tasks that took them: what was seen before, what was done, what
// came of it.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { Compile } from 'typebox/compile'
import { RolloutEntry } from '../../src/contract/responses.ts'
import { calls, fakeModel, says } from '../support/fake-model.ts'
import { read } from '../support/http.ts'
import { type Api, serveHere } from '../support/server.ts'
import { callsOf, script, tasksOf } from './agent-tasks.ts'
import { envCalls, modules } from './env-calls.ts'

type EnvStep = {
  step: number
  call_id: string
  state_before: Record<string, unknown>
  action: { tool_name: string; tool_args: unknown }
  observation: Record<string, unknown>
  state: Record<string, unknown>
  reward: number
  [more: string]: unknown
}
type Entry = { task_id: string; step: number; env_steps?: EnvStep[]; [more: string]: unknown }

const rolloutsOf = async (api: Api, id: string): Promise<Entry[]> =>
  (await read(api('GET', `/tasks/${id}/rollouts`))).body.result as unknown as Entry[]
const inBulk = async (api: Api): Promise<Entry[]> =>
  (await read(api('GET', '/rollouts?limit=100'))).text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
const stepsOf = (entries: Entry[]) => entries.map(({ env_steps }) => env_steps)

const add = (by: number) => ({ tool: 'add', arguments: { by } })
const end = { message: 'so: $result' }
const fits = Compile({ ...RolloutEntry, additionalProperties: false })
const seen = (total: number) => ({ total, drawn: [], at: [] })

const folderFor = (t: Test): string => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-rollouts-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

t.test('an entry has the steps that its calls were, each with what was seen before and after', async t => {
  const { api } = await serveHere(t, { ENV_PATH: modules })
  const [env, tasks] = [envCalls(api), tasksOf(api)]
  const session_id = await env.made({ env_id: 'mine', env_init_kwargs: { start: 10 } })
  await env.add(session_id, 1) // somebody else's step is none of the task's
  const task = await tasks.play(
    [
      add(2),
      { tools: [add(3), { tool: 'fail', arguments: { why: 'no' } }] },
      { tool: 'calculator', arguments: { expression: '1+1' } },
      { tool: 'add', arguments: { by: 'much' } },
      end,
    ],
    { session_id, return_rollout: true },
  )
  t.equal(task.status, 'completed')
  await env.add(session_id, 50)
  const entries = await rolloutsOf(api, task.id)
  const [first, second, ...rest] = stepsOf(entries)
  const ids = callsOf(task).map(({ call_id }) => call_id)
  const ends = { terminated: false, truncated: false, done: false }
  const step = { session_id, env_id: 'mine', ...ends, reward: 0.25 }
  t.match(first, [
    {
      ...step,
      step: 2,
      call_id: ids[0],
      state_before: seen(11),
      action: { tool_name: 'add', tool_args: { by: 2 } },
      observation: seen(13),
      state: seen(13),
    },
  ])
  t.equal(first?.length, 1)
  t.match(second, [
    {
      ...step,
      step: 3,
      call_id: ids[1],
      state_before: seen(13),
      action: { tool_name: 'add', tool_args: { by: 3 } },
      observation: seen(16),
    },
    {
      ...step,
      step: 4,
      call_id: ids[2],
      state_before: seen(16),
      action: { tool_name: 'fail', tool_args: { why: 'no' } },
      state: seen(116),
      reward: 0,
    },
  ])
  t.equal(second?.length, 2)
  for (const entry of entries) t.same(fits.Errors(entry), [], 'an entry is what the documents say')
  t.same(rest, [undefined, undefined, undefined], 'other tools, and a call that was refused, are no steps')
  t.same(task.rollouts, entries, 'the answer of the task holds the same')
  t.same(
    (await inBulk(api)).filter(({ task_id }) => task_id === task.id),
    entries,
    'and so does the list of all',
  )
})

t.test('of a step that came after a reset, or ended the session, it is what was seen then', async t => {
  const { api } = await serveHere(t, { ENV_PATH: modules })
  const [env, tasks] = [envCalls(api), tasksOf(api)]
  const session_id = await env.made()
  await env.add(session_id, 7)
  await env.reset(session_id, { options: { start: 40 } })
  const task = await tasks.play([add(2), { tool: 'end' }, end], { session_id })
  t.equal(task.status, 'completed')
  const steps = stepsOf(await rolloutsOf(api, task.id)).flat()
  t.match(steps, [
    { step: 2, state_before: seen(40), observation: seen(42), done: false },
    { step: 3, state_before: seen(42), reward: 0.5, terminated: true, truncated: false, done: true },
  ])
  t.same(steps.slice(2), [undefined], 'the agent had one more turn, in which it took no step')
})

t.test('without an environment there is no such field', async t => {
  const { api } = await serveHere(t, { ENV_PATH: modules })
  const [env, tasks] = [envCalls(api), tasksOf(api)]
  const closed = await env.made()
  await env.close(closed)
  for (const session_id of [undefined, 'a-conversation', closed]) {
    const task = await tasks.play([{ tool: 'calculator', arguments: { expression: '1+1' } }, end], {
      session_id,
    })
    const entries = await rolloutsOf(api, task.id)
    t.equal(entries.length, 2)
    for (const entry of entries) t.notOk('env_steps' in entry, String(session_id))
  }
  const session_id = await env.made()
  const task = await tasks.play([end], { session_id })
  t.notOk('env_steps' in ((await rolloutsOf(api, task.id))[0] ?? {}), 'nor where nothing was done in it')
})

t.test(
  'the steps of a model are there too, and all is the same after a restart without read models',
  async t => {
    const answers = [calls(['add', '{"by":3}'], ['add', '{"by":4}']), calls(['draw', '{}']), says('done')]
    const fake = await fakeModel(t, answers)
    const DATA_DIR = folderFor(t)
    const settings = { ...fake.env, ENV_PATH: modules, DATA_DIR }
    const before = await serveHere(t, settings)
    const session_id = await envCalls(before.api).made({ env_init_kwargs: { start: 1 } })
    const byModel = (await tasksOf(before.api).post({ session_id })).body.result
    t.equal(byModel.status, 'completed')
    const byScript = await tasksOf(before.api).play([add(5), end], { session_id })
    const entries = await rolloutsOf(before.api, byModel.id)
    const steps = stepsOf(entries)
    t.match(steps, [
      [
        { step: 1, state_before: seen(1), observation: seen(4), reward: 0.25 },
        { step: 2, state_before: seen(4), observation: seen(8), action: { tool_args: { by: 4 } } },
      ],
      [{ step: 3, state_before: seen(8), action: { tool_name: 'draw', tool_args: {} }, state: { total: 8 } }],
      undefined,
    ])
    t.same(steps[1]?.[0]?.state_before.drawn, [])
    t.match(steps[1]?.[0]?.observation.drawn, [Number])
    const wholeOf = async (api: Api) =>
      Promise.all(
        [byModel, byScript].map(
          async ({ id }) => (await read(api('GET', `/tasks/${id}/rollouts?format=jsonl`))).text,
        ),
      )
    const [told, bulk] = [await wholeOf(before.api), await inBulk(before.api)]
    await before.stop()
    const models = readdirSync(DATA_DIR).filter(name => name.startsWith('read.db'))
    t.ok(models.length > 0)
    for (const name of models) rmSync(path.join(DATA_DIR, name))
    // What a session leaves on the disk is not needed either.
    rmSync(path.join(DATA_DIR, 'environments'), { recursive: true, force: true })

    const after = await serveHere(t, settings)
    t.same(await wholeOf(after.api), told, 'to the byte')
    t.same(await inBulk(after.api), bulk)
    await envCalls(after.api).remove(session_id)
    t.same(await wholeOf(after.api), told, 'and when the session is deleted')
  },
)

t.test('subagents have the steps that they took', async t => {
  const { api } = await serveHere(t, { ENV_PATH: modules })
  const [env, tasks] = [envCalls(api), tasksOf(api)]
  const session_id = await env.made()
  const child = { subagent: 'script', input: JSON.stringify([add(2), end]) }
  const { body } = await tasks.post({
    session_id,
    include_subagent_rollout: true,
    agent_config: script(add(1), child, end),
  })
  const entries = await rolloutsOf(api, body.result.id)
  const { total } = (await env.observe(session_id)).body.state
  const taken = stepsOf(entries).flatMap(steps => steps ?? [])
  t.equal(
    taken.reduce((sum, { action }) => sum + (action.tool_args as { by: number }).by, 0),
    total,
    'whatever was done in it is told',
  )
})
