// Generates solvable maps: chambers in a row, and a locked door between neighbours. The key of a door lies in one of
// the chambers before that door.
import { oneOf, shuffled } from '../shared/random.ts'
import { type GridMap, type Spot, setCell } from './map.ts'

export type Size = { width: number; height: number; walls: number; keys: number }

/** The least length of a chamber along the row, in cells. */
const narrowest = 2
const letter = (index: number): string => String.fromCharCode('a'.charCodeAt(0) + index)

/** The largest number of locked doors for a map of this size. */
export const maxKeys = ({ width, height }: Pick<Size, 'width' | 'height'>): number =>
  Math.min(6, Math.floor((Math.max(width, height) - 2 - narrowest) / (narrowest + 1)))

/** The lengths of the chambers, which fill the map together with the walls between them. */
const lengths = (along: number, keys: number, random: () => number): number[] => {
  const chambers = Array.from({ length: keys + 1 }, () => narrowest)
  for (let left = along - keys - chambers.length * narrowest; left > 0; left--) {
    const grown = oneOf([...chambers.keys()], random)
    chambers[grown] = (chambers[grown] ?? 0) + 1
  }
  return chambers
}

const keyOf = ({ x, y }: Spot): string => `${x},${y}`

/** Whether every cell of the floor can be reached from every other cell. */
const isConnected = (floor: Map<string, Spot>): boolean => {
  const [first] = floor.values()
  if (first === undefined) return true
  const seen = new Set([keyOf(first)])
  const open = [first]
  for (let spot = open.pop(); spot !== undefined; spot = open.pop()) {
    const { x, y } = spot
    for (const beside of [
      { x: x + 1, y },
      { x: x - 1, y },
      { x, y: y + 1 },
      { x, y: y - 1 },
    ]) {
      const key = keyOf(beside)
      if (seen.has(key) || !floor.has(key)) continue
      seen.add(key)
      open.push(beside)
    }
  }
  return seen.size === floor.size
}

export const generate = ({ width, height, walls, keys }: Size, random: () => number): GridMap => {
  const [isWide, isBackward] = [width >= height, random() < 0.5]
  const [along, across] = isWide ? [width - 2, height - 2] : [height - 2, width - 2]
  /** `u` counts along the row of chambers, `v` across it, both from 0. */
  const spotAt = (u: number, v: number): Spot => {
    const [first, second] = [(isBackward ? along - 1 - u : u) + 1, v + 1]
    return isWide ? { x: first, y: second } : { x: second, y: first }
  }
  const map: GridMap = {
    cells: Array.from({ length: height }, () => Array.from({ length: width }, () => '#')),
    start: { x: 1, y: 1 },
  }

  const chambers: Map<string, Spot>[] = []
  const beforeDoors = new Set<string>()
  let u = 0
  for (const [index, length] of lengths(along, keys, random).entries()) {
    if (index > 0) {
      const v = Math.floor(random() * across)
      setCell(map, spotAt(u, v), letter(index - 1).toUpperCase())
      for (const side of [u - 1, u + 1]) beforeDoors.add(keyOf(spotAt(side, v)))
      u++
    }
    const cells = Array.from({ length: length * across }, (_, cell) =>
      spotAt(u + Math.floor(cell / across), cell % across),
    )
    chambers.push(new Map(cells.map(spot => [keyOf(spot), spot])))
    u += length
  }

  const taken = new Set<string>()
  /** A free cell in one of these chambers. Each chamber has at least four, enough for a start, a goal and keys. */
  const place = (first: number, last: number): Spot => {
    const cells = chambers.slice(first, last + 1).flatMap(chamber => [...chamber.values()])
    const spot = oneOf(
      cells.filter(cell => !taken.has(keyOf(cell))),
      random,
    )
    taken.add(keyOf(spot))
    return spot
  }
  map.start = place(0, 0)
  const goal = place(keys, keys)
  const keySpots = Array.from({ length: keys }, (_, index) => place(0, index))

  for (const floor of chambers) {
    const max = Math.floor(walls * floor.size)
    let built = 0
    for (const [key, spot] of shuffled([...floor], random)) {
      if (built === max) break
      if (taken.has(key) || beforeDoors.has(key)) continue
      floor.delete(key)
      if (isConnected(floor)) built++
      else floor.set(key, spot)
    }
    for (const spot of floor.values()) setCell(map, spot, '.')
  }
  setCell(map, goal, 'G')
  for (const [index, spot] of keySpots.entries()) setCell(map, spot, letter(index))
  return map
}
