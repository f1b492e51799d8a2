// Assigns each process of the machine to a watched process: the nearest watched ancestor. A process without such an
// ancestor, for example because its parents have ended, is assigned like the other processes of its process group.

export type ProcessPlace = { pid: number; parent: number; group: number }

/** Maps each process to its watched process; a process without one is left out. */
export const kinOf = (
  processes: readonly ProcessPlace[],
  watched: ReadonlyMap<number, unknown>,
): Map<number, number> => {
  const places = new Map(processes.map(place => [place.pid, place]))
  /** The watched process of each process; undefined: it has no watched ancestor. */
  const known = new Map<number, number | undefined>()
  const ownerOf = (pid: number): number | undefined => {
    const passed: number[] = []
    let at: number | undefined = pid
    while (at !== undefined && !watched.has(at) && !known.has(at)) {
      known.set(at, undefined) // processes are read at different moments, so parents may seem to form a circle
      passed.push(at)
      at = places.get(at)?.parent
    }
    const owner = at === undefined || watched.has(at) ? at : known.get(at)
    for (const one of passed) known.set(one, owner)
    return owner
  }
  const groups = new Map<number, number>([...watched.keys()].map(pid => [pid, pid]))
  for (const { pid, group } of processes) {
    const owner = ownerOf(pid)
    if (owner !== undefined) groups.set(group, owner)
  }
  const kin = new Map<number, number>()
  for (const { pid, group } of processes) {
    const owner = ownerOf(pid) ?? groups.get(group)
    if (owner !== undefined) kin.set(pid, owner)
  }
  return kin
}
