// Limits how many long answers are made and sent at a time, which limits the memory that they use. A long answer is
// made slice by slice, so that other callers need not wait for it.
import type { FoldPlace } from '../../bus/feed.ts'
import { callerOf, type Principal } from '../../contract/events/token-events.ts'
import { Refusal } from '../../contract/refusals.ts'
import type { LoopShares } from '../../fairness/loop-shares.ts'
import { createPlaces, type PlaceLimits, type Places } from '../../fairness/places.ts'
import { createPause, createSlices, type Pause } from '../../fairness/slices.ts'
import { isLong, largeFrom, type Piece, type Pieces, type Text } from '../../platform/pieces.ts'

export type AnswerLimits = {
  /** How many large answers may be sent at a time. */
  large: PlaceLimits
  /** How many answers may be folded from the log, or held in memory, at a time. */
  folded: PlaceLimits
  /** How many answers may send stored parts of the log unchanged at a time. */
  exported: PlaceLimits
  /** The most answers of one caller that may wait for a place. */
  waiting: number
}
export const defaultAnswers: AnswerLimits = {
  large: { perUser: 2, places: 4 },
  folded: { perUser: 2, places: 3 },
  exported: { perUser: 2, places: 3 },
  waiting: 1000,
}

/** The error when the caller has disconnected. */
const gone = () => Object.assign(new Error('the caller went away'), { code: 'ECONNRESET' })

const tooMany = (limit: number) =>
  new Refusal(
    'Busy',
    { quota: 'answers', limit },
    `one user can read at most ${limit} large answers at a time`,
    { hint: 'Read the others to their end first, or ask for a smaller page.' },
  )

const tooManyWait = (limit: number) =>
  new Refusal('Busy', { quota: 'answers', limit }, `at most ${limit} answers of one user can wait`, {
    hint: 'Read some to their end first.',
  })

/** The pieces of a text, in a place that `take` takes for as long as they are read. */
async function* inPlace(
  take: () => Promise<() => void>,
  check: () => void,
  text: () => Pieces,
): AsyncGenerator<Piece> {
  const free = await take()
  try {
    check()
    yield* text()
  } finally {
    free()
  }
}

async function* withPauses(pieces: Pieces, pause: Pause): AsyncGenerator<Piece> {
  for await (const piece of pieces) {
    yield piece
    await pause()
  }
}

/** `refused`: called for each answer that is refused because its caller has too many answers. */
export const createLongAnswers = (
  stopping: AbortSignal,
  loop: LoopShares,
  refused: () => void,
  limits: AnswerLimits = defaultAnswers,
) => {
  const refuse = (refusal: Refusal): never => {
    refused()
    throw refusal
  }
  const turn = createSlices()
  const large = createPlaces(limits.large)
  const folded = createPlaces(limits.folded)
  const exported = createPlaces(limits.exported)

  /** Makes the long answers of one request. `isGone` tells whether the caller has disconnected. */
  const ofCaller = (principal: Principal, isGone: () => boolean) => {
    const caller = callerOf(principal)
    const check = () => {
      if (isGone()) throw gone()
      if (stopping.aborted) throw new Refusal('ShuttingDown')
    }
    const { userId } = principal
    const pause = createPause(async () => {
      if (userId !== undefined) await loop.enter(userId)
      await turn(caller)
    }, check)

    const under = (places: Places, make: (pause: Pause) => Pieces) => {
      const take = () => {
        if (places.waiting(caller) >= limits.waiting) refuse(tooManyWait(limits.waiting))
        return places.acquire(caller)
      }
      return inPlace(take, check, () => withPauses(make(pause), pause))
    }
    const underLarge = (text: Pieces) => {
      const take = () => {
        if (large.isFull(caller)) refuse(tooMany(limits.large.perUser))
        return large.acquire(caller)
      }
      return inPlace(take, check, () => text)
    }
    return {
      pause,
      /** Makes the place of a stream. The stream takes the place while it folds stored events. */
      place(): FoldPlace {
        let free: (() => void) | undefined
        return {
          isTaken: () => free !== undefined,
          async acquire() {
            free ??= await folded.acquire(caller)
          },
          release() {
            free?.()
            free = undefined
          },
        }
      },
      /** An answer that is folded from the log. It waits for a place, and holds the place until the answer is sent. */
      folding: (make: (pause: Pause) => Pieces): Pieces => under(folded, make),
      /** An answer with stored parts of the log. It waits for a place, and holds the place until the answer is sent. */
      exporting: (make: () => Pieces): Pieces => under(exported, make),
      /** A text from memory. If it is long, it waits for a place, and holds the place until the text is sent. */
      holding: (text: Text): Text => (isLong(text) ? under(folded, () => text) : text),
      /** A text of about `size` bytes, read from the read models while it is sent. A large one waits for a place. */
      stored: (text: Text, size: number): Text =>
        isLong(text) && size > largeFrom ? underLarge(text) : text,
    }
  }
  return { ofCaller }
}
export type LongAnswers = ReturnType<typeof createLongAnswers>
export type CallersAnswers = ReturnType<LongAnswers['ofCaller']>
