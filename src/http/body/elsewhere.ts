// Reads large bodies in a separate thread, one at a time. Senders take turns. The thread ends when it has been idle for
// a while, because it keeps memory that its last bodies needed.
import { arrived } from '../../contract/json/exact-number.ts'
import { Invalid } from '../../contract/refusals.ts'
import type { OperationId } from '../../documents/operations.ts'
import { createPlaces } from '../../fairness/places.ts'
import { yieldToLoop } from '../../platform/loop.ts'
import { createAskedThread } from '../../platform/threads/asked-thread.ts'
import type { Done, Job, Parsed } from './body-thread.ts'
import { alone } from './collect.ts'

/** Milliseconds without work after which the thread ends. */
const idleMs = 10_000

export const createBodyThread = () => {
  const { hold } = createPlaces({ places: 1, perUser: 1 })
  const thread = createAskedThread<Job, Done>('body-thread.mjs', {
    name: 'the thread that reads bodies',
    keepsAlive: 'asked',
    idle: { ms: idleMs },
  })
  let isClosed = false

  const ask = async (given: Uint8Array[], operation: OperationId | undefined): Promise<Done> => {
    if (isClosed) throw new Error('the server is shutting down and reads no more bodies')
    const chunks = given.map(alone)
    const memory = chunks.map(({ buffer }) => buffer as ArrayBuffer)
    return thread.ask({ chunks, operation }, memory)
  }

  return {
    /**
     * Throws Invalid when the body is no JSON, or when it is long and does not fit the schema of its operation. The
     * chunks move to the thread: the caller cannot use them any more.
     */
    async parse(holder: string, chunks: Uint8Array[], operation: OperationId | undefined): Promise<Parsed> {
      const done = await hold(holder, () => ask(chunks, operation))
      // The next part of the request also takes time on the main thread. Other requests get a turn of the event loop
      // before that part.
      await yieldToLoop()
      if ('refused' in done) throw new Invalid(done.refused)
      const { carried, digest, problems } = done
      return { value: arrived(carried), digest, problems }
    },
    async close(): Promise<void> {
      isClosed = true
      await thread.end()
    },
  }
}
