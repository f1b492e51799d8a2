// A disk that fails when the log is synced, made with strace, which lets system calls of a running server fail.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { realpathSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { spawnServer } from '../support/server.ts'
import { flawsOf } from './stored-log.ts'
import { createTask, getTask, type Refused, type Task, until } from './wire.ts'

const hello = { user_message_content: 'hello', stream: false, client_id: 'echo' }

/** From now on, these system calls of a process fail for files of a log. Undefined where strace may not attach. */
const failing = async (t: Test, pid: number, calls: string, files: string[]) => {
  const paths = files.flatMap(file => ['-P', file])
  const fault = ['-e', `trace=${calls}`, '-e', `inject=${calls}:error=EIO`]
  const strace = spawn('strace', ['-f', ...paths, ...fault, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  strace.stderr.on('data', chunk => (said += chunk))
  const closed = once(strace, 'close')
  t.teardown(() => strace.kill('SIGKILL'))
  await until('strace is attached', () => said.includes('attached') || strace.exitCode !== null)
  return {
    /** How often a call has failed. */
    failures: () => said.split('(INJECTED)').length - 1,
    async end() {
      strace.kill('SIGINT')
      await closed
    },
  }
}

const canStrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0
const skip = canStrace ? false : 'strace is not there or may not trace'

t.test(
  'with a disk that fails to sync, nothing is acknowledged, and the operator is told why',
  { skip },
  async t => {
    const dataDir = realpathSync(t.testdir())
    const server = await spawnServer(t, dataDir)
    const { api, url, pid } = server
    const known: Task[] = []
    for (let n = 0; n < 3; n++) known.push(await createTask(api, hello))
    const log = path.join(dataDir, 'log.db')
    // The first failure can be mended by opening the log again, which syncs with fsync; the second one cannot.
    for (const calls of ['fdatasync', 'fdatasync,fsync']) {
      const said = server.stderr().length
      const disk = await failing(t, pid, calls, [log, `${log}-wal`])
      for (const body of [hello, { ...hello, stream: true }, { ...hello, background: true }]) {
        const answer = await api('POST', '/tasks', body)
        t.equal(answer.status, 503, calls)
        t.match(answer.headers.get('retry-after'), /^\d+$/)
        t.match(await answer.json(), { error: { code: -32603, data: { hint: /^Try again later/ } } })
      }
      t.ok(disk.failures() >= 1, `${disk.failures()} calls have failed`)
      t.match(await (await fetch(`${url}/readyz`)).json(), { status: 'not ready', log: 'failing' })
      t.match(server.stderr().slice(said), /"level":"error".*check the disk.*EIO: i\/o error, fdatasync/)
      for (const task of known) t.same(await getTask(api, task.id), task, 'reads go on')
      await disk.end()
      known.push(
        await until('creates work again', () => createTask(api, hello).catch((error: Refused) => void error)),
      )
    }
    await server.end('SIGKILL')
    t.same(flawsOf(dataDir), [])
    const next = await spawnServer(t, dataDir)
    for (const task of known) t.same(await getTask(next.api, task.id), task, 'what was acknowledged stays')
  },
)
