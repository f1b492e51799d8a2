// The usage of a call, whatever the words of its endpoint.
import type { Usage } from '../../contract/wire.ts'
import { countOf } from './endpoint-values.ts'

/** The sum of the counts that are known; undefined: there is none. */
export const sumOf = (...counts: unknown[]): number | undefined => {
  const known = counts.map(countOf).filter(count => count !== undefined)
  return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count, 0)
}

/** Counts as an endpoint gives them. `input` and `output` include the other two; `total`: their sum, if it says it. */
type Counts = { input: unknown; output: unknown; total?: unknown; cached: unknown; reasoning: unknown }

/** Undefined: the endpoint has said nothing. */
export const usageOf = (given: Counts): Usage | undefined => {
  const [input, output] = [countOf(given.input), countOf(given.output)]
  if (input === undefined && output === undefined) return undefined
  const [cached, reasoning] = [countOf(given.cached), countOf(given.reasoning)]
  return {
    input_tokens: input ?? 0,
    output_tokens: output ?? 0,
    total_tokens: countOf(given.total) ?? (input ?? 0) + (output ?? 0),
    ...(cached === undefined ? {} : { cached_tokens: cached }),
    ...(reasoning === undefined ? {} : { reasoning_tokens: reasoning }),
  }
}
