// The rows of the list of events: one for each stored event, but only one for all the pieces of a text.
import { isMove } from '../../src/contract/charts/task-state.ts'
import { millisOf } from '../../src/history/task/millis.ts'
import type { Event } from './past.ts'
import { detailOf, isTrouble } from './words.ts'

export type Group = 'moves' | 'steps' | 'text' | 'calls' | 'inputs' | 'other'
export const groups: readonly Group[] = ['moves', 'steps', 'text', 'calls', 'inputs', 'other']

export type EventRow = {
  /** The numbers of the first and of the last event of the row. */
  first: number
  last: number
  type: string
  group: Group
  detail: string
  /** The number of the first frame; undefined when the events of the row give none. */
  frame: number | undefined
  time: number
  isTrouble: boolean
}

const groupOf = (type: string): Group => {
  if (isMove(type)) return 'moves'
  if (/^Item|^EffectSaid/.test(type)) return 'text'
  if (/^Effect|^ToolsOffered/.test(type)) return 'calls'
  if (/^Agent|^Compression/.test(type)) return 'steps'
  return /^Input|^GroupChat|Requested$/.test(type) ? 'inputs' : 'other'
}

/** The id of the item to whose text an event adds a piece; undefined when it adds none. */
const pieceOf = ({ type, data }: Event): string | undefined => {
  if (type === 'ItemDelta') return data.item_id
  return type === 'EffectSaid' ? data.item_id : undefined
}

export const createRows = () => {
  const all: EventRow[] = []
  let open: { id: string; characters: number } | undefined
  return {
    all: all as readonly EventRow[],
    add(event: Event): void {
      const { header, type } = event
      const piece = pieceOf(event)
      const last = all.at(-1)
      if (piece !== undefined && open?.id === piece && last !== undefined) {
        open.characters += 'delta' in event.data ? String(event.data.delta).length : 0
        last.last = header.revision
        last.detail = `${last.last - last.first + 1} pieces, ${open.characters} characters`
        return
      }
      open =
        piece === undefined
          ? undefined
          : { id: piece, characters: 'delta' in event.data ? String(event.data.delta).length : 0 }
      all.push({
        first: header.revision,
        last: header.revision,
        type,
        group: groupOf(type),
        detail: detailOf(event),
        frame: (header.frames ?? 0) > 0 ? header.seq : undefined,
        time: millisOf(header.time),
        isTrouble: isTrouble(event),
      })
    },
    /** The row of an event. */
    indexOf(event: number): number {
      let [low, high] = [0, all.length - 1]
      while (low < high) {
        const middle = Math.floor((low + high) / 2)
        if ((all[middle]?.last ?? 0) < event) low = middle + 1
        else high = middle
      }
      return low
    },
  }
}
export type Rows = ReturnType<typeof createRows>
