// reprise cron: lists, makes, deletes and runs cron jobs. It asks a server.
import type { CreateCronJobBody, CronJob, CronRun } from '../../../library/client/index.ts'
import { CannotStart } from '../../contract/cannot-start.ts'
import { called } from '../terminal/called.ts'
import { type Asking, ask, perPage, print, printAll, printJson } from './ask.ts'

type CreateOptions = Asking & {
  schedule?: string
  every?: string
  at?: string
  timezone?: string
  agent?: string
  missed?: string
  overlap?: string
}

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

export const listJobs = (options: Asking): Promise<void> =>
  ask(options, ({ cron }) =>
    printAll(
      cron.list({ limit: perPage }),
      options,
      lineOfJob,
      `No cron jobs yet. ${called} cron create makes one.`,
    ),
  )

export const listRuns = (id: string, options: Asking): Promise<void> =>
  ask(options, ({ cron }) =>
    printAll(
      cron.runs(id, { limit: perPage }),
      options,
      lineOfRun,
      `${id} has not run yet. ${called} cron trigger ${id} runs it now.`,
    ),
  )

const secondsOf = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new CannotStart(`--every ${text} is not a number of seconds`)
  return Number(text)
}

export const createJob = async (name: string, message: string, options: CreateOptions): Promise<void> => {
  const { schedule, every, timezone, agent, missed, overlap } = options
  if ([schedule, every, options.at].filter(given => given !== undefined).length !== 1)
    throw new CannotStart('give one of --schedule, --every and --at')
  const body: CreateCronJobBody = {
    name,
    ...(schedule === undefined ? {} : { schedule }),
    ...(every === undefined ? {} : { every_seconds: secondsOf(every) }),
    ...(options.at === undefined ? {} : { at: options.at }),
    ...(timezone === undefined ? {} : { timezone }),
    // The server says which words there are.
    ...(missed === undefined ? {} : { missed: missed as 'skip' }),
    ...(overlap === undefined ? {} : { overlap: overlap as 'skip' }),
    task: {
      user_message_content: message,
      ...(agent === undefined ? {} : { agent_config: { agent_id: agent } }),
    },
  }
  const made = await ask(options, ({ cron }) => cron.create(body))
  if (options.json) printJson(made)
  else print(lineOfJob(made))
}

export const deleteJob = async (id: string, options: Asking): Promise<void> => {
  const answer = await ask(options, ({ cron }) => cron.delete(id))
  if (options.json) printJson(answer)
  else process.stderr.write(`${answer.message}\n`)
}

export const triggerJob = async (id: string, options: Asking): Promise<void> => {
  const run = await ask(options, ({ cron }) => cron.trigger(id))
  if (options.json) printJson(run)
  else print(lineOfRun(run))
}
