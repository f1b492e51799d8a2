// Keeps programs ready that were started before they are needed: at most one for each module, a few in all. So a new
// instance need not wait until a program has started.
import type { Timers } from '../contract/ports.ts'
import type { EnvironmentProcess } from './process.ts'
import type { Hello } from './protocol.ts'

/** At most this many programs are kept ready. */
const maxReady = 4
/** Milliseconds from the use of a program to the start of the next one, so that the new instance can work first. */
const refillMs = 200
/** Milliseconds after which an unused program is ended. */
const idleMs = 10 * 60_000

/** A module with the digest of its current file. */
export type Module = { file: string; digest: string }
type Ready = { digest: string; process: Promise<EnvironmentProcess>; forget: () => void }

export type Pool = {
  /** Resolves to the hello of a module, whose program is kept ready if memory allows. Rejects with EnvironmentGone. */
  hello(module: Module): Promise<Hello>
  /** A program that has sent its hello; from now on it belongs to the caller. Rejects with EnvironmentGone. */
  take(module: Module): Promise<EnvironmentProcess>
  /** Ends all ready programs. After that, no program is kept ready. */
  close(): void
}

type Deps = {
  start(file: string): Promise<EnvironmentProcess>
  timers: Pick<Timers, 'after'>
  /** Whether there is enough memory to keep an unused program. */
  hasRoom(): boolean
}

/** Starts a program, ends it after its hello, and returns the hello. */
export const helloAlone = async (start: Deps['start'], file: string): Promise<Hello> => {
  const one = await start(file)
  await one.end()
  return one.hello
}

export const createPool = ({ start, timers, hasRoom }: Deps): Pool => {
  /** The ready programs, by file. The program that has waited longest comes first. */
  const ready = new Map<string, Ready>()
  let isClosed = false

  const drop = (file: string) => {
    const dropped = ready.get(file)
    if (dropped === undefined) return
    ready.delete(file)
    dropped.forget()
    dropped.process.then(
      one => one.end(),
      () => {}, // the program did not start
    )
  }

  const prepare = ({ file, digest }: Module): Ready => {
    drop(file)
    const starting = start(file)
    const own: Ready = { digest, process: starting, forget: timers.after(idleMs, () => drop(file)) }
    const lost = () => {
      if (ready.get(file) !== own) return
      ready.delete(file)
      own.forget()
    }
    starting.then(one => one.gone, lost).then(lost, lost)
    ready.set(file, own)
    for (const [oldest] of ready) if (ready.size > maxReady) drop(oldest)
    return own
  }

  const mayPrepare = () => !isClosed && hasRoom()

  /** The ready program of the module, if its file has not changed. */
  const claim = ({ file, digest }: Module): Ready | undefined => {
    const found = ready.get(file)
    if (found === undefined) return undefined
    if (found.digest !== digest) {
      drop(file)
      return undefined
    }
    ready.delete(file)
    found.forget()
    return found
  }

  const refill = (module: Module) =>
    timers.after(refillMs, () => {
      if (mayPrepare() && !ready.has(module.file)) prepare(module)
    })

  return {
    async hello(module) {
      const found = ready.get(module.file)
      if (found?.digest === module.digest) return (await found.process).hello
      if (mayPrepare()) return (await prepare(module).process).hello
      return helloAlone(start, module.file)
    },
    async take(module) {
      const claimed = await claim(module)?.process.catch(() => undefined)
      refill(module)
      return claimed === undefined || claimed.isGone() ? start(module.file) : claimed
    },
    close() {
      isClosed = true
      for (const file of [...ready.keys()]) drop(file)
    },
  }
}
