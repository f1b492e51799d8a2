// Creates one stream of a shard, with three copies, or with one if there is a single server.
import type { JetStreamManager } from '@nats-io/jetstream'
import { CannotStart } from '../../contract/cannot-start.ts'
import { notFound } from './end.ts'
import { differences, type ShardStream, settingsOf, usualCopies } from './streams.ts'

/** Further codes of the JetStream API. */
const isSingleServer = 10074
const tooFewServers = 10005

/** The code of an error of the JetStream API, or of the error that caused it. */
export const codeOf = (error: unknown): unknown => {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } }
  return typeof code === 'number' ? code : cause?.code
}
export const infoOf = (manager: JetStreamManager, name: string) =>
  manager.streams.info(name).catch(error => {
    if (codeOf(error) === notFound) return undefined
    throw error
  })

const create = async (manager: JetStreamManager, stream: ShardStream): Promise<void> => {
  const settings = await settingsOf(stream)
  try {
    await manager.streams.add({ ...settings, num_replicas: usualCopies })
  } catch (error) {
    if (codeOf(error) === isSingleServer) await manager.streams.add({ ...settings, num_replicas: 1 })
    else if (codeOf(error) === tooFewServers)
      throw new CannotStart(
        `the stream ${stream.name} needs ${usualCopies} servers with JetStream: start those that are away, or use a single server that has no cluster`,
      )
    else throw error
  }
}

/**
 * Creates a stream unless it exists. Resolves to whether it was created. Rejects with CannotStart when it has other
 * settings or servers are away.
 */
export const setUpStream = async (manager: JetStreamManager, stream: ShardStream): Promise<boolean> => {
  const there = await infoOf(manager, stream.name)
  if (there === undefined) {
    await create(manager, stream)
    return true
  }
  const wrong = differences(there.config, await settingsOf(stream))
  if (wrong.length === 0) return false
  throw new CannotStart(
    `the stream ${stream.name} exists with other settings: ${wrong.join(', ')}; change them, or delete the stream if nothing of it is needed`,
  )
}
