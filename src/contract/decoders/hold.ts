// The events of legal holds, read from their stream.
import { type HoldLifted, type HoldPlaced, holdStream } from '../events/hold-events.ts'
import { decoderOf } from './decoder.ts'

export type HoldEvent = { type: 'HoldPlaced'; data: HoldPlaced } | { type: 'HoldLifted'; data: HoldLifted }

export const holdEvents = decoderOf<HoldEvent>('hold', stream => stream === holdStream, [
  'HoldPlaced',
  'HoldLifted',
])
