// What a drawing of a statechart consists of: boxes for the states, and paths for the moves between them.

export type Box = { x: number; y: number; width: number; height: number }
/**
 * `path`: the state, as `pathsOf` writes it. `look`: `outer` has states inside of it; the name of a status of tasks gives its
 * colours. `notes`: smaller lines below the name.
 */
export type DrawnState = {
  path: string
  name: string
  box: Box
  looks: readonly string[]
  notes: readonly string[]
}
export type Label = { x: number; y: number; text: string; anchor: 'middle' | 'start' }
export type Edge = { from: string; to: string; path: string; labels: readonly Label[] }
/** `starts`: the dots at the states in which the chart and its states begin, each with the top of that state. */
export type Layout = {
  width: number
  height: number
  states: readonly DrawnState[]
  edges: readonly Edge[]
  starts: readonly { x: number; y: number }[]
}

export const middle = ({ x, width }: Box): number => x + width / 2
export const right = ({ x, width }: Box): number => x + width
export const bottom = ({ y, height }: Box): number => y + height
