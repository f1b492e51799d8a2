// The events of erasures, read from their stream.
import { erasureStream, payloadsErased } from '../erased-range.ts'
import {
  type ErasureFinished,
  type ErasureLeft,
  erasureFinished,
  erasureLeft,
  type PayloadsErased,
} from '../events/erasure-events.ts'
import type { Recorded } from '../stored.ts'
import { decoderOf } from './decoder.ts'

export type ErasureEvent =
  | { type: 'PayloadsErased'; data: PayloadsErased }
  | { type: 'ErasureLeft'; data: ErasureLeft }
  | { type: 'ErasureFinished'; data: ErasureFinished }
export type RecordedErasure = Recorded<ErasureEvent>

export const erasureEvents = decoderOf<ErasureEvent>('erasure', stream => stream === erasureStream, [
  payloadsErased,
  erasureLeft,
  erasureFinished,
])
