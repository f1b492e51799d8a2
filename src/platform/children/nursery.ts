// The server's side of the nursery, the process that starts all other processes (nursery-process.ts). The server starts
// the nursery when it needs the first of these processes, and again if the nursery was killed.
import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { UserId } from '../../contract/user-id.ts'
import { built } from '../built.ts'

export type Command = {
  command: string
  args: string[]
  cwd?: string
  /** All environment variables of the process. None of the server's own variables is added. */
  env: Record<string, string>
  /** The system user of the process; absent: the user of the server. */
  user?: UserId | undefined
}
type Events = { exit: [code: number | null, signal: NodeJS.Signals | null]; close: [] }
/** A running process. The event `close` comes after `exit`, when all output of the process was read. */
export type Child = EventEmitter<Events> & {
  readonly pid: number
  readonly stdin: Socket
  readonly stdout: Socket
  readonly stderr: Socket
  exitCode: number | null
  signalCode: NodeJS.Signals | null
}

/**
 * The message that asks the nursery to start the `n`th process. `where`: the address to which its streams connect.
 * `key`: a secret with which each of these connections begins.
 */
export type ToNursery = Command & { n: number; where: string; key: string }
type Exit = { exitCode: number | null; signal: NodeJS.Signals | null }
export type FromNursery = { n: number } & (
  | { pid: number }
  | Exit
  | { code: string | undefined; message: string }
)

/** A process that is starting or running. */
type Place = {
  streams: Socket[]
  pid?: number
  child?: Child
  /** Set when the process ended before all its streams were connected. */
  ended?: Exit
  /** Called whenever a stream or a message of the process arrives. */
  review: () => void
  fail: (error: Error) => void
}

/** The first line of a connection has at most this many characters. A longer line is not from the nursery. */
const longestLine = 128
const lost = () => new Error('the process that starts all other processes has ended')

/** The address to which the nursery connects: an abstract socket name on Linux, a socket file on other systems. */
const newPlace = (): { where: string; remove: () => void } => {
  if (process.platform === 'linux')
    return { where: `\0reprise-${randomBytes(16).toString('hex')}`, remove: () => {} }
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-'))
  return {
    where: path.join(folder, 'nursery'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/**
 * Reads the first line of a connection; later data stay unread. Undefined: the connection ended before the line did, or
 * the line is too long.
 */
const firstLine = (socket: Socket): Promise<string | undefined> =>
  new Promise(resolve => {
    let said = Buffer.alloc(0)
    const done = (line: string | undefined) => {
      socket.off('readable', look).off('close', gone)
      resolve(line)
    }
    const gone = () => done(undefined)
    const look = () => {
      for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
        said = Buffer.concat([said, chunk])
        const end = said.indexOf('\n')
        if (end < 0 && said.length < longestLine) continue
        if (end >= 0 && end + 1 < said.length) socket.unshift(said.subarray(end + 1))
        return done(end < 0 ? undefined : said.toString('latin1', 0, end))
      }
    }
    socket.on('readable', look).once('close', gone)
  })

const createChild = (pid: number, [stdin, stdout, stderr]: [Socket, Socket, Socket]): Child => {
  const child = Object.assign(new EventEmitter<Events>(), {
    ...{ pid, stdin, stdout, stderr },
    exitCode: null as number | null,
    signalCode: null as NodeJS.Signals | null,
  })
  stdin.resume() // no data arrive on stdin, but reading it shows its end
  const ends = [stdout, stderr].map(stream => (stream.destroyed ? undefined : once(stream, 'close')))
  void Promise.all([once(child, 'exit'), ...ends]).then(() => child.emit('close'))
  return child
}

const exited = (place: Place, end: Exit): void => {
  const { child } = place
  if (child === undefined) {
    place.ended = end
    return
  }
  // The events come in a later turn of the event loop, since a caller that has just got the process may not listen yet.
  setImmediate(() => {
    child.exitCode = end.exitCode
    child.signalCode = end.signal
    child.emit('exit', end.exitCode, end.signal)
  })
}

export type Nursery = {
  /** Resolves when the process runs; rejects with the system's error when it cannot be started. */
  start(command: Command): Promise<Child>
  /** Ends the nursery, which then kills all processes that are still running. */
  close(): void
}

/** Opens one nursery process, and the server to which the streams of its processes connect. */
const openNursery = async (onEnd: () => void): Promise<Nursery> => {
  const { where, remove } = newPlace()
  const key = randomBytes(16).toString('hex')
  const places = new Map<number, Place>()
  let last = 0

  const server: Server = createServer({ allowHalfOpen: false }, async socket => {
    socket.on('error', () => {}) // the reader of the stream sees its end
    const [said, n, fd] = (await firstLine(socket))?.split(' ') ?? []
    const place = said === key ? places.get(Number(n)) : undefined
    if (place === undefined) return void socket.destroy()
    place.streams[Number(fd)] = socket
    place.review()
  })
  server.listen(where)
  await once(server, 'listening')
  server.unref()

  const nursery: ChildProcess = fork(fileURLToPath(built('nursery-process.mjs')), {
    env: {},
    execArgv: ['--max-semi-space-size=1'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  nursery.on('error', () => {}) // 'exit' or a failed send reports the error, too
  nursery.on('message', (said: FromNursery) => {
    const place = places.get(said.n)
    if (place === undefined) return
    if ('pid' in said) {
      place.pid = said.pid
      return place.review()
    }
    if (place.child !== undefined || !('exitCode' in said)) places.delete(said.n)
    if ('exitCode' in said) exited(place, said)
    else
      place.fail(Object.assign(new Error(said.message), said.code === undefined ? {} : { code: said.code }))
  })
  nursery.once('exit', () => {
    server.close()
    remove()
    for (const place of places.values()) {
      if (place.child === undefined) place.fail(lost())
      else exited(place, { exitCode: null, signal: 'SIGKILL' })
    }
    places.clear()
    onEnd()
  })

  return {
    start: (command: Command): Promise<Child> =>
      new Promise((resolve, reject) => {
        const n = ++last
        const fail = (error: Error) => {
          for (const stream of place.streams) stream?.destroy()
          reject(error)
        }
        const review = () => {
          const [stdin, stdout, stderr] = place.streams
          if (place.pid === undefined || !stdin || !stdout || !stderr) return
          place.child = createChild(place.pid, [stdin, stdout, stderr])
          resolve(place.child)
          if (place.ended === undefined) return
          places.delete(n)
          exited(place, place.ended)
        }
        const place: Place = { streams: [], review, fail }
        places.set(n, place)
        nursery.send({ ...command, n, where, key } satisfies ToNursery, error => {
          if (error === null) return
          places.delete(n)
          fail(error)
        })
      }),
    close(): void {
      if (nursery.connected) nursery.disconnect()
    },
  }
}

/** Starts the nursery process only when the first process is requested. */
export const createNursery = (): Nursery => {
  let open: ReturnType<typeof openNursery> | undefined
  return {
    async start(command) {
      open ??= openNursery(() => {
        open = undefined
      })
      return (await open).start(command)
    },
    close: () => void open?.then(nursery => nursery.close()),
  }
}
