// A server that other programs start: a shell, an init process, a supervisor. It leads a process group, as below a
// terminal.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Test } from 'tap'
import '../support/built.ts'
import { adminToken, apiOf } from '../support/server.ts'
import { until } from './wire.ts'

export const root = path.resolve(import.meta.dirname, '../..')
export const serving = [process.execPath, 'bin/reprise.mjs', 'serve']

type Env = Record<string, string>

/** The programs that start a server, which may not listen yet. All are killed when the test ends. */
export const beginBy = (t: Test, [program = '', ...args]: string[], dataDir: string, env: Env = {}) => {
  const child = spawn(program, args, {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`,
      ...{ HOST: '127.0.0.1', PORT: '0', ADMIN_TOKEN: adminToken, ENV_UID_BASE: '0', DATA_DIR: dataDir },
      ...env,
    },
  })
  const pid = child.pid ?? 0
  let stderr = ''
  child.stderr.on('data', chunk => (stderr += chunk))
  const exited = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  t.teardown(async () => {
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {}
    await exited
  })
  return { pid, exited, stderr: () => stderr }
}

/** Resolves when the server answers. */
export const startBy = async (t: Test, command: string[], dataDir: string, env: Env = {}) => {
  const begun = beginBy(t, command, dataDir, env)
  const file = path.join(dataDir, 'server.json')
  const { url } = await until(
    'the server listens',
    () => existsSync(file) && JSON.parse(readFileSync(file, 'utf8')),
  )
  const api = apiOf(url)
  await until('it answers', async () => (await fetch(`${url}/healthz`)).ok)
  return { ...begun, url: url as string, api }
}
