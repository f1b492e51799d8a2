// The hellos of modules. Each module is started once for its hello, until its file changes.
import { EnvironmentGone } from '../contract/environment.ts'
import type { Timers } from '../contract/ports.ts'
import { helloAlone, type Module, type Pool } from './pool.ts'
import type { EnvironmentProcess } from './process.ts'
import type { Hello } from './protocol.ts'

/**
 * Milliseconds until a failure is forgotten: it may be repaired without a change of the file, by a new package or
 * module.
 */
const forgetFailureMs = 10 * 60_000
/**
 * A caller may be gone before a failure that took longer than these milliseconds, so it is kept for the next caller.
 */
const slowMs = 9000
const toldAgainMs = 60_000
/** Milliseconds that a list waits for a slow module; a later list has its result. */
const patienceMs = 5000

type Known = { digest: string; hello: Promise<Hello>; isTriedAgain: boolean }
type Deps = {
  pool: Pick<Pool, 'hello'>
  start(file: string): Promise<EnvironmentProcess>
  timers: Pick<Timers, 'after'>
}
/** Each rejects with EnvironmentGone. */
export type Hellos = {
  /** Call this when an instance will be needed: the program is kept ready. */
  forUse(module: Module): Promise<Hello>
  forList(module: Module): Promise<Hello>
}

export const createHellos = ({ pool, start, timers }: Deps): Hellos => {
  const known = new Map<string, Known>()
  const find = ({ file, digest }: Module): Known | undefined => {
    const found = known.get(file)
    return found?.digest === digest ? found : undefined
  }
  const remember = ({ file, digest }: Module, hello: Promise<Hello>): Promise<Hello> => {
    const own: Known = { digest, hello, isTriedAgain: false }
    const begun = performance.now()
    known.set(file, own)
    hello.catch(() => {
      const tryAgain = () => {
        own.isTriedAgain = true
      }
      if (performance.now() - begun < slowMs) tryAgain()
      else timers.after(toldAgainMs, tryAgain)
      timers.after(forgetFailureMs, () => known.get(file) === own && known.delete(file))
    })
    return hello
  }
  const inTime = (hello: Promise<Hello>): Promise<Hello> =>
    new Promise((resolve, reject) => {
      const late = new EnvironmentGone(`the environment has not said hello in ${patienceMs / 1000} s so far`)
      const cancel = timers.after(patienceMs, () => reject(late))
      hello.then(resolve, reject).finally(cancel)
    })
  return {
    forUse(module) {
      const found = find(module)
      return found === undefined || found.isTriedAgain ? remember(module, pool.hello(module)) : found.hello
    },
    forList: module => inTime(find(module)?.hello ?? remember(module, helloAlone(start, module.file))),
  }
}
