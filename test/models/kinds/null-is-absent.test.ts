// The kind: a request that is sent again with null in place of an absent field counts as another one, because clients
// write optional fields as null or leave them out. Inside open values, null is a value.
import t, { type Test } from 'tap'
import { counter, envCalls, kept, modules } from '../../http/env-calls.ts'
import { read } from '../../support/http.ts'
import { serveHere } from '../../support/server.ts'

const server = await serveHere(t, { ENV_PATH: modules, ALLOW_PRIVATE_URLS: '1' })
const { made } = envCalls(server.api)
const post = (path: string, body: object, key?: string) =>
  read(server.api('POST', path, body, key === undefined ? {} : { 'idempotency-key': key }))

type Form = { path: string; body: object; nulls: object[]; others: object[] }
const url = 'http://127.0.0.1:9/hook'
const message = { user_message_content: 'x', agent_config: { agent_id: 'echo' }, stream: false }

/** `nulls`: fields that change nothing. `others`: fields that make another request. */
const forms: Record<string, () => Promise<Form>> = {
  'a task': async () => ({
    path: '/tasks',
    body: message,
    nulls: [
      { session_id: null },
      { inference_args: null },
      { metadata: null },
      { structured_output: null, client_tools: null },
      { agent_config: { agent_id: 'echo', model: null, inference_args: null } },
    ],
    others: [
      { metadata: { a: null } },
      { inference_args: { temperature: null } },
      { agent_config: { agent_id: 'echo', inference_args: { seed: null } } },
    ],
  }),
  'an environment session': async () => ({
    path: '/env/create',
    body: { env_class_path: counter },
    nulls: [{ env_vars: null }, { user_id: null }, { env_init_kwargs: null }, { session_id: null }],
    others: [{ env_class_path: kept }],
  }),
  'a step': async () => ({
    path: '/env/step',
    body: { session_id: await made({ env_class_path: counter }), tool_name: 'add', tool_args: { by: 1 } },
    nulls: [{ request_id: null }, { task_id: null }, { user_id: null }, { stream: null }],
    others: [{ tool_args: { by: 2 } }],
  }),
  'a reset': async () => ({
    path: '/env/reset',
    body: { session_id: await made({ env_class_path: counter }) },
    nulls: [{ seed: null }, { options: null }, { seed: null, options: null }],
    others: [],
  }),
  'a cron job': async () => ({
    path: '/cron/jobs',
    body: { name: 'a', schedule: '@yearly', task: message },
    nulls: [{ timezone: null }, { enabled: null }, { task: { ...message, metadata: null } }],
    others: [{ task: { ...message, metadata: { a: null } } }],
  }),
  'a webhook': async () => ({
    path: '/webhooks',
    body: { url },
    nulls: [
      { types: null },
      { secret: null },
      { headers: null },
      { task_id: null },
      { session_id: null, task_id: null },
    ],
    others: [{ types: ['TaskCreated'] }],
  }),
}

const plays = async (t: Test, name: string, { path, body, nulls, others }: Form) => {
  const key = `key of ${name}`
  const first = await post(path, body, key)
  t.ok(first.status < 300, `${first.status} ${first.text}`)
  for (const more of nulls) {
    const { status, text } = await post(path, { ...body, ...more }, key)
    t.same([status, text], [first.status, first.text], JSON.stringify(more))
  }
  for (const more of others) {
    const { status, text } = await post(path, { ...body, ...more }, key)
    t.equal(status, 409, `${JSON.stringify(more)}: ${text}`)
  }
}

for (const [name, form] of Object.entries(forms)) t.test(name, async t => plays(t, name, await form()))

t.test('a task with its own id', async t => {
  const body = { ...message, task_id: 'own' }
  const first = await post('/tasks', body)
  t.equal(first.status, 200)
  for (const more of [{ session_id: null }, { metadata: null }, { client_tools: null, env: null }]) {
    const { status, body: told, text } = await post('/tasks', { ...body, ...more })
    t.same([status, told.result?.id], [200, 'own'], `${JSON.stringify(more)}: ${text}`)
  }
  t.equal((await post('/tasks', { ...body, metadata: { a: null } })).status, 409)
})

t.test('a webhook without any types is refused', async t => {
  const { status, text } = await post('/webhooks', { url, types: [] })
  t.equal(status, 422, text)
  t.match(text, /"types"\].*at least 1 item/)
})
