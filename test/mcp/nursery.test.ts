// The nursery, when the server is killed in the moment in which the nursery starts a process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { built } from '../../src/platform/built.ts'
import '../support/built.ts'
import { until } from '../support/http.ts'
import { folderOf, isAlive, linesOf } from './support.ts'

/** Kills the server as soon as a process was started, and says the pids of the nursery and of the process. */
const killing = (said: string) => `
  import child_process from 'node:child_process'
  import { syncBuiltinESMExports } from 'node:module'
  import { writeFileSync } from 'node:fs'
  const { spawn } = child_process
  child_process.spawn = (...given) => {
    const child = spawn(...given)
    const server = process.ppid
    process.kill(server, 'SIGKILL')
    while (process.ppid === server) {}
    writeFileSync(${JSON.stringify(said)}, process.pid + '\\n' + child.pid + '\\n')
    return child
  }
  syncBuiltinESMExports()`

t.test('a process that was started when the server was killed is killed, too', async t => {
  const folder = folderOf(t)
  const [preload, said, errors] = ['preload.mjs', 'pids', 'stderr'].map(name => path.join(folder, name)) as [
    string,
    string,
    string,
  ]
  writeFileSync(preload, killing(said))
  const streams = createServer(socket => void socket.on('error', () => {}).resume())
  const where = path.join(folder, 'streams')
  streams.listen(where)
  await once(streams, 'listening')
  t.teardown(() => streams.close())

  const order = {
    ...{ n: 1, where, key: 'key', env: {} },
    ...{ command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] },
  }
  const server = spawn(process.execPath, [
    '-e',
    `const { fork } = require('node:child_process')
    const errors = require('node:fs').openSync(${JSON.stringify(errors)}, 'w')
    fork(${JSON.stringify(fileURLToPath(built('nursery-process.mjs')))}, {
      execArgv: ['--import', ${JSON.stringify(preload)}],
      stdio: ['ignore', 'ignore', errors, 'ipc'],
    }).send(${JSON.stringify(order)})
    setInterval(() => {}, 1000)`,
  ])
  t.teardown(() => server.kill('SIGKILL'))
  t.same(await once(server, 'exit'), [null, 'SIGKILL'])
  await until(() => linesOf(said).length === 2)
  const pids = linesOf(said).map(Number)
  t.teardown(() => pids.filter(isAlive).forEach(pid => void process.kill(pid, 'SIGKILL')))
  await until(() => !pids.some(isAlive))
  t.equal(readFileSync(errors, 'utf8'), '')
})
