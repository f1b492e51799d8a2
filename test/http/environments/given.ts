// A server with environments, and short ways to use them.
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Test } from 'tap'
import { until } from '../../support/http.ts'
import { serveHere } from '../../support/server.ts'
import { type Frame, follow } from '../../support/sse.ts'
import { envCalls, modules } from '../env-calls.ts'

export const add2 = (session_id: string) => ({ session_id, tool_name: 'add', tool_args: { by: 2 } })
export const bodies = (frames: Frame[]) => frames.map(frame => frame as unknown as Record<string, unknown>)

export const givenEnvironments = async (t: Test) => {
  const server = await serveHere(t, { ENV_PATH: modules, LOG_LEVEL: 'debug' })
  const { api, dataDir, lines } = server
  const env = envCalls(api)
  // Each session is a process: none is needed longer than its test.
  t.afterEach(() => env.call('POST', '/env/sessions/cleanup?inactive_seconds=0'))
  return {
    server,
    api,
    dataDir,
    env,
    ...env,
    /** Opens a step as a stream. */
    streamed: (body: object, headers: Record<string, string> = {}) =>
      follow(api('POST', '/env/step', { stream: true, ...body }, headers)),
    /** A step that lasts until `release`; resolves when it has begun. */
    async holding(t: Test, session_id: string, headers: Record<string, string> = {}) {
      const file = path.join(t.testdir(), 'go')
      const answer = env.step(session_id, 'hold', { file }, {}, headers)
      await until(() => existsSync(`${file}.begun`))
      return { answer, file, release: () => writeFileSync(file, '') }
    },
    /** Lines of the log that say that something is wrong with us. */
    faults: () => lines.filter(({ level }) => level === 'error'),
  }
}
