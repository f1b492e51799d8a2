// Lets a thread look at the processes of users. The thread starts at the first look and ends when nothing is watched.
import { createAskedThread } from '../threads/asked-thread.ts'
import type { Watched } from './look-thread.ts'
import type { Seen } from './machine-look.ts'

export type Lookout = {
  /** Resolves with the processes that belong to the watched ones. Call it again only after the promise has settled. */
  look(watched: Watched): Promise<Seen[]>
  end(): void
}

export const createLookout = (): Lookout => {
  const thread = createAskedThread<Watched, Seen[]>('look-thread.mjs', {
    name: 'the thread that looks at processes',
    worker: { resourceLimits: { maxOldGenerationSizeMb: 64 } },
    keepsAlive: 'never',
  })
  return {
    look: watched => thread.ask(watched),
    end: () => void thread.end(new Error('nothing is watched any more')),
  }
}
