// Answers that may be long: how many of them are made and told at once. Work for them is done slice by slice, so that
// nobody else waits; what they hold in memory is bounded by the places that there are.
import type { FoldPlace } from '../bus/feed.ts'
import { Refusal } from '../contract/refusals.ts'
import { callerOf, type Principal } from '../contract/token-events.ts'
import { createFairPlaces, type FairPlaces, type PlaceLimits } from '../fairness/fair-turns.ts'
import type { LoopShares } from '../fairness/loop-shares.ts'
import { createPause, createSlices, type Pause } from '../fairness/slices.ts'
import { isLong, largeFrom, type Pieces, type Text } from '../platform/pieces.ts'

export type AnswerLimits = {
  /** Large answers that are told at once. */
  large: PlaceLimits
  /** Answers that are folded from the log, or held in memory, at once. */
  folded: PlaceLimits
  /** Parts of the log that are told as they are stored, at once. */
  exported: PlaceLimits
  /** A caller's answers that may wait for a place. */
  waiting: number
}
export const usualAnswers: AnswerLimits = {
  large: { mostOfOne: 2, most: 4 },
  folded: { mostOfOne: 2, most: 3 },
  exported: { mostOfOne: 2, most: 3 },
  waiting: 1000,
}

/** Nobody is left to be answered. */
const gone = () => Object.assign(new Error('the caller went away'), { code: 'ECONNRESET' })

const tooMany = (limit: number) =>
  new Refusal(
    'Busy',
    { quota: 'answers', limit },
    `at most ${limit} large answers are given to one user at once: read the others first, or ask for a smaller page`,
  )

export const createLongAnswers = (
  stopping: AbortSignal,
  loop: LoopShares,
  limits: AnswerLimits = usualAnswers,
) => {
  const turn = createSlices()
  const large = createFairPlaces(limits.large)
  const folded = createFairPlaces(limits.folded)
  const exported = createFairPlaces(limits.exported)

  /** Of one request; `isGone`: nobody is left to be answered. */
  const ofCaller = (principal: Principal, isGone: () => boolean) => {
    const caller = callerOf(principal)
    const check = () => {
      if (isGone()) throw gone()
      if (stopping.aborted) throw new Refusal('ShuttingDown')
    }
    const isBound = principal.userId !== undefined
    const pause = createPause(async () => {
      if (isBound) await loop.enter(caller)
      await turn(caller)
    }, check)

    async function* under(places: FairPlaces, make: (pause: Pause) => Pieces) {
      if (places.waiting(caller) >= limits.waiting) throw tooMany(limits.waiting)
      const leave = await places.enter(caller)
      try {
        check()
        for await (const piece of make(pause)) {
          yield piece
          await pause()
        }
      } finally {
        leave()
      }
    }
    async function* underLarge(text: Pieces) {
      if (large.isFull(caller)) throw tooMany(limits.large.mostOfOne)
      const leave = await large.enter(caller)
      try {
        check()
        yield* text
      } finally {
        leave()
      }
    }
    return {
      pause,
      /** The place of a stream that folds what is stored, while it does. */
      place(): FoldPlace {
        let leave: (() => void) | undefined
        return {
          isTaken: () => leave !== undefined,
          async enter() {
            leave ??= await folded.enter(caller)
          },
          leave() {
            leave?.()
            leave = undefined
          },
        }
      },
      /** What is folded from the log: under a place, waited for, until it is told. */
      folding: (make: (pause: Pause) => Pieces): Pieces => under(folded, make),
      /** What is told of the log as it is stored, the same. */
      exporting: (make: () => Pieces): Pieces => under(exported, make),
      /** A text that is made of what is in memory: the same when it is long. */
      holding: (text: Text): Text => (isLong(text) ? under(folded, () => text) : text),
      /** A text that is read from the read models as it is told, of about so many bytes. */
      stored: (text: Text, size: number): Text =>
        isLong(text) && size > largeFrom ? underLarge(text) : text,
    }
  }
  return { ofCaller }
}
export type LongAnswers = ReturnType<typeof createLongAnswers>
export type CallersAnswers = ReturnType<LongAnswers['ofCaller']>
