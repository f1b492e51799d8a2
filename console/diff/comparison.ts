// Two tasks on the page, at one moment of both. Each has its own history; the server says where they begin to differ.
import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import type { Difference } from '../../src/contract/responses.ts'
import { isTerminal } from '../../src/contract/wire/task-status.ts'
import { isTiming } from '../../src/history/diff/content.ts'
import { type Api, at } from '../api/api.ts'
import { ApiError, isRefusal } from '../api/api-error.ts'
import type { Connection } from '../api/live-stream.ts'
import { createPaced } from '../api/paced.ts'
import { createChosen } from '../task/chosen.ts'
import { createHistory, type TaskHistory } from '../task/history.ts'
import type { Event } from '../task/past.ts'

// Puts the stored events of two tasks into pairs, as the server does when it compares tasks. A moment of the comparison
// is a number of pairs, so it is a moment of both tasks.

type Side = {
  events: readonly Event[]
  /** How many events have been looked at. */
  seen: number
  /** For each event that is compared: the number of events up to and including this event. */
  ends: number[]
}

const look = (side: Side): void => {
  for (const { type, header } of side.events.slice(side.seen))
    if (!isTiming(type)) side.ends.push(header.revision + 1)
  side.seen = side.events.length
}
/** The event of a side in the pair with this number. Pairs are counted from 1. */
const eventIn = ({ events, ends }: Side, pair: number): Event | undefined => events[(ends[pair - 1] ?? 0) - 1]

const reaches = (event: Event | undefined, frame: number): boolean => {
  const { seq = 0, frames = 0 } = event?.header ?? {}
  return frames > 0 && seq + frames > frame
}

/** The lists of events may grow. `update` takes in the new events. */
const createAligned = (left: readonly Event[], right: readonly Event[]) => {
  const sides = [left, right].map((events): Side => ({ events, seen: 0, ends: [] })) as [Side, Side]
  const length = () => Math.max(...sides.map(({ ends }) => ends.length))
  const countOf = ({ events, ends }: Side, moment: number): number =>
    moment >= ends.length ? events.length : (ends[moment - 1] ?? 0)
  return {
    update: () => sides.forEach(look),
    length,
    /** The number of events of each task up to a moment. */
    countsAt: (moment: number): [number, number] => [countOf(sides[0], moment), countOf(sides[1], moment)],
    /** The moment after the first pair that has a frame with this number or a later one. */
    momentOf(frame: number): number | undefined {
      for (let pair = 1; pair <= length(); pair++)
        if (sides.some(side => reaches(eventIn(side, pair), frame))) return pair
      return undefined
    },
  }
}

/** The worst state comes first. */
const states: readonly Connection[] = ['refused', 'missing', 'lost', 'asking', 'connecting', 'live', 'ended']

/** Asks the server for the first frame that differs, and asks again as long as the answer may change. */
const createFirstFrame = (api: Api, [left, right]: readonly [TaskHistory, TaskHistory]) => {
  /** `null`: no frame differs; undefined: not known. */
  const frame = signal<number | null | undefined>(undefined)
  const error = signal<string | undefined>(undefined)
  let [isAsked, isFinal] = [false, false]
  const paced = createPaced(async () => {
    const haveEnded = [left, right].every(({ past }) => isTerminal(past.newest.status))
    try {
      const path = `/tasks${at(left.id)}/diff${at(right.id)}`
      frame.value = (await api.send<Difference>('GET', path)).first_divergence
      isFinal = haveEnded
      error.value = undefined
    } catch (failure) {
      error.value = failure instanceof Error ? failure.message : String(failure)
      if (!(failure instanceof ApiError && isRefusal(failure))) paced.soon()
    }
  })
  const stop = effect(() => {
    const isWhole = left.isWhole.value && right.isWhole.value
    void left.length.value
    void right.length.value
    if (!isWhole || isFinal) return
    if (isAsked) paced.soon()
    else paced.now()
    isAsked = true
  })
  const close = () => {
    stop()
    paced.close()
  }
  return { frame, error, again: paced.now, close }
}

export const createComparison = (api: Api, ids: readonly [string, string]) => {
  const sides = [createHistory(api, ids[0]), createHistory(api, ids[1])] as const
  const [left, right] = sides
  const aligned = createAligned(left.past.events, right.past.events)
  const length: ReadonlySignal<number> = computed(() => {
    void left.length.value
    void right.length.value
    aligned.update()
    return aligned.length()
  })
  const chosen = createChosen(length)
  const first = createFirstFrame(api, sides)
  return {
    ...chosen,
    /** The two histories, as soon as both are there; and why they are not. */
    value: computed(() => (sides.every(({ isLoaded }) => isLoaded.value) ? sides : undefined)),
    error: computed(() => sides.find(({ error }) => error.value !== undefined)?.error.value),
    /** The id of the task that is not there. */
    missing: computed(() => sides.find(({ error }) => error.value?.status === 404)?.id),
    /** Each history is read again by itself. */
    again: () => {},
    sides,
    length,
    /** The first frame that differs. */
    first,
    /** The moment at which the tasks begin to differ. */
    differsAt: computed(() => {
      void length.value
      const frame = first.frame.value
      return typeof frame === 'number' ? aligned.momentOf(frame) : undefined
    }),
    /** The number of events of each task up to the chosen moment. */
    counts: computed(() => {
      void length.value
      return aligned.countsAt(chosen.count.value)
    }),
    connection: computed(
      () => states.find(state => sides.some(({ connection }) => connection.value === state)) ?? 'connecting',
    ),
    close() {
      chosen.close()
      first.close()
      for (const side of sides) side.close()
    },
  }
}
export type Comparison = ReturnType<typeof createComparison>
