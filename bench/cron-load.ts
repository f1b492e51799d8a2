// How long it takes until a cron job with a long history is in memory: from its newest saved fold, and from its first
// event, as without saved folds.

import { cronEvents } from '../src/contract/decoders/cron.ts'
import type { CronEvent, CronSettings } from '../src/contract/events/cron-events.ts'
import { cronEventVersion } from '../src/contract/events/cron-events.ts'
import { dueFold, restoredCronJob } from '../src/history/cron-fold.ts'
import { type CronView, emptyCronJob, evolveCronJob } from '../src/history/cron-job.ts'
import type { EventLog } from '../src/log/log.ts'
import { newFolder } from './support/folder.ts'
import { openFileLog } from './support/open-log.ts'
import { interleave, printRatio } from './support/rounds.ts'

export const about = 'a cron job with a million runs comes into memory, against the fold of all its events'

const runs = Number(process.env.RUNS ?? 1_000_000)
const runsInAppend = 50
const stream = 'cron-bench'

const settings: CronSettings = {
  name: 'bench',
  every_seconds: 1,
  timezone: 'UTC',
  task: { user_message_content: 'go', stream: false, background: true },
  missed: 'skip',
  overlap: 'allow',
  jitter_seconds: 0,
  anchor: 0,
}
const created: CronEvent = {
  type: 'CronJobCreated',
  data: { job_id: 'bench', user_id: 'default', settings, maker: { token_id: 'admin' }, digest: '' },
}
const runOf = (n: number): CronEvent[] => {
  const run = { run_id: `run_${n}`, task_id: `task_${n}`, scheduled_at: n * 1000, name: 'bench' }
  const next = { at: n * 1000 + 1000, due: n * 1000 + 1000 }
  return [
    { type: 'CronJobTriggered', data: { ...run, next } },
    { type: 'CronJobCompleted', data: { ...run, duration_ms: 5 } },
  ]
}

/** Stores the history of the job, with its saved folds. */
const fill = async (log: EventLog): Promise<void> => {
  const view = emptyCronJob()
  const append = async (events: CronEvent[]) => {
    const stored = await log.append([
      {
        stream,
        expectedRevision: view.revision,
        principal: 'system',
        owner: 'default',
        session_id: '',
        correlation_id: stream,
        causation_id: stream,
        events: events.map(({ type, data }) => ({ type, schema_version: cronEventVersion, data })),
      },
    ])
    for (const event of stored) evolveCronJob(view, cronEvents.read(event))
  }
  await append([created])
  for (let n = 0; n < runs; n += runsInAppend) {
    const fold = dueFold(view)
    const events = Array.from({ length: runsInAppend }, (_, more) => runOf(n + more)).flat()
    await append(fold === undefined ? events : [...events, { type: 'CronFoldSaved', data: { fold } }])
  }
}

const readOn = async (log: EventLog, view: CronView): Promise<void> => {
  for await (const page of log.readStream(stream, view.revision)) {
    for (const event of page) evolveCronJob(view, cronEvents.read(event))
  }
  if (view.runs !== runs) throw new Error(`the view has ${view.runs} runs, not ${runs}`)
}
const millis = async (work: () => Promise<void>): Promise<number> => {
  const started = performance.now()
  await work()
  return performance.now() - started
}

export const run = async (): Promise<void> => {
  const log = openFileLog(newFolder('cron-load'))
  await fill(log)
  const rounds = await interleave(
    {
      restored: () => millis(async () => readOn(log, await restoredCronJob(log, stream))),
      whole: () => millis(() => readOn(log, emptyCronJob())),
    },
    { warmUp: 1, rounds: 3 },
  )
  printRatio(
    `a job with ${runs.toLocaleString('en')} runs comes into memory`,
    rounds.restored,
    rounds.whole,
    {
      unit: 'ms',
      target: { atMost: 0.01 },
    },
  )
  await log.close()
}
