// The nursery: a small process that starts other processes for the server. A process that starts another one is blocked
// while the system copies the table of its memory, and the server uses far more memory than the nursery. The three
// streams of each new process are connections to the server, so their data do not pass through the nursery. When the
// server is gone, the nursery kills all processes that it has started.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { leaveSignals } from '../signals.ts'
import { tellParent } from '../threads/tell-parent.ts'
import type { FromNursery, ToNursery } from './nursery.ts'

/**
 * Milliseconds that a process gets, after the server is gone, to end the processes that it has started itself. These
 * may have left its group, so only that process knows them.
 */
const patienceMs = 2000

const running = new Set<number>()
/** Kills a whole group: a process together with the processes that it has started. */
const kill = (pid: number): void => {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {} // the group is gone
}

const say = (answer: FromNursery): void => tellParent(answer)
const failed = (n: number, error: unknown): void => {
  const { code, message } = error as NodeJS.ErrnoException
  say({ n, code, message })
}

/**
 * Opens a connection to the server. The first line on the connection says for which stream of which process the
 * connection is.
 */
const streamFor = async ({ where, key, n }: ToNursery, fd: number): Promise<Socket> => {
  const stream = connect(where)
  await once(stream, 'connect')
  await new Promise<void>((resolve, reject) => {
    stream.write(`${key} ${n} ${fd}\n`, error => (error ? reject(error) : resolve()))
  })
  return stream
}

const start = async (order: ToNursery): Promise<void> => {
  const { n, command, args, cwd, env, user } = order
  const streams = await Promise.all([0, 1, 2].map(fd => streamFor(order, fd)))
  const child = spawn(command, args, { cwd, env, ...user, detached: true, stdio: streams })
  for (const stream of streams) stream.destroy() // the new process has its own descriptors for them
  const { pid } = child
  child.once('error', error => failed(n, error))
  if (pid === undefined) return
  running.add(pid)
  say({ n, pid })
  child.once('exit', (exitCode, signal) => {
    running.delete(pid)
    kill(pid)
    say({ n, exitCode, signal })
  })
}

leaveSignals()
process.on('message', (order: ToNursery) => {
  start(order).catch(error => failed(order.n, error))
})
process.on('disconnect', () => {
  const end = () => {
    for (const pid of running) kill(pid)
    process.exit()
  }
  if (running.size === 0) end()
  setTimeout(end, patienceMs)
})
