// Cron jobs over HTTP: what is refused, whose jobs they are, and which events are heard.
import t from 'tap'
import { publicEventOf } from '../../src/history/public-events.ts'
import { read, until } from '../support/http.ts'
import { apiOf, serveHere } from '../support/server.ts'

const { api, url, system } = await serveHere(t, { QUOTA_CRON_JOBS: '2' })
const tokenFor = async (body: object) => {
  const made = (await read(api('POST', '/auth/tokens', body))).body as unknown as {
    id: string
    token: string
  }
  return { id: made.id, as: apiOf(url, made.token) }
}
const task = { user_message_content: 'go', client_id: 'echo' }
const yearly = { name: 'a', schedule: '@yearly', task }
type Job = { job_id: string; status: string; paused_reason?: string }
const make = async (who: typeof api, body: object) =>
  (await read(who('POST', '/cron/jobs', body))).body as unknown as Job

t.test('a wrong body gets every problem, in the place where it is', async t => {
  const wrong = {
    schedule: 'x',
    every_seconds: 5,
    timezone: 'Mars',
    task: { ...task, task_id: 'a', stream: true },
  }
  const { status, body } = await read(api('POST', '/cron/jobs', wrong))
  t.equal(status, 422)
  const places = (body as unknown as { detail: { loc: string[] }[] }).detail.map(({ loc }) => loc.join('.'))
  t.same([...new Set(places)].sort(), [
    'body.every_seconds',
    'body.name',
    'body.schedule',
    'body.task.stream',
    'body.task.task_id',
    'body.timezone',
  ])
  const inside = { name: 'a', task: { ...task, history_messages: 5, agent_config: { agent_id: 'nobody' } } }
  const both = await read(api('POST', '/cron/jobs', { ...inside, every_seconds: 0 }))
  t.same(
    (both.body as unknown as { detail: { loc: string[] }[] }).detail.map(({ loc }) => loc.join('.')).sort(),
    ['body.every_seconds', 'body.task.agent_config.agent_id', 'body.task.history_messages'],
    'problems that a schema finds in `task` hide none that only the server finds there',
  )
  const past = { name: 'a', at: '2001-01-01', task: { ...task, agent_config: { agent_id: 'nobody' } } }
  t.equal((await api('POST', '/cron/jobs', past)).status, 422)
  const never = await read(api('POST', '/cron/jobs', { ...past, at: '2927-02-30T00:00:00Z', task }))
  t.match(never.body, { detail: [{ loc: ['body', 'at'] }] }, 'a day that its month does not have')
  t.match((await read(api('GET', '/cron/jobs'))).body, {
    object: 'list',
    data: [],
    has_more: false,
    next_cursor: null,
  })
})

t.test('a change leaves what it does not name, and the owner, as they are', async t => {
  const ann = await tokenFor({ role: 'user', user_id: 'ann' })
  const { next_run_at, ...job } = (await read(ann.as('POST', '/cron/jobs', yearly))).body as Record<
    string,
    unknown
  >
  const change = async (as: typeof api, body: object) =>
    (await read(as('PATCH', `/cron/jobs/${job.job_id}`, body))).body as Record<string, unknown>
  t.same(await change(ann.as, { name: 'b' }), { ...job, name: 'b', next_run_at })
  const other = { ...task, user_message_content: 'on' }
  t.same(await change(ann.as, { task: other }), { ...job, name: 'b', task: other, next_run_at })
  const named = await change(api, { task: { ...other, user_id: 'bob' } })
  t.same(named, { ...job, name: 'b', task: other, next_run_at }, 'whoever changes it')
  t.equal((await ann.as('DELETE', `/cron/jobs/${job.job_id}`)).status, 200)
})

t.test("a user's jobs are not there for another user, and are limited", async t => {
  const ann = await tokenFor({ role: 'user', user_id: 'ann' })
  const bob = await tokenFor({ role: 'user', user_id: 'bob' })
  const auditor = await tokenFor({ role: 'auditor' })
  const { job_id } = await make(ann.as, yearly)
  for (const [method, tail] of [
    ['GET', ''],
    ['DELETE', ''],
    ['POST', '/trigger'],
    ['GET', '/runs'],
    ['GET', '/machine'],
  ] as const) {
    t.equal((await bob.as(method, `/cron/jobs/${job_id}${tail}`)).status, 404)
  }
  t.equal((await auditor.as('GET', `/cron/jobs/${job_id}`)).status, 200)
  t.equal((await auditor.as('POST', `/cron/jobs/${job_id}/trigger`)).status, 403)
  t.equal((await ann.as('POST', '/cron/jobs', { ...yearly, task: { ...task, user_id: 'bob' } })).status, 403)
  await make(ann.as, yearly)
  const { status, body } = await read(ann.as('POST', '/cron/jobs', yearly))
  t.equal(status, 429)
  t.match(body, { data: { quota: 'cron_jobs', limit: 2 } })
  t.match((await read(bob.as('GET', '/cron/jobs'))).body, { data: [] })
})

t.test(
  'a job pauses when its maker has no valid token left, and goes on when the maker has one again',
  async t => {
    const dea = await tokenFor({ role: 'user', user_id: 'dea' })
    const { job_id } = await make(dea.as, yearly)
    const job = async () => (await read(api('GET', `/cron/jobs/${job_id}`))).body as unknown as Job
    const { next_run_at } = (await job()) as unknown as { next_run_at: string }
    await api('DELETE', `/auth/tokens/${dea.id}`)
    await until(async () => (await job()).paused_reason === 'no_valid_token')
    t.match(await job(), { status: 'paused', next_run_at: null })
    await tokenFor({ role: 'user', user_id: 'dea' })
    await until(async () => (await job()).status === 'active')
    t.match(await job(), { paused_reason: null, next_run_at })
  },
)

t.test('a token that expires pauses the jobs of its user, as a revoked one does', async () => {
  const made = { role: 'user', user_id: 'eva', ttl: 1 }
  const eva = await tokenFor(made)
  const { job_id } = await make(eva.as, yearly)
  const job = async () => (await read(api('GET', `/cron/jobs/${job_id}`))).body as unknown as Job
  await until(async () => (await job()).paused_reason === 'no_valid_token')
  await tokenFor(made)
  await until(async () => (await job()).status === 'active')
})

t.test('a job that its user has paused stays paused when the user gets a token', async t => {
  const fay = await tokenFor({ role: 'user', user_id: 'fay' })
  const { job_id } = await make(fay.as, yearly)
  await fay.as('POST', `/cron/jobs/${job_id}/pause`)
  await api('DELETE', `/auth/tokens/${fay.id}`)
  const other = await tokenFor({ role: 'user', user_id: 'fay' })
  const job = (await read(other.as('GET', `/cron/jobs/${job_id}`))).body as unknown as Job
  t.match(job, { status: 'paused', paused_reason: 'paused' })
})

t.test('a job whose maker has no valid token goes on with another maker when it is resumed', async t => {
  const cem = await tokenFor({ role: 'user', user_id: 'cem' })
  const { job_id } = await make(cem.as, yearly)
  await api('DELETE', `/auth/tokens/${cem.id}`)
  const job = async () => (await read(api('GET', `/cron/jobs/${job_id}`))).body as unknown as Job
  await until(async () => (await job()).paused_reason === 'no_valid_token')
  t.equal((await api('POST', `/cron/jobs/${job_id}/trigger`)).status, 409)
  t.match((await read(api('POST', `/cron/jobs/${job_id}/resume`))).body, { status: 'active' })
  t.equal((await api('POST', `/cron/jobs/${job_id}/trigger`)).status, 200)
})

t.test('each run gives the events of the interface, with their fields', async t => {
  const { job_id } = await make(api, yearly)
  await api('POST', `/cron/jobs/${job_id}/trigger`)
  const heard = async () => {
    const events: object[] = []
    for await (const page of system.log.readStream(`cron-${job_id}`)) {
      events.push(...page.flatMap(event => publicEventOf(event) ?? []))
    }
    return events
  }
  await until(async () => (await heard()).length === 2)
  const [first, second] = await heard()
  const run = ['type', 'timestamp', 'job_id', 'name', 'run_id', 'task_id', 'scheduled_at']
  t.same(Object.keys(first ?? {}), run)
  t.same(Object.keys(second ?? {}), [...run, 'duration_ms'])
  t.match(
    [first, second],
    [
      { type: 'CronJobTriggered', job_id },
      { type: 'CronJobCompleted', job_id },
    ],
  )
})

t.test('a job shows its chart, its state and the events that may follow', async t => {
  const { job_id } = await make(api, { ...yearly, enabled: false })
  const machine = async () => (await read(api('GET', `/cron/jobs/${job_id}/machine`))).body
  t.match(await machine(), { machine: { id: 'cron' }, state: 'paused', value: 'paused' })
  const { next_events } = (await machine()) as unknown as { next_events: string[] }
  t.ok(next_events.includes('CronJobResumed'))
  t.notOk(next_events.includes('CronRunSkipped'))
  await api('POST', `/cron/jobs/${job_id}/resume`)
  t.match(await machine(), { state: 'active' })
})

t.test('a job shows the newest of its runs that ended with a result', async t => {
  const ann = await tokenFor({ role: 'user', user_id: 'runs-of-ann' })
  const script = [{ fail: { code: -32000, message: 'no water left' } }]
  const failing = { user_message_content: 'go', agent_config: { agent_id: 'script', script } }
  const { job_id } = await make(ann.as, { ...yearly, task })
  type Last = { run_id: string; status: string; error?: string } | null
  const last = async () =>
    ((await read(ann.as('GET', `/cron/jobs/${job_id}`))).body as unknown as { last_run: Last }).last_run
  const run = async () =>
    ((await read(ann.as('POST', `/cron/jobs/${job_id}/trigger`))).body as unknown as { run_id: string })
      .run_id
  t.equal(await last(), null, 'no run yet')
  const first = await run()
  await until(async () => (await last())?.run_id === first)
  t.match(await last(), { status: 'completed' })
  await read(ann.as('PATCH', `/cron/jobs/${job_id}`, { task: failing }))
  const second = await run()
  await until(async () => (await last())?.run_id === second)
  t.match(await last(), { status: 'failed', error: /no water left/ })
  const { data: jobs } = (await read(ann.as('GET', '/cron/jobs'))).body as unknown as {
    data: { last_run: Last }[]
  }
  t.match(jobs[0]?.last_run, { run_id: second, status: 'failed' }, 'also in the list')
})
