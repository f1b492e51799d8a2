// The gate of requests, where both ideas of fairness meet: a request waits for one of its user's places, and then for
// its user's share of the event loop. It waits before its body is read, so that a user with a thousand connections does
// not occupy a whole turn of the event loop.
import type { Principal } from '../../contract/events/token-events.ts'
import type { LoopShares } from '../../fairness/loop-shares.ts'
import { createPlaces } from '../../fairness/places.ts'

/**
 * The most requests of one user that the server handles at a time. A token for all users belongs to the operator and
 * has no limit.
 */
const perUser = 8
/**
 * Milliseconds after which a request gives up its place. A request that takes longer is probably waiting for something,
 * such as its task.
 */
const workMs = 50

/** Bytes of a body that count as one more request: a long body is as much work as many requests. */
const bytesOfPiece = 256 * 1024
/** The most requests that one body counts as. A body beyond the size limit is refused before it is read. */
const maxPieces = 128
const piecesOf = (bytes: number): number => Math.min(maxPieces, 1 + Math.floor(bytes / bytesOfPiece))

export type Admission = ReturnType<typeof createAdmission>

export const createAdmission = (loop: LoopShares, limits = { perUser, workMs }) => {
  const { hold } = createPlaces({ places: Number.POSITIVE_INFINITY, perUser: limits.perUser })

  /** Resolves when `over` resolves or rejects, or after `workMs` milliseconds, whichever is earlier. */
  const work = (over: Promise<unknown>): Promise<void> =>
    new Promise(resolve => {
      const timer = setTimeout(resolve, limits.workMs)
      timer.unref()
      const end = () => {
        clearTimeout(timer)
        resolve()
      }
      over.then(end, end)
    })

  /**
   * Resolves when work for this caller may begin; undefined: the work may begin at once. `bytes` is the length of the
   * request's body. The request stops counting for its user when `over` resolves, or after `workMs` milliseconds.
   */
  const enter = ({ userId }: Principal, over: Promise<unknown>, bytes = 0): Promise<void> | undefined =>
    userId === undefined
      ? undefined
      : new Promise(resolve => {
          inTurn(userId, piecesOf(bytes), () => {
            resolve()
            return work(over)
          })
        })

  /** Does a job when it is the user's turn and the event loop has time for this user. */
  const inTurn = (user: string, pieces: number, job: () => Promise<void>): void =>
    void hold(user, async () => {
      await loop.enter(user, pieces)
      await job()
    })

  return {
    enter,
    /** Does one job under these limits, such as a command on a WebSocket. */
    run<Answer>(caller: Principal, job: () => Promise<Answer>): Promise<Answer> {
      if (caller.userId === undefined) return job()
      const { userId } = caller
      return new Promise((resolve, reject) => {
        inTurn(userId, 1, () => {
          const done = job()
          done.then(resolve, reject)
          return work(done)
        })
      })
    },
  }
}
