// The workers in examples/agents, each a process of its own that connects to a server: the shop in Node, the reminders in Python.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')
const examples = path.join(root, 'examples/agents')

export type WorkerPlace = {
  url: string
  token: string /** The port of its application, if it has one. */
  port: number
}
type Starts = (place: WorkerPlace) => ChildProcess

export const noPython = spawnSync('python3', ['--version']).status === 0 ? false : 'python3 is not there'

/** The folder of the application, as it is after `npm install`. `remove` removes it. */
export const shop = (): { start: Starts; remove(): void } => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-shop-'))
  mkdirSync(path.join(folder, 'node_modules'))
  cpSync(path.join(examples, 'worker'), folder, { recursive: true })
  for (const [name, target] of [
    ['reprise', root],
    ['fastify', path.join(root, 'node_modules/fastify')],
  ] as const)
    symlinkSync(target, path.join(folder, 'node_modules', name))
  return {
    start: ({ url, token, port }) =>
      spawn(process.execPath, [path.join(folder, 'server.mjs')], {
        cwd: folder,
        env: { PATH: process.env.PATH, REPRISE_URL: url, REPRISE_TOKEN: token, PORT: String(port) },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

const reminders = `
import asyncio, os
from reminders import main
from reprise_agent import serve
asyncio.run(serve(os.environ["REPRISE_URL"], os.environ["REPRISE_TOKEN"], {"reminders": main}))
`
export const startReminders: Starts = ({ url, token }) =>
  spawn('python3', ['-c', reminders], {
    env: {
      PATH: process.env.PATH,
      PYTHONPATH: [path.join(root, 'python'), examples].join(path.delimiter),
      PYTHONDONTWRITEBYTECODE: '1',
      REPRISE_URL: url,
      REPRISE_TOKEN: token,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
