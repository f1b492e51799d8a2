// The events of cron jobs, as the contract has them, on /api/events, /ws and NATS.
import t from 'tap'
import { read, until } from '../support/http.ts'
import { natsServer, noNats, storedIn } from '../support/nats.ts'
import { serveHere } from '../support/server.ts'
import { listen } from './event-streams.ts'
import { openSocket } from './socket/client.ts'

const nats = noNats ? undefined : await natsServer(t)
const { api, url } = await serveHere(t, nats === undefined ? {} : { NATS_URL: nats.url })

const add = async (name: string, task: object): Promise<string> => {
  const made = await read(api('POST', '/cron/jobs', { name, schedule: '@yearly', task }))
  return (made.body as unknown as { job_id: string }).job_id
}
const names = ['CronJobTriggered', 'CronJobCompleted', 'CronJobFailed']

t.test(
  'a run that completes and a run that fails have exactly the fields of the contract everywhere',
  async t => {
    const sse = await listen(url, { query: `types=${names.join(',')}` })
    const ofJobs = () => sse.heard().filter(({ type }) => names.includes(type))
    const socket = await openSocket(url)
    await socket.ask({ type: 'subscribe', channels: ['cron'] })
    const good = await add('good', { user_message_content: 'go', client_id: 'echo' })
    const script = [{ fail: { code: -32000, message: 'no' } }]
    const bad = await add('bad', { user_message_content: 'go', agent_config: { agent_id: 'script', script } })
    for (const [job, heard] of [
      [good, 2],
      [bad, 4],
    ] as const) {
      t.equal((await api('POST', `/cron/jobs/${job}/trigger`)).status < 300, true)
      await until(() => ofJobs().length === heard)
    }
    const run = ['type', 'timestamp', 'job_id', 'name', 'run_id', 'task_id', 'scheduled_at']
    t.same(
      ofJobs().map(({ type, body }) => [type, body.job_id, Object.keys(body)]),
      [
        ['CronJobTriggered', good, run],
        ['CronJobCompleted', good, [...run, 'duration_ms']],
        ['CronJobTriggered', bad, run],
        ['CronJobFailed', bad, [...run, 'duration_ms', 'error', 'reason']],
      ],
    )
    await until(() => socket.told().length === 4)
    t.same(
      socket.told().map(({ id, data }) => [id, data]),
      ofJobs().map(({ id, body }) => [id, body]),
      'on /ws',
    )
    if (nats !== undefined) {
      const connection = await nats.client(t)
      const sent = async () =>
        (await storedIn(connection)).filter(({ subject }) => subject.includes('.cron.'))
      await until(async () => (await sent()).length === 4)
      t.same(
        (await sent()).map(({ body }) => JSON.parse(body)),
        ofJobs().map(({ body }) => body),
        'on NATS',
      )
    }
    await socket.cut()
    await sse.cut()
  },
)
