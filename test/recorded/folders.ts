// A data folder as a released version left it, with what that version answered about it: test/recorded/folders/<version>.tar.gz has
// `data` and `answers.ndjson`. docs/versions.md promises what the test of these folders holds.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { sqliteReader } from '../../src/log/file/sqlite-reader.ts'
import { tasksOf } from '../http/agent-tasks.ts'
import { read, until } from '../support/http.ts'
import type { Api } from '../support/server.ts'
import type { Answer, StoredRow } from './files.ts'
import { allRows } from './load.ts'
import { forGood, ttls } from './scenes/stage.ts'

const folder = path.join(import.meta.dirname, 'folders')
const fileOf = (version: string) => path.join(folder, `${version}.tar.gz`)
export const folderVersions = (): string[] =>
  readdirSync(folder)
    .map(name => name.replace('.tar.gz', ''))
    .sort()

const tar = (...args: string[]): void => {
  const { status, stderr } = spawnSync('tar', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`tar ${args.join(' ')}: ${stderr}`)
}

/** Unpacks a folder into an empty one. */
export const unpack = (version: string, into: string): { dataDir: string; answers: Answer[] } => {
  tar('-xzf', fileOf(version), '-C', into, '--no-same-owner')
  const lines = readFileSync(path.join(into, 'answers.ndjson'), 'utf8').trimEnd().split('\n')
  return { dataDir: path.join(into, 'data'), answers: lines.map(line => JSON.parse(line) as Answer) }
}

/** Packs `data` of a folder, with the answers about it. */
export const pack = (version: string, from: string, answers: readonly Answer[]): string => {
  writeFileSync(
    path.join(from, 'answers.ndjson'),
    answers.map(answer => `${JSON.stringify(answer)}\n`).join(''),
  )
  mkdirSync(folder, { recursive: true })
  // Reading the log made these two, and they are empty: the server has closed its file.
  const empty = ['--exclude=*-shm', '--exclude=*-wal']
  tar('-czf', fileOf(version), ...empty, '-C', from, 'data', 'answers.ndjson')
  return fileOf(version)
}

export const rowsIn = (dataDir: string): StoredRow[] => {
  const reader = sqliteReader(path.join(dataDir, 'log.db'))
  const rows = allRows(reader) as StoredRow[]
  void reader.close()
  return rows
}

/** Each later version must run this agent to its end, from the middle of its journal. */
const clerk = `import { agent } from 'reprise/agent'
export default agent(async ctx => {
  const noted = await ctx.run('note', () => 'noted')
  await ctx.env.step('move', { direction: 'east' })
  const answer = await ctx.ask('approve', { noted })
  const paid = await ctx.run('pay', () => 'paid')
  return [noted, answer, paid].join(', ')
})
`

/** The variables of a server of such a folder. `into`: a folder for the agents. */
export const variables = (into: string): Record<string, string> => {
  const agents = path.join(into, 'agents')
  mkdirSync(agents)
  writeFileSync(path.join(agents, 'clerk.mjs'), clerk)
  return { AGENT_PATH: agents, ENV_UID_BASE: '0', ENV_SESSION_IDLE_SECONDS: forGood, ...ttls(forGood) }
}

const says = (text: string, agent: string, more: object = {}) => ({
  ...{ user_message_content: text, stream: false, client_id: agent },
  ...more,
})
const sum = { tool: 'calculator', arguments: { expression: '6*7' } }
export const takeStep = (api: Api) =>
  read(api('POST', '/env/step', { session_id: 'grid', tool_name: 'move', tool_args: { direction: 'east' } }))

/** Makes what the folder has: tasks of two users, a session with a task under way in it, a job with a run, and a webhook. */
export const play = async (api: Api): Promise<void> => {
  const { post, becomes } = tasksOf(api)
  await post(says('hello', 'echo', { user_id: 'anna', task_id: 'greeting' }))
  const script = [sum, { message: 'It is $result.' }]
  await post(says('count', 'script', { task_id: 'sum', agent_config: { agent_id: 'script', script } }))
  await api('POST', '/env/create', { env_id: 'gridworld', session_id: 'grid' })
  await takeStep(api)
  await post(says('pay', 'clerk', { task_id: 'clerk', session_id: 'grid', background: true }))
  await becomes('clerk', 'input-required')
  const job = { name: 'far', at: '2126-01-01T00:00:00Z', task: says('from the job', 'echo') }
  const { job_id } = JSON.parse((await read(api('POST', '/cron/jobs', job))).text) as { job_id: string }
  await api('POST', `/cron/jobs/${job_id}/trigger`)
  await until(async () =>
    (await read(api('GET', `/cron/jobs/${job_id}/runs`))).text.includes('"status":"completed"'),
  )
  await api('POST', '/webhooks', { url: 'https://hooks.example.com/', types: ['TaskDeleted'] })
}
