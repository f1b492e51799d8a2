// Deletes messages about erased tasks, cron jobs and environment sessions from the stream of JetStream.
import { isCronStream, jobIdOf } from '../../contract/events/cron-events.ts'
import { isEnvSessionStream, sessionIdOf } from '../../contract/events/env-session-events.ts'
import { keptByNats, type NotErased } from '../../contract/events/erasure-events.ts'
import { isWebhookStream, webhookIdOf } from '../../contract/events/webhook-events.ts'
import type { Timers } from '../../contract/ports.ts'
import { isTaskStream, taskIdOf } from '../../contract/task-stream.ts'
import { sleep } from '../../platform/sleep.ts'
import type { Connection } from './nats.ts'
import { subjectsAbout } from './nats-subject.ts'
import { streamName } from './relay-stream.ts'

type Deps = {
  /** Undefined while NATS is away. */
  connected: () => Connection | undefined
  /** The position up to which NATS has every event. */
  position: () => number
  timers: Timers
}

/** An erasure waits up to this many milliseconds until NATS has all earlier events. */
const patienceMs = 5000
const lookMs = 20
/** The messages about this many streams are deleted at the same time, since each deletion waits for NATS. */
const streamsAtOnce = 16

const idOf = (stream: string): string => {
  if (isTaskStream(stream)) return taskIdOf(stream)
  if (isEnvSessionStream(stream)) return sessionIdOf(stream)
  if (isWebhookStream(stream)) return webhookIdOf(stream)
  if (isCronStream(stream)) return jobIdOf(stream)
  throw new Error(`nothing says which messages are about ${stream}`)
}

const mirrors: NotErased = {
  what: `copies of ${streamName}`,
  why: 'a stream that mirrors it, or a consumer that took a message, keeps what it has',
}

/** `upTo`: the deletion waits until NATS has all events up to this position, so that none of them comes later. */
export const createNatsErasing =
  ({ connected, position, timers }: Deps) =>
  async (streams: readonly string[], upTo: number): Promise<NotErased[]> => {
    const left = (why: string): NotErased[] => [{ what: keptByNats, why }, mirrors]
    const until = performance.now() + patienceMs
    while ((connected() === undefined || position() < upTo) && performance.now() < until)
      await sleep(timers, lookMs, new AbortController().signal)
    const connection = connected()
    if (connection === undefined) return left('NATS is away: send the request again when it is back')
    if (position() < upTo) return left('NATS does not take events: send the request again when it does')
    try {
      const kept = await connection.streams()
      if (kept === undefined || (await kept.state(streamName)) === undefined) return []
      for (let from = 0; from < streams.length; from += streamsAtOnce) {
        const some = streams.slice(from, from + streamsAtOnce)
        await Promise.all(some.map(stream => kept.erase(streamName, subjectsAbout(idOf(stream)))))
      }
      return [mirrors]
    } catch (error) {
      return left(`NATS has refused to delete messages: ${(error as Error).message}`)
    }
  }
