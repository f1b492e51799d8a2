// Retries of requests that make a cron job or run one: nothing is made twice, and nothing else counts as a retry.
import t from 'tap'
import { read } from '../support/http.ts'
import { type Api, apiOf, serveHere } from '../support/server.ts'

const dataDir = t.testdir()
const { api, url } = await serveHere(t, { DATA_DIR: dataDir })
const task = { user_message_content: 'go', client_id: 'echo', env: { KEY: 'hush' } }
const yearly = { name: 'a', schedule: '@yearly', overlap: 'allow', task }
const again = { 'x-stainless-retry-count': '1' }

const send = async (who: Api, where: string, body?: object, headers?: Record<string, string>) => {
  const answer = await who('POST', `/cron/jobs${where}`, body, headers)
  const replayed = answer.headers.get('idempotency-replayed') === 'true'
  const { job_id, run_id, code } = (await answer.json()) as { job_id: string; run_id: string; code?: number }
  return { status: answer.status, replayed, job_id, run_id, code }
}
const userNamed = async (user_id: string) => {
  const made = await read(api('POST', '/auth/tokens', { role: 'user', user_id }))
  return apiOf(url, (made.body as unknown as { token: string }).token)
}

t.test('a create with a key makes one job, also when two arrive together', async t => {
  const key = { 'idempotency-key': 'one' }
  const both = await Promise.all([send(api, '', yearly, key), send(api, '', yearly, key)])
  t.same(
    both.map(({ status }) => status),
    [200, 200],
  )
  t.equal(both[0]?.job_id, both[1]?.job_id)
  t.same(both.map(({ replayed }) => replayed).sort(), [false, true])
  const other = { ...task, env: { KEY: 'another value' } }
  const same = await send(api, '', { ...yearly, task: other }, key)
  t.match(
    same,
    { job_id: both[0]?.job_id, replayed: true },
    'secret values do not count, as in creates of tasks',
  )
  t.match(await send(api, '', { ...yearly, name: 'b' }, key), { status: 409, code: -32023 })
  const ann = await userNamed('ann')
  t.not((await send(ann, '', yearly, key)).job_id, both[0]?.job_id, 'a key belongs to its token')
  await api('DELETE', `/cron/jobs/${both[0]?.job_id}`)
  t.match(await send(api, '', yearly, key), { status: 409, code: -32023 }, 'its job is deleted')
})

t.test('a create without a key is a retry only when it is marked as one', async t => {
  const body = { ...yearly, name: 'unkeyed' }
  const first = await send(api, '', body)
  const second = await send(api, '', body)
  t.not(second.job_id, first.job_id)
  const lone = await send(api, '', { ...body, name: 'lone' })
  t.match(await send(api, '', { ...body, name: 'lone' }, again), { job_id: lone.job_id, replayed: true })
  const third = await send(api, '', body, again)
  t.match(third, { status: 200, replayed: false }, 'the answers of both arrived')
  const keyed = { ...again, 'idempotency-key': 'of its own' }
  t.match(await send(api, '', { ...body, name: 'lone' }, keyed), { replayed: false }, 'a key decides alone')
})

t.test('a trigger with a key begins one run of this job', async t => {
  const { job_id } = await send(api, '', { ...yearly, name: 'runs' })
  const other = await send(api, '', { ...yearly, name: 'other' })
  const key = { 'idempotency-key': 'run' }
  const runs = await Promise.all([1, 2, 3].map(() => send(api, `/${job_id}/trigger`, undefined, key)))
  t.equal(new Set(runs.map(({ run_id }) => run_id)).size, 1)
  t.match(
    await send(api, `/${job_id}/trigger`),
    { replayed: false },
    'a trigger without a key is a run of its own',
  )
  t.match(await send(api, `/${other.job_id}/trigger`, undefined, key), { replayed: false }, 'another job')
  const { body } = await read(api('GET', `/cron/jobs/${job_id}/runs`))
  t.equal((body as unknown as { data: object[] }).data.length, 2)
})

t.test('a marked retry of the only trigger gets its run', async t => {
  const { job_id } = await send(api, '', { ...yearly, name: 'once' })
  const { run_id } = await send(api, `/${job_id}/trigger`)
  t.match(await send(api, `/${job_id}/trigger`, undefined, again), { run_id, replayed: true })
})
