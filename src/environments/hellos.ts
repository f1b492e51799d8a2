// What modules say of themselves. Each is started for that once, as long as its file stays the same.
import { EnvironmentGone } from '../contract/environment.ts'
import type { Timers } from '../contract/ports.ts'
import { helloAlone, type Module, type Pool } from './pool.ts'
import type { EnvironmentProcess } from './process.ts'
import type { Hello } from './protocol.ts'

/** A failure may be mended without a change of the file: a package installed, a neighbour written. */
const forgetFailureMs = 10 * 60_000
/** Who waits longer than this for a failure may be gone before it comes: it is told again for a while. */
const slowMs = 9000
const toldAgainMs = 60_000
/** A list does not wait for a slow one: the next list knows more. */
const patienceMs = 5000

type Known = { digest: string; hello: Promise<Hello>; isTriedAgain: boolean }
type Parts = {
  pool: Pick<Pool, 'hello'>
  start(file: string): Promise<EnvironmentProcess>
  timers: Pick<Timers, 'after'>
}
/** Each rejects with EnvironmentGone. */
export type Hellos = {
  /** An instance will be wanted: the program is kept ready. */
  forUse(module: Module): Promise<Hello>
  forList(module: Module): Promise<Hello>
}

export const createHellos = ({ pool, start, timers }: Parts): Hellos => {
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
