// The past hour of the server in samples. The server keeps the samples; the page keeps them too, and asks for new ones.
import type { Static } from 'typebox'
import type { MetricSample, MetricSamples } from '../../src/contract/responses.ts'
import { queryOf } from '../api/api.ts'
import { api } from '../api/session.ts'

const hourSeconds = 3600

export const createHour = () => {
  let samples: readonly MetricSample[] = []
  /** Reads what is new. Rejects with ApiError. */
  return async (signal: AbortSignal): Promise<readonly MetricSample[]> => {
    const path = `/metrics/past-hour${queryOf({ after: samples.at(-1)?.at })}`
    const { samples: more } = await api.send<Static<typeof MetricSamples>>('GET', path, undefined, signal)
    const known = [...samples, ...more]
    const newest = known.at(-1)?.at ?? 0
    samples = known.filter(({ at }) => at > newest - hourSeconds)
    return samples
  }
}
