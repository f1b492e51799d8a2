// Which of the watched processes each process of the machine belongs to: the nearest one that it descends from. One
// whose parents have ended is with those that share its process group.

export type ProcessPlace = { pid: number; parent: number; group: number }

/** By process, the watched one; who belongs to none is left out. */
export const kinOf = (
  processes: readonly ProcessPlace[],
  watched: ReadonlyMap<number, unknown>,
): Map<number, number> => {
  const places = new Map(processes.map(place => [place.pid, place]))
  /** undefined: belongs to none. */
  const known = new Map<number, number | undefined>()
  const ownerOf = (pid: number): number | undefined => {
    const passed: number[] = []
    let at: number | undefined = pid
    while (at !== undefined && !watched.has(at) && !known.has(at)) {
      known.set(at, undefined) // they were not looked at all at once: a circle is none
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
