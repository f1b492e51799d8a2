// The health of the server, from `/readyz` and `/metrics`.
import type { Static } from 'typebox'
import type { Readiness } from '../../src/contract/responses.ts'
import { api } from '../api/session.ts'
import { type Metrics, readMetrics } from './metrics.ts'

export type Health = {
  ready: Static<typeof Readiness>
  metrics: Metrics
  /** When this was read, in milliseconds. */
  at: number
}

/** Reads the readiness and the metrics. Rejects with ApiError when the server cannot be reached. */
export const readHealth = async (signal: AbortSignal): Promise<Health> => {
  const [ready, metrics] = await Promise.all([api.read('readyz', signal), api.read('metrics', signal)])
  return {
    ready: JSON.parse(ready.text) as Health['ready'],
    metrics: readMetrics(metrics.text),
    at: Date.now(),
  }
}

export type Fact = readonly [string, string | undefined]
/** `trouble`: what an operator should look at. */
export type Part = { title: string; facts: Fact[]; trouble?: string | false }
