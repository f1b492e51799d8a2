// Decides whether a history of one stream is linearizable: whether each call can be given one moment between its begin and
// its end, so that the calls in the order of these moments are right for a single stream. This is the search of Wing and
// Gong; it remembers the states that it has seen, as Lowe does.

/** `expected`: the revision that an append names, −1 for an empty stream. */
export type Operation =
  | { kind: 'append'; expected: number; value: string }
  /** `values`: all that the read has found. */
  | { kind: 'read'; values: readonly string[] }

/**
 * A call and its outcome. `unknown`: the append may have happened at any moment after its begin, or never. `refused`:
 * the stream was at another revision. `end` of an unknown call is not looked at.
 */
export type Call = {
  operation: Operation
  begin: number
  end: number
  outcome: 'done' | 'refused' | 'unknown'
}

/** The stream after a call; undefined: the call cannot have had its outcome at this state. */
const after = (stream: readonly string[], { operation, outcome }: Call): readonly string[] | undefined => {
  if (operation.kind === 'read') {
    const { values } = operation
    const isRight = values.length === stream.length && values.every((value, n) => value === stream[n])
    return isRight ? stream : undefined
  }
  const fits = operation.expected === stream.length - 1
  if (outcome === 'refused') return fits ? undefined : stream
  return fits ? [...stream, operation.value] : undefined
}

/** Whether the history is linearizable, from an empty stream on. */
export const isLinearizable = (history: readonly Call[]): boolean => {
  const calls = history
    .filter(({ operation, outcome }) => operation.kind === 'append' || outcome === 'done')
    .map(call => (call.outcome === 'unknown' ? { ...call, end: Number.POSITIVE_INFINITY } : call))
    .sort((a, b) => a.begin - b.begin)
  const seen = new Set<string>()

  /** `open`: the calls without a moment so far. Only those may be next that begin before each of the others has ended. */
  const search = (open: readonly number[], stream: readonly string[]): boolean => {
    const endOf = (n: number): number => calls[n]?.end ?? 0
    if (open.every(n => calls[n]?.outcome === 'unknown')) return true
    const state = `${open.join()} ${JSON.stringify(stream)}`
    if (seen.has(state)) return false
    seen.add(state)
    const firstEnd = Math.min(...open.map(endOf))
    return open.some(n => {
      const call = calls[n]
      if (call === undefined || call.begin > firstEnd) return false
      const next = after(stream, call)
      return (
        next !== undefined &&
        search(
          open.filter(other => other !== n),
          next,
        )
      )
    })
  }
  return search([...calls.keys()], [])
}
