import type { JetStreamManager } from '@nats-io/jetstream'

/** Code of the JetStream API: there is no such stream. */
export const notFound = 10059

/** The last sequence of a stream; 0: it is empty; undefined: it does not exist. */
export const endOfStream = (manager: JetStreamManager, name: string): Promise<number | undefined> =>
  manager.streams.info(name).then(
    ({ state }) => state.last_seq,
    error => {
      if (error.code === notFound) return undefined
      throw error
    },
  )
