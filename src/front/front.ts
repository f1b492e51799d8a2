// The front of a shard: tokens, routes, and the streams that are open. It listens on no port: a server gives it the
// requests.
import { setMaxListeners } from 'node:events'
import { type Config, isWeak } from '../config.ts'
import type { Report } from '../contract/ports.ts'
import { createLongAnswers } from '../http/answer/long-answers.ts'
import { createApp } from '../http/app.ts'
import type { Gate, Serving } from '../http/doors.ts'
import { rootOf } from '../http/server/public-url.ts'
import { watchUnsent } from '../http/server/unsent.ts'
import { createOpenStreams } from '../http/stream/open-streams.ts'
import type { Shard } from '../shard/shard.ts'

const servingOf = (
  { publicUrl }: Pick<Config, 'publicUrl'>,
  { access, fairness: { loop, quotas }, newId }: Shard,
  stopping: AbortSignal,
  report: Report,
): Serving => ({
  ...access,
  openStreams: createOpenStreams(access),
  quotas,
  longAnswers: createLongAnswers(stopping, loop, () => quotas.countRefusal('answers')),
  stopping,
  newId: () => newId('req_'),
  publicUrl,
  root: rootOf(publicUrl),
  addressOf: path => `${publicUrl?.prefix ?? ''}${path}`,
  fault: (error, about) =>
    report('error', 'a request failed because of a defect of the server', {
      ...about,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    }),
})

const gateOf = (
  { allowedOrigins, logLevel }: Pick<Config, 'allowedOrigins' | 'logLevel'>,
  { fairness, requests }: Shard,
  report: Report,
): Gate => ({ allowedOrigins, loop: fairness.loop, requests, report, verbose: logLevel === 'debug' })

/** Puts the HTTP surface in front of a shard. */
export const createFront = async (config: Config, shard: Shard, report: Report) => {
  if (isWeak(config.adminToken)) {
    report(
      'warn',
      'ADMIN_TOKEN can be guessed: set it to 32 random characters, for example the output of openssl rand -hex 16',
    )
  }
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal) // every open stream and every waiting request adds a listener
  const serving = servingOf(config, shard, stopping.signal, report)
  const app = await createApp({ serving, gate: gateOf(config, shard, report), ...shard.doors })
  shard.beforeAnswers(watchUnsent(app.server).settle)
  return {
    app,
    /** The path of a one-time link to the console, for its administrator. */
    consoleLink: () => `/ui#login=${shard.access.logins.issue({ id: 'admin' }).ticket}`,
    running: shard.running,
    /** Refuses new work, and lets running steps finish for up to `patienceMs` milliseconds. */
    async drain(patienceMs: number): Promise<void> {
      stopping.abort()
      await shard.drain(patienceMs)
    },
    /** Ends open streams, and closes the shard. */
    async close(): Promise<void> {
      stopping.abort()
      serving.openStreams.stop()
      await shard.close()
    },
  }
}
export type Front = Awaited<ReturnType<typeof createFront>>
