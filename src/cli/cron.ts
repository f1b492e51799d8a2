// reprise cron: lists, makes, deletes and runs cron jobs. It asks the running server.
import { type Config, readConfig } from '../config.ts'
import { CannotStart } from '../contract/cannot-start.ts'
import type { CronJob, CronRun } from '../contract/wire.ts'
import { NotReached } from './exit.ts'
import { askServer, urlOfServer } from './server.ts'

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

/** The most entries of a page. */
const perPage = 100

const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
  const config: Config = readConfig(process.env)
  const url = urlOfServer(config)
  if (url === undefined)
    throw new NotReached(`no server runs on ${config.dataDir}: start one with reprise serve`)
  const sent = body === undefined ? {} : { body }
  const answer = await askServer(config, url, method, `/v1/cron/jobs${path}`, sent)
  return (await answer.json()) as T
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)
const at = (id: string): string => `/${encodeURIComponent(id)}`

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

/** Prints every entry of a list, page by page. */
const printAll = async <Entry>(
  path: string,
  key: string,
  idOf: (entry: Entry) => string,
  lineOf: (entry: Entry) => string,
): Promise<void> => {
  for (let cursor = ''; ; ) {
    const page = await ask<Record<string, unknown>>('GET', `${path}?limit=${perPage}${cursor}`)
    const entries = page[key] as Entry[]
    for (const entry of entries) print(lineOf(entry))
    const last = entries.at(-1)
    if (page.has_more !== true || last === undefined) return
    cursor = `&starting_after=${encodeURIComponent(idOf(last))}`
  }
}

export const listJobs = (options: Json): Promise<void> =>
  printAll<CronJob>('', 'jobs', job => job.job_id, options.json ? JSON.stringify : lineOfJob)

export const listRuns = (id: string, options: Json): Promise<void> =>
  printAll<CronRun>(`${at(id)}/runs`, 'runs', run => run.run_id, options.json ? JSON.stringify : lineOfRun)

const wholeNumber = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new CannotStart(`--every ${text} is no number of seconds`)
  return Number(text)
}

export const addJob = async (name: string, message: string, options: AddOptions): Promise<void> => {
  const { schedule, every, timezone, agent, missed, overlap } = options
  const job = await ask<CronJob>('POST', '', {
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
  print(options.json ? JSON.stringify(job) : lineOfJob(job))
}

export const removeJob = async (id: string, options: Json): Promise<void> => {
  const answer = await ask<{ message: string }>('DELETE', at(id))
  if (options.json) print(JSON.stringify(answer))
  else process.stderr.write(`${answer.message}\n`)
}

export const triggerJob = async (id: string, options: Json): Promise<void> => {
  const run = await ask<CronRun>('POST', `${at(id)}/trigger`)
  print(options.json ? JSON.stringify(run) : lineOfRun(run))
}
