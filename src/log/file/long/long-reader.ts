// Opens long payloads in a thread, so that no other caller waits meanwhile. The thread ends when it has been idle for a
// while, because it would otherwise keep the memory that its last payloads needed.
import { arrived } from '../../../contract/json/exact-number.ts'
import { DamagedEvent } from '../../../contract/stored.ts'
import { createAskedThread } from '../../../platform/threads/asked-thread.ts'
import type { Opened } from '../../store.ts'
import type { Found, Wanted } from './long-thread.ts'

/** Milliseconds without work after which the thread ends. */
const defaultIdleMs = 10_000

export const createLongReader = (path: string, idleMs = defaultIdleMs) => {
  const thread = createAskedThread<Wanted, Found>('long-thread.mjs', {
    name: 'the thread that reads long payloads',
    worker: { workerData: { path } },
    keepsAlive: 'asked',
    idle: { ms: idleMs },
  })
  return {
    /** Opens the long payload of the event at a position. Rejects with DamagedEvent, or when the thread fails. */
    async open(position: number, salt: string): Promise<Opened> {
      const found = await thread.ask({ position, salt })
      if (found === undefined) throw new DamagedEvent(position, 'has no payload')
      return { ...found, data: arrived(found.data) }
    },
    /** Ends the thread. Readers that wait get an error. */
    close: () => thread.end(),
  }
}
