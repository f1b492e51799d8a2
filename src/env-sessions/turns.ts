// What changes a session, one after another: a step that may not be repeated is announced and taken as one.
export const createTurns = () => {
  const chains = new Map<string, Promise<unknown>>()
  return {
    isBusy: (id: string): boolean => chains.has(id),
    take<T>(id: string, work: () => Promise<T>): Promise<T> {
      const turn = (chains.get(id) ?? Promise.resolve()).then(work, work)
      chains.set(id, turn)
      const forget = () => {
        if (chains.get(id) === turn) chains.delete(id)
      }
      turn.then(forget, forget)
      return turn
    },
  }
}
export type Turns = ReturnType<typeof createTurns>
