// Asks JetStream questions. A question changes nothing, so it is asked again until a server answers.
import type { JetStreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { load } from '../../bus/nats/client.ts'
import { reasonOf } from '../../bus/nats/nats.ts'
import type { Timers } from '../../contract/ports.ts'
import { sleep } from '../../platform/sleep.ts'
import { Unknown } from '../shared-log.ts'
import type { Link } from './link.ts'
import { NoCopy } from './no-answer.ts'

type Deps = { link: Link; timers: Timers; stopping: AbortSignal }

/** Milliseconds for one attempt, for all attempts together, and between two attempts. */
export const answerMs = 1000
const askMs = 10_000
const againMs = 100
/** After this many attempts, the client asks the next server, since the present one may be cut off from the others. */
const attempts = 2

export const managerOf = async (connection: NatsConnection): Promise<JetStreamManager> => {
  const [, { jetstreamManager }] = await load()
  return jetstreamManager(connection, { timeout: answerMs, checkAPI: false })
}

/** Resolves with the first answer. Rejects with NoCopy, and with Unknown when no answer comes within `ms` milliseconds. */
export const createAskNats =
  ({ link, timers, stopping }: Deps) =>
  async <T>(
    ask: (manager: JetStreamManager, connection: NatsConnection) => Promise<T>,
    ms = askMs,
  ): Promise<T> => {
    const end = performance.now() + ms
    for (let failed = 1; ; failed++) {
      const connection = await link.connected(end - performance.now())
      try {
        return await ask(await managerOf(connection), connection)
      } catch (error) {
        if (error instanceof NoCopy) throw error
        if (stopping.aborted || performance.now() + againMs > end)
          throw new Unknown(`JetStream does not answer: ${reasonOf(error)}`, { cause: error })
        if (failed % attempts === 0) link.leave(connection)
        await sleep(timers, againMs, stopping)
      }
    }
  }
export type Ask = ReturnType<typeof createAskNats>
