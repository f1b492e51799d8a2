// The events of an environment session, read from its stream.
import {
  type EnvSessionEvent,
  envSessionEventSchemas,
  isEnvSessionStream,
} from '../events/env-session-events.ts'
import type { Recorded } from '../stored.ts'
import { decoderOf } from './decoder.ts'

export type RecordedSessionEvent = Recorded<EnvSessionEvent>

export const sessionEvents = decoderOf<EnvSessionEvent>(
  'session',
  isEnvSessionStream,
  Object.keys(envSessionEventSchemas),
)
