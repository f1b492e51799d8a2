// Starts processes for the server, which would stand still meanwhile: the system copies a table of all the memory of the
// process that starts another one, and a server holds a thousand times what this one does. The three streams of each new
// process are connections to the server, so nothing that is said to it or by it passes through here. When the server is
// gone, everything that was started here is killed.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { FromNursery, ToNursery } from './nursery.ts'

/**
 * Milliseconds in which a process that finds its server gone may end what it has started itself, which may have left its
 * group: nobody else knows of that.
 */
const patienceMs = 2000

const running = new Set<number>()
/** A whole group: what a process has started itself ends with it. */
const kill = (pid: number): void => {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {} // it is gone
}

const say = (answer: FromNursery): void => {
  if (process.connected) process.send?.(answer)
}
const failed = (n: number, error: unknown): void => {
  const { code, message } = error as NodeJS.ErrnoException
  say({ n, code, message })
}

/** A connection to the server, which learns whose it will be from its first line. */
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
  for (const stream of streams) stream.destroy() // the process has its own end of each
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
// The terminal sends it to everybody; the server decides what it means.
process.on('SIGINT', () => {})
