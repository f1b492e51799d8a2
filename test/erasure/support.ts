// What the tests of erasures share: work whose texts can be recognized, and a search for them in every file of a folder.
import { spawnSync } from 'node:child_process'
import type { Test } from 'tap'
import type { Api } from '../support/server.ts'

/** A word that stands in every text of what is erased. */
export const secret = 'ZEBRAFISH'

export type Erased = {
  erasure_id: string
  position: number
  reason: string
  by: string
  erased: { tasks: string[]; env_sessions: string[]; cron_jobs: string[] }
  not_erased: { what: string; why: string }[]
}
type Task = { id: string; status: string; output: unknown[] }

export const jsonOf = async <T>(answer: Promise<Response> | Response): Promise<T> =>
  (await (await answer).json()) as T

/** Answers with a status that is not expected fail the test with their body. */
export const ok = async <T>(answer: Promise<Response>): Promise<T> => {
  const response = await answer
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text}`)
  return JSON.parse(text) as T
}

export const makeTask = async (api: Api, body: object): Promise<Task> => {
  const { result } = await ok<{ result: Task }>(api('POST', '/tasks', { stream: false, ...body }))
  return result
}
export const scripted = (...script: object[]) => ({ agent_config: { agent_id: 'script', script } })

/**
 * Every file below a folder that has these bytes. Another process reads them: a process that closes a database file
 * loses its locks on it.
 */
export const filesWith = (folder: string, text: string): string[] => {
  const { stdout } = spawnSync('grep', ['-rlaF', text, '.'], { cwd: folder, encoding: 'utf8' })
  return stdout.split('\n').filter(Boolean)
}

export const nothingIn = (t: Test, folder: string, text: string, what: string): void =>
  void t.same(filesWith(folder, text), [], what)
