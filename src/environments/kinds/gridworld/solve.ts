// Finds a shortest path to a goal, with the keys that it needs, as a proof that the map can be solved.
import { cellAt, type Direction, directions, type GridMap, isDoor, isKey, next, type Spot } from './map.ts'

export type Action = { tool: 'move'; args: { direction: Direction } } | { tool: 'pick_up'; args: object }
type Place = { spot: Spot; keys: string; before?: Place; action?: Action }

const keyOf = ({ spot, keys }: Place): string => `${spot.x},${spot.y},${keys}`
const added = (keys: string, key: string): string => [...keys, key].sort().join('')

const actionsTo = (place: Place): Action[] => {
  const actions: Action[] = []
  for (let at: Place | undefined = place; at?.action !== undefined; at = at.before) actions.unshift(at.action)
  return actions
}

const placesAfter = (map: GridMap, before: Place): Place[] => {
  const { spot, keys } = before
  const cell = cellAt(map, spot)
  const places: Place[] = []
  if (isKey(cell) && !keys.includes(cell)) {
    places.push({ spot, keys: added(keys, cell), before, action: { tool: 'pick_up', args: {} } })
  }
  for (const direction of Object.keys(directions) as Direction[]) {
    const there = next(spot, direction)
    const beside = cellAt(map, there)
    if (beside === '#' || (isDoor(beside) && !keys.includes(beside.toLowerCase()))) continue
    places.push({ spot: there, keys, before, action: { tool: 'move', args: { direction } } })
  }
  return places
}

/** Undefined if no goal can be reached. */
export const solve = (map: GridMap): Action[] | undefined => {
  const first: Place = { spot: map.start, keys: '' }
  const seen = new Set([keyOf(first)])
  let ring = [first]
  while (ring.length > 0) {
    const outer: Place[] = []
    for (const place of ring.flatMap(at => placesAfter(map, at))) {
      if (seen.has(keyOf(place))) continue
      seen.add(keyOf(place))
      if (cellAt(map, place.spot) === 'G') return actionsTo(place)
      outer.push(place)
    }
    ring = outer
  }
  return undefined
}
