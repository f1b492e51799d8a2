// Checks decided events against the chart of their kind before they are stored.

type Decided = { type: string; data: unknown }

/**
 * Throws at an event that the chart forbids, which is a bug of the server. `follow` returns the state after an event;
 * undefined: the chart forbids the event there.
 */
export const mustFollow = <State>(
  state: State,
  events: readonly Decided[],
  follow: (state: State, type: string, data: unknown) => State | undefined,
  nameOf: (state: State) => string = String,
): void => {
  let before = state
  for (const { type, data } of events) {
    const after = follow(before, type, data)
    if (after === undefined) {
      const where = `in the state ${nameOf(before)}, where the chart forbids it`
      throw new Error(`a bug of the server: it decided ${type} ${where}`)
    }
    before = after
  }
}
