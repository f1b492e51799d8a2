// A real server with cron jobs, killed at random moments: each time of a job has one run, and each run one task.
import t from 'tap'
import { flawsOf, type StoredEvent, storedEvents } from '../server/stored-log.ts'
import { ask, sleep, until } from '../server/wire.ts'
import { launch, runReprise } from '../support/server.ts'
import { randomOf } from '../support/world.ts'

const seed = Number(process.env.SEED ?? 20_260_101)
const runs = 4

t.setTimeout(110_000)

type Job = { job_id: string; status: string; running: number; queued: number }
type Data = { job_id: string; run_id: string; task_id: string; scheduled_at: number; next?: { at: number } }
const dataOf = ({ data }: StoredEvent) => data as Data
const of = (events: StoredEvent[], type: string) => events.filter(event => event.type === type)
const terminal = /^Task(Completed|Failed|Canceled|Expired)$/

/** The tasks of runs that were created, and had not started when the server was killed. */
const unstarted = (events: StoredEvent[]): string[] => {
  const started = new Set(of(events, 'TaskStarted').map(({ stream }) => stream))
  return of(events, 'CronJobTriggered')
    .map(event => `task-${dataOf(event).task_id}`)
    .filter(stream => !started.has(stream))
}

t.test(
  'however often the server is killed, each time has one run, whose task exists once and ends',
  { timeout: 110_000 },
  async t => {
    const dataDir = t.testdir()
    const random = randomOf(seed)
    // One place for all tasks: while a slow task has it, the tasks of triggered runs have not started.
    const env = { MAX_RUNNING_TASKS: '1' }
    let server = await launch(dataDir, env)
    t.teardown(() => server.end('SIGKILL'))
    const slow = { agent_id: 'script', script: [{ sleep_ms: 250 }, { message: 'done' }] }
    const task = { user_message_content: 'go' }
    const make = async (body: object) => (await ask<Job>(server.api, 'POST', '/cron/jobs', body)).job_id
    const often = { every_seconds: 1, max_runs: runs, overlap: 'allow' }
    const jobs = [
      await make({ name: 'quick', task: { ...task, client_id: 'echo' }, ...often }),
      await make({ name: 'slow', task: { ...task, agent_config: slow }, ...often }),
      await make({
        name: 'slow, in turn',
        task: { ...task, agent_config: slow },
        ...often,
        overlap: 'queue',
      }),
      await make({ name: 'once', task, at: new Date(Date.now() + 2500).toISOString() }),
    ]
    let aimed = 0
    for (let kill = 0; kill < 4; kill++) {
      const begun = of(storedEvents(dataDir), 'CronJobTriggered').length
      await sleep(100 + random() * 500)
      // Every second kill comes as soon as a run is triggered, before its task can start.
      for (let n = 0; kill % 2 === 0 && n < 300; n++) {
        const now = storedEvents(dataDir)
        if (of(now, 'CronJobTriggered').length > begun && unstarted(now).length > 0) break
        await sleep(5)
      }
      await server.end('SIGKILL')
      if (unstarted(storedEvents(dataDir)).length > 0) aimed++
      server = await launch(dataDir, env)
    }
    await until(
      'every job has ended',
      async () => {
        const { data: now } = await ask<{ data: Job[] }>(server.api, 'GET', '/cron/jobs')
        return now.every(({ status, running, queued }) => status === 'ended' && running + queued === 0)
      },
      60_000,
    )
    t.same(await server.end('SIGTERM'), [0, null])
    t.ok(aimed > 0, 'a kill came between a trigger and the start of its task')

    const events = storedEvents(dataDir)
    for (const [n, job] of jobs.entries()) {
      const own = events.filter(({ stream }) => stream === `cron-${job}`)
      const first = of(own, 'CronJobCreated').map(event => dataOf(event).next?.at ?? 0)[0] ?? 0
      const times = n === 3 ? [first] : Array.from({ length: runs }, (_, at) => first + at * 1000)
      const triggered = of(own, 'CronJobTriggered').map(dataOf)
      t.same(triggered.map(({ scheduled_at }) => scheduled_at).sort(), times, 'one run for each time')
      t.same(
        of(own, 'CronJobCompleted')
          .map(event => dataOf(event).run_id)
          .sort(),
        triggered.map(({ run_id }) => run_id).sort(),
        'one end for each run',
      )
      for (const { task_id } of triggered) {
        const life = events.filter(({ stream }) => stream === `task-${task_id}`)
        t.equal(of(life, 'TaskCreated').length, 1, 'one task for each run')
        t.equal(life.filter(({ type }) => terminal.test(type)).length, 1, 'one end for each task')
      }
    }
    t.same(of(events, 'CronRunSkipped'), [], 'no restart takes a minute, so no time is missed')
    t.equal(of(events, 'TaskCreated').length, 3 * runs + 1, 'no task besides')
    t.same(flawsOf(dataDir), [])
    t.match(await runReprise(['replay', '--all'], { DATA_DIR: dataDir }), { code: 0, stderr: '' })
  },
)
