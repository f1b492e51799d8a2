// Cron jobs, in three parts of a recording: with their secrets, after a server that was away for more than a minute, and
// after the secrets are gone. In the end each job is paused, has ended, or is deleted.
import { writeFileSync } from 'node:fs'
import { savedEvery } from '../../../src/history/cron-fold.ts'
import { until } from '../../support/http.ts'
import type { Stage } from './stage.ts'

/** Longer than the time after which a run that did not begin counts as missed. */
const awayMs = 63_000
const echo = { user_message_content: 'go', client_id: 'echo' }
const script = (...steps: object[]) => ({
  user_message_content: 'go',
  agent_config: { agent_id: 'script', script: steps },
})
type Job = { status: string; running: number; queued: number; runs: number }
type Run = { run_id: string; task_id: string; status: string }

const jobsOf = ({ must }: Stage) => {
  const show = (id: string) => must('GET', `/cron/jobs/${id}`) as unknown as Promise<Job>
  return {
    add: async (body: object): Promise<string> =>
      (await must('POST', '/cron/jobs', { task: echo, ...body }, { 'idempotency-key': JSON.stringify(body) }))
        .job_id ?? '',
    does: (id: string, verb: string, key?: string) =>
      must(
        'POST',
        `/cron/jobs/${id}/${verb}`,
        undefined,
        key === undefined ? {} : { 'idempotency-key': key },
      ) as unknown as Promise<Run>,
    becomes: (id: string, is: (job: Job) => boolean) => until(async () => is(await show(id))),
    runs: async (id: string) =>
      (await must('GET', `/cron/jobs/${id}/runs?limit=100`)).data as unknown as Run[],
  }
}

/** Resolves to a job whose first run is paused, and whose second run waits for it. Both need secrets. */
export const playJobs = async (stage: Stage): Promise<string> => {
  const { must } = stage
  const { add, does, becomes } = jobsOf(stage)
  const twice = await add({
    name: 'twice',
    every_seconds: 1,
    max_runs: 2,
    missed: 'run_once',
    jitter_seconds: 1,
  })
  const slow = script({ sleep_ms: 1500 }, { message: 'slow' })
  const inTurn = await add({ name: 'in turn', every_seconds: 1, max_runs: 3, overlap: 'queue', task: slow })
  const skips = await add({
    name: 'skips',
    every_seconds: 1,
    max_runs: 1,
    ends_at: '2999-01-01',
    task: script({ sleep_ms: 2500 }),
  })
  const fails = await add({
    name: 'fails',
    at: '2999-01-01',
    task: script({ fail: { code: -32000, message: 'no' } }),
  })
  await does(fails, 'trigger', 'once')
  for (const id of [twice, inTurn, skips]) {
    await becomes(id, ({ status, running, queued }) => status === 'ended' && running + queued === 0)
  }
  await must('PATCH', `/cron/jobs/${twice}`, {
    schedule: '0 7 * * MON-FRI',
    timezone: 'Europe/Berlin',
    max_runs: null,
  })
  await does(twice, 'pause')
  await becomes(fails, ({ running, runs }) => runs === 1 && running === 0)
  await must('DELETE', `/cron/jobs/${fails}`)

  const { token = '', id = '' } = await must('POST', '/auth/tokens', { role: 'user', user_id: 'dora' })
  const headers = { authorization: `Bearer ${token}` }
  const { job_id: doras = '' } = await must(
    'POST',
    '/cron/jobs',
    { name: 'of dora', at: '2999-01-01', task: echo },
    headers,
  )
  await must('DELETE', `/auth/tokens/${id}`)
  await becomes(doras, ({ status }) => status === 'paused')
  await does(doras, 'resume')
  for (let n = 0; n < savedEvery / 2 + 1; n++) {
    await does(doras, 'pause')
    await does(doras, 'resume')
  }
  await does(doras, 'pause')

  const secret = { ...script({ pause: 'tea' }, { message: 'after' }), env: { KEY: 'hush' } }
  const hidden = await add({ name: 'hidden', at: '2999-01-01', overlap: 'queue', task: secret })
  await does(hidden, 'trigger', 'first')
  await does(hidden, 'trigger', 'second')
  return hidden
}

/** A job whose times pass while no server runs. */
export const playMissed = async (stage: Stage): Promise<void> => {
  const often = { every_seconds: 2, overlap: 'allow' }
  const { job_id: id = '' } = await stage.must('POST', '/cron/jobs', { name: 'missed', task: echo, ...often })
  await stage.end()
  await new Promise(resolve => setTimeout(resolve, awayMs))
  await stage.begin()
  await until(async () => (await jobsOf(stage).runs(id)).some(({ status }) => status === 'skipped'))
  await stage.must('DELETE', `/cron/jobs/${id}`)
}

/** The name of a module that lets the clock of a process be half a minute ahead: longer than a start takes on a slow machine. */
export const clockAhead = 'clock-ahead.mjs'
const aheadText = 'const now = Date.now\nDate.now = () => now() + 30_000\n'

/** A job that was planned by a server whose clock was ahead, and goes on in a server whose clock is right. */
export const playAhead = async (stage: Stage): Promise<void> => {
  writeFileSync(stage.file(clockAhead), aheadText)
  await stage.begin({ NODE_OPTIONS: `--import=${stage.file(clockAhead)}` })
  const often = { schedule: '* * * * * *', overlap: 'allow' }
  const { job_id: id = '' } = await stage.must('POST', '/cron/jobs', { name: 'ahead', task: echo, ...often })
  const { runs } = jobsOf(stage)
  await until(async () => (await runs(id)).length > 1)
  await stage.end()
  await stage.begin()
  const before = (await runs(id)).length
  await until(async () => (await runs(id)).length > before)
  await stage.must('DELETE', `/cron/jobs/${id}`)
  await stage.end()
}

/** The runs of the hidden job cannot begin any more. */
export const playHiddenJob = async (stage: Stage, id: string): Promise<void> => {
  const { runs, becomes, does } = jobsOf(stage)
  const first = (await runs(id)).find(({ status }) => status === 'running')
  await stage.act(first?.task_id ?? '', 'cancel')
  await becomes(id, ({ queued, running }) => queued + running === 0)
  await does(id, 'trigger', 'third')
  await stage.must('PATCH', `/cron/jobs/${id}`, { every_seconds: 1, max_runs: 4 })
  await becomes(id, ({ status }) => status === 'ended')
}
