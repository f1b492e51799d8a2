// Two tasks on the page, at one moment of both. Each has its own history; the server says where they begin to differ.
import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import type { Difference } from '../../src/contract/responses.ts'
import { isTerminal } from '../../src/contract/wire/task-status.ts'
import { type Api, at } from '../api/api.ts'
import { ApiError, isRefusal } from '../api/api-error.ts'
import type { Connection } from '../api/kept-stream.ts'
import { createPaced } from '../api/paced.ts'
import { createChosen } from '../task/chosen.ts'
import { createHistory, type TaskHistory } from '../task/history.ts'
import { createAligned } from './aligned.ts'

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
