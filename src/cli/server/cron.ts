// reprise cron: lists, makes, deletes and runs cron jobs. It asks the running server.
import { CannotStart } from '../../contract/cannot-start.ts'
import type { CronJob, CronRun } from '../../contract/wire.ts'
import { ask, at, print, printAll } from './ask.ts'

type Json = { json?: true }
type AddOptions = Json & {
  schedule?: string
  every?: string
  at?: string
  timezone?: string
  agent?: string
  missed?: string
  overlap?: string
}

const jobs = '/cron/jobs'
const job = (id: string): string => `${jobs}${at(id)}`

const whenOf = ({ schedule, every_seconds, at }: CronJob): string =>
  schedule ?? (every_seconds === undefined ? `at ${at}` : `every ${every_seconds} s`)
const lineOfJob = (job: CronJob): string =>
  [
    job.job_id,
    job.status.padEnd(7),
    whenOf(job),
    job.timezone,
    `next ${job.next_run_at ?? '-'}`,
    job.name,
  ].join('  ')
const lineOfRun = (run: CronRun): string =>
  [
    run.run_id,
    run.status.padEnd(9),
    run.scheduled_at,
    run.task_id ?? '-',
    run.skipped_reason ?? run.error ?? '',
  ].join('  ')

export const listJobs = (options: Json): Promise<void> =>
  printAll<CronJob>(jobs, options.json ? JSON.stringify : lineOfJob)

export const listRuns = (id: string, options: Json): Promise<void> =>
  printAll<CronRun>(`${job(id)}/runs`, options.json ? JSON.stringify : lineOfRun)

const wholeNumber = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new CannotStart(`--every ${text} is not a number of seconds`)
  return Number(text)
}

export const addJob = async (name: string, message: string, options: AddOptions): Promise<void> => {
  const { schedule, every, timezone, agent, missed, overlap } = options
  const made = await ask<CronJob>('POST', jobs, {
    name,
    ...(schedule === undefined ? {} : { schedule }),
    ...(every === undefined ? {} : { every_seconds: wholeNumber(every) }),
    ...(options.at === undefined ? {} : { at: options.at }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(missed === undefined ? {} : { missed }),
    ...(overlap === undefined ? {} : { overlap }),
    task: {
      user_message_content: message,
      ...(agent === undefined ? {} : { agent_config: { agent_id: agent } }),
    },
  })
  print(options.json ? JSON.stringify(made) : lineOfJob(made))
}

export const removeJob = async (id: string, options: Json): Promise<void> => {
  const answer = await ask<{ message: string }>('DELETE', job(id))
  if (options.json) print(JSON.stringify(answer))
  else process.stderr.write(`${answer.message}\n`)
}

export const triggerJob = async (id: string, options: Json): Promise<void> => {
  const run = await ask<CronRun>('POST', `${job(id)}/trigger`)
  print(options.json ? JSON.stringify(run) : lineOfRun(run))
}
