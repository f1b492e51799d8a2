// The events of a cron job, read from its stream.
import { type CronEvent, cronEventSchemas, isCronStream } from '../events/cron-events.ts'
import type { Recorded } from '../stored.ts'
import { decoderOf } from './decoder.ts'

export type RecordedCronEvent = Recorded<CronEvent>

export const cronEvents = decoderOf<CronEvent>('cron job', isCronStream, Object.keys(cronEventSchemas))
