// How many requests of one user are worked on at a time: the others wait before their bodies are read, so that a user with a
// thousand connections fills no turn of the event loop with work of its own.
import type { Principal } from '../contract/token-events.ts'
import { createFairTurns } from '../fairness/fair-turns.ts'
import type { LoopShares } from '../fairness/loop-shares.ts'

/** Requests of one user that are worked on at a time. A token that stands for all users is the operator's: it is not bound. */
const mostOfOne = 8
/** A request that takes longer waits for something, such as its task, and works no more: its place is free. */
const workMs = 50

/** A long body is as much work as many requests. */
const bytesOfPiece = 256 * 1024
/** What is longer than any body may be is refused before it is read. */
const mostPieces = 128
const piecesOf = (bytes: number): number => Math.min(mostPieces, 1 + Math.floor(bytes / bytesOfPiece))

export type Admission = ReturnType<typeof createAdmission>

export const createAdmission = (loop: LoopShares, limits = { mostOfOne, workMs }) => {
  const turns = createFairTurns({ most: Number.POSITIVE_INFINITY, mostOfOne: limits.mostOfOne })

  /** Resolves when `over` does, and after `workMs` at the latest. */
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
   * Resolves when work for this caller may begin, which has sent, or will send, so many bytes; undefined: at once. The place is free again when `over` resolves, or after
   * a while.
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

  /** In turn, and when the event loop has time for this user. */
  const inTurn = (user: string, pieces: number, job: () => Promise<void>): void =>
    void turns(user, async () => {
      await loop.enter(user, pieces)
      await job()
    })

  return {
    enter,
    /** The same for one job. */
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
