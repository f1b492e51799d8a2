import type { JetStreamManager } from '@nats-io/jetstream'

/** Code of the JetStream API: there is no such stream. */
export const notFound = 10059

/** The last sequence of a stream; 0: it is empty, or does not exist. */
export const endOfStream = (manager: JetStreamManager, name: string): Promise<number> =>
  manager.streams.info(name).then(
    ({ state }) => state.last_seq,
    error => {
      if (error.code === notFound) return 0
      throw error
    },
  )
