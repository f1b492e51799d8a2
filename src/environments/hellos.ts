// Keeps the hello of each module, in which the module describes its classes. A module is started once for its hello. It
// is started again after a change of its file, or after a failure.
import { EnvironmentGone } from '../contract/environment.ts'
import type { Timers } from '../contract/ports.ts'
import { helloAlone, type Module, type Pool } from './pool.ts'
import type { EnvironmentProcess } from './process.ts'
import type { Hello } from './protocol.ts'

/**
 * Milliseconds after which a failure is forgotten. Its cause may be repaired without a change of the file, for example
 * by a new package.
 */
const forgetFailureMs = 10 * 60_000
/**
 * After a start that failed within these milliseconds, the next use starts the module again. The caller of a slower
 * start may be gone when it fails, so later callers are told of that failure first.
 */
const slowMs = 9000
/** Later callers are told of a slow failure for this many milliseconds. Then the next use starts the module again. */
const toldAgainMs = 60_000
/** A list of environments waits this many milliseconds for a slow module. A later list has the result. */
const patienceMs = 5000

type Known = { digest: string; hello: Promise<Hello>; isTriedAgain: boolean }
type Deps = {
  pool: Pick<Pool, 'hello'>
  start(file: string): Promise<EnvironmentProcess>
  timers: Pick<Timers, 'after'>
}
/** Both functions reject with EnvironmentGone if the module sends no hello. */
export type Hellos = {
  /** Call this before an instance is opened. A program that starts for its hello is kept ready if memory allows. */
  forUse(module: Module): Promise<Hello>
  /** For a list of environments. Rejects also if the hello does not come in time. */
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
