// The rollouts of calls of models that the code of an agent makes.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { bytesOf, digestOf, entriesOf, type Entry as Step } from '../agents/model-tasks.ts'
import { calls, fakeModel, says } from '../support/fake-model.ts'
import { read, until } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { tasksOf } from './agent-tasks.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'reprise-agents-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
writeFileSync(
  path.join(folder, 'thinker.mjs'),
  `import { agent } from 'reprise/agent'
export default agent(async ctx => {
  const sum = await ctx.model('add 1 and 2', { tools: ['calculator'] })
  const [left, right] = await Promise.all([ctx.model('left'), ctx.model('right', { silent: true })])
  return { sum, left, right }
})`,
)
writeFileSync(
  path.join(folder, 'outer.mjs'),
  `import { agent } from 'reprise/agent'
export default agent(async ctx => ctx.agent('inner', 'x'))`,
)
writeFileSync(
  path.join(folder, 'inner.mjs'),
  `import { agent } from 'reprise/agent'
export default agent(async ctx => ctx.model('from the inside'))`,
)
const { env, asked } = await fakeModel(t, [
  { when: 'from the inside', ...says('inside') },
  { when: 'add 1 and 2', ...calls(['calculator', '{"expression":"1+2"}']) },
  { when: 'left', ...says('on the left') },
  { when: 'right', ...says('on the right') },
  says('three'),
])
const { api } = await serveHere(t, { AGENT_PATH: folder, ...env })
const { post, frames } = tasksOf(api)
await until(async () => {
  const { text } = await read(api('GET', '/agents'))
  return ['"thinker"', '"outer"', '"inner"'].every(name => text.includes(name))
})

type Entry = Step & { rollout_id: string; position: number }
const body = { agent_config: { agent_id: 'thinker' }, return_rollout: true }
const { body: made } = await post(body)
const task = made.result as unknown as { id: string; status: string; usage: object; rollouts: Entry[] }
const entries = (await entriesOf(api, task.id)) as Entry[]

t.test('each call has an entry, whose body is the one that was sent', async t => {
  t.equal(task.status, 'completed')
  t.equal(entries.length, 4)
  const sent = asked.map(({ body }) => body)
  for (const entry of entries) {
    t.equal(digestOf(bytesOf(entry)), entry.request_digest)
    t.ok(sent.includes(bytesOf(entry)), 'the endpoint got these bytes')
  }
  for (const name of ['rollout_id', 'effect_id', 'step', 'position'] as const) {
    t.equal(new Set(entries.map(entry => entry[name])).size, 4, name)
  }
  const answers = entries.map(
    ({ output_messages: [first] }) => first?.content ?? (first?.tool_calls as object[] | undefined)?.length,
  )
  t.same(answers.slice(0, 2), [1, 'three'])
  t.same(answers.slice(2).toSorted(), ['on the left', 'on the right'])
  t.match(task.usage, { input_tokens: Number, output_tokens: Number })
})

t.test('frames, the task, pages and the list of all tasks have the same entries', async t => {
  const told = (await frames(task.id)).filter(({ type }) => type === 'task.rollout')
  t.same(
    told.map(({ rollout_id }) => rollout_id),
    entries.map(({ rollout_id }) => rollout_id),
  )
  t.same(task.rollouts, entries)
  const page = await read(api('GET', `/tasks/${task.id}/rollouts?after=${entries[1]?.position}`))
  t.same(page.body.result, entries.slice(2))
  const { text } = await read(api('GET', '/rollouts?limit=1000'))
  const all = text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as Entry & { task_id: string })
  t.same(
    all.filter(({ task_id }) => task_id === task.id).map(({ rollout_id }) => rollout_id),
    entries.map(({ rollout_id }) => rollout_id),
  )
})

t.test('an ATIF document has a step for each call', async t => {
  const { text } = await read(api('GET', `/tasks/${task.id}/rollouts?format=atif`))
  const { steps } = JSON.parse(text) as { steps: { llm_call_count?: number; message: string }[] }
  t.equal(steps.filter(({ llm_call_count }) => llm_call_count === 1).length, 4)
  t.match(JSON.stringify(steps), /on the right/)
})

t.test('the entry of a subagent that code has called names no parent, since code has no entry', async t => {
  const { body: made } = await post({ agent_config: { agent_id: 'outer' }, return_rollout: true })
  const outer = made.result as unknown as { id: string; status: string }
  t.equal(outer.status, 'completed')
  const { text } = await read(api('GET', '/rollouts?limit=1000'))
  const all = text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as { task_id: string; trace_id: string; parent_rollout_id: string | null })
  const inner = all.filter(({ task_id, trace_id }) => trace_id === outer.id && task_id !== outer.id)
  t.match(inner, [{ parent_rollout_id: null }])
})
