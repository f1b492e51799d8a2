// What a cron job decides, without a server: decisions are pure, and only a run that begins asks for a task.
import t from 'tap'
import { decide, runOf } from '../../actors/cron/decide.ts'
import type { At, RunTask } from '../../actors/cron/deps.ts'
import type { CronCommand } from '../../src/contract/commands/cron-commands.ts'
import { cronEvents } from '../../src/contract/decoders/cron.ts'
import { type CronEvent, type CronSettings, cronStream } from '../../src/contract/events/cron-events.ts'
import { planner } from '../../src/cron/schedule/planner.ts'
import { type CronView, emptyCronJob, evolveCronJob } from '../../src/history/cron-job.ts'
import { refused } from '../support/system.ts'

const now = Date.parse('2026-01-01T12:00:00.000Z')
const asked = { principal: 'admin', causation: 'req_1' }
const stream = cronStream('j')
const task: RunTask = {
  taskId: 'task_1',
  made: {
    ...{ stream: 'task-task_1', expectedRevision: -1, principal: 'admin', owner: 'u' },
    ...{ session_id: 's', correlation_id: 'task_1', events: [] },
  },
}
const settingsWith = (overlap: CronSettings['overlap']): CronSettings => ({
  ...{
    name: 'hourly',
    schedule: '0 * * * *',
    timezone: 'UTC',
    task: { user_message_content: 'hi', stream: false },
  },
  ...{ overlap, missed: 'skip', jitter_seconds: 0, anchor: now },
})
const at = (given: Partial<At> = {}): At => ({ now, plans: planner, task: undefined, ...given })

const seeing = (view: CronView, events: readonly CronEvent[]): CronView => {
  for (const { type, data } of events) {
    const revision = view.revision + 1
    const header = { stream, revision, type, schema_version: 1, time: new Date(now).toISOString() }
    evolveCronJob(view, cronEvents.read({ position: revision + 1, header: header as never, data }))
  }
  return view
}
const jobWith = (overlap: CronSettings['overlap']): CronView => {
  const view = emptyCronJob()
  const create: CronCommand = {
    ...{ type: 'CreateJob', jobId: 'j', userId: 'u', settings: settingsWith(overlap), enabled: true },
    ...{ maker: { token_id: 'tok', user_id: 'u' }, digest: 'd', ...asked },
  }
  return seeing(view, decide(view, create, at()).events)
}
const runNow: CronCommand = { type: 'RunNow', runId: 'run_1', ...asked }
const busy = (overlap: CronSettings['overlap']): CronView => {
  const view = jobWith(overlap)
  return seeing(view, decide(view, runNow, at({ task })).events)
}

t.test('a run that begins is named before its task is prepared, and is stored with its task', async t => {
  const view = jobWith('skip')
  t.match(runOf(view, runNow, at()), { runId: 'run_1', ticket: 'run_1' })
  const { events, made } = decide(view, runNow, at({ task }))
  t.match(events, [{ type: 'CronJobTriggered', data: { run_id: 'run_1', task_id: 'task_1' } }])
  t.equal(
    made[0]?.causation_id,
    `${stream}@${view.revision + 1}`,
    'the event of the run is the cause of the task',
  )
  t.throws(() => decide(view, runNow, at()), 'a run never begins without its task')
})

t.test('the cause of the task is the event of its run, also after a record of missed times', async t => {
  const view = jobWith('skip')
  seeing(view, [
    { type: 'CronJobChanged', data: { settings: { ...settingsWith('skip'), missed: 'run_once' } } },
  ])
  const next = planner.next('j', settingsWith('skip'), now - 5 * 3_600_000)
  seeing(view, [{ type: 'CronJobReplanned', data: { next: next as never } }])
  const due: CronCommand = { type: 'RunDue', runId: 'run_2', skipId: 'run_3', seenAt: now, ...asked }
  const { events, made } = decide(view, due, at({ task }))
  t.match(events, [{ type: 'CronRunSkipped' }, { type: 'CronJobTriggered', data: { run_id: 'run_2' } }])
  t.equal(made[0]?.causation_id, `${stream}@${view.revision + 2}`)
})

t.test('a task that is refused makes a run that failed', async t => {
  const { events, made } = decide(
    jobWith('skip'),
    runNow,
    at({ task: { error: 'too many', reason: 'quota' } }),
  )
  t.match(events, [{ type: 'CronJobFailed', data: { error: 'too many', reason: 'quota' } }])
  t.same(made, [])
})

t.test('a run that waits or is refused asks for no task', async t => {
  t.throws(() => runOf(busy('skip'), runNow, at()), refused('Conflict'))
  t.equal(runOf(busy('queue'), runNow, at()), undefined)
  t.match(decide(busy('queue'), runNow, at()).events, [{ type: 'CronRunQueued' }])
  t.match(runOf(busy('allow'), runNow, at()), { runId: 'run_1' }, 'unless runs may overlap')
})

t.test('a decision changes nothing: the same view and command give the same events', async t => {
  const view = busy('queue')
  const before = structuredClone(view)
  t.same(decide(view, runNow, at()), decide(view, runNow, at()))
  t.same(view, before)
})
