// The stores of a server under test, which die with it: from the moment of the kill, nothing more is written. A kill may wait for an
// append: then the server dies right before the append is written, or right after, before anybody hears of it.
import { StorageFailure } from '../../src/contract/stored.ts'
import type { Store } from '../../src/log/store.ts'
import type { Secrets } from '../../src/platform/secrets.ts'
import type { KillPoint } from './types.ts'

type Deps = {
  store: Store
  secrets: Secrets
  /** Whether a kill is planned right before or right after this append. They count from 1 in each life. */
  isKilledAt: (append: number, when: KillPoint) => boolean
  /** Called when a planned kill has come. Nothing more can be written by then. */
  died: () => void
}

const gone = () => new StorageFailure('the server was killed')

export const createMortalStores = ({ store, secrets, isKilledAt, died }: Deps) => {
  let isDead = false
  let appends = 0

  const alive = <A extends unknown[], R>(work: (...given: A) => Promise<R>) => {
    return (...given: A): Promise<R> => (isDead ? Promise.reject(gone()) : work(...given))
  }
  const dieAt = (when: KillPoint) => {
    if (isDead || !isKilledAt(appends, when)) return
    isDead = true
    died()
  }
  return {
    store: {
      ...store,
      write: alive(async batch => {
        appends++
        dieAt('before')
        if (isDead) throw gone()
        await store.write(batch)
        dieAt('after')
        if (isDead) throw gone()
      }),
      writePiece: alive(store.writePiece),
      dropPieces: alive(store.dropPieces),
      noteErasure: alive(store.noteErasure),
      destroy: alive(store.destroy),
      wipe: alive(store.wipe),
      reopen: alive(store.reopen),
      checkpoint: alive(store.checkpoint),
      openLong: alive(store.openLong),
      fault: () => (isDead ? 'the server was killed' : store.fault()),
    } satisfies Store,
    secrets: {
      ...secrets,
      put(ref, values) {
        if (isDead) throw gone()
        secrets.put(ref, values)
      },
      forget(ref) {
        if (!isDead) secrets.forget(ref)
      },
      sweep(isNamed) {
        if (!isDead) secrets.sweep(isNamed)
      },
    } satisfies Secrets,
    /** The number of appends so far. Appends that come at the same time may be written as one. */
    appends: () => appends,
    die(): void {
      isDead = true
    },
    isDead: () => isDead,
  }
}
export type MortalStores = ReturnType<typeof createMortalStores>
