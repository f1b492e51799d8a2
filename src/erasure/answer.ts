// Makes the answer to a caller about an erasure.
import { isCronStream, jobIdOf } from '../contract/events/cron-events.ts'
import { isEnvSessionStream, sessionIdOf } from '../contract/events/env-session-events.ts'
import type { ErasureSubject, NotErased } from '../contract/events/erasure-events.ts'
import { isTaskStream, taskIdOf } from '../contract/task-stream.ts'
import type { StoredErasure } from './stored-erasures.ts'

export type ErasureAnswer = {
  erasure_id: string
  /** The position of the first event that says that the payloads were erased. */
  position: number
  time: string
  reason: string
  by: string
  subject: ErasureSubject
  erased: { tasks: string[]; env_sessions: string[]; cron_jobs: string[] }
  not_erased: NotErased[]
}

export const answerOf = (erasure: StoredErasure): ErasureAnswer => {
  const { erasure_id, positions, time, reason, by, subject, streams, finished } = erasure
  const of = (isOfKind: (stream: string) => boolean, idOf: (stream: string) => string): string[] =>
    streams.filter(isOfKind).map(idOf)
  return {
    erasure_id,
    position: positions[0] ?? 0,
    ...{ time, reason, by, subject },
    erased: {
      tasks: of(isTaskStream, taskIdOf),
      env_sessions: of(isEnvSessionStream, sessionIdOf),
      cron_jobs: of(isCronStream, jobIdOf),
    },
    not_erased: finished?.not_erased ?? [],
  }
}
