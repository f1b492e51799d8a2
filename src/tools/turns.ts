// At most so many at a time; who comes later waits, first come first served, until its call is stopped.
import { stopped } from './stop.ts'

export const createTurns = (most: number) => {
  let taken = 0
  const waiting = new Set<() => void>()
  const next = () => {
    const [first] = waiting
    if (first === undefined || taken >= most) return
    waiting.delete(first)
    taken++
    first()
  }
  return async <Answer>(signal: AbortSignal, job: () => Promise<Answer>): Promise<Answer> => {
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        waiting.delete(begin)
        reject(stopped())
      }
      const begin = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      if (signal.aborted) return reject(stopped())
      signal.addEventListener('abort', leave, { once: true })
      waiting.add(begin)
      next()
    })
    try {
      return await job()
    } finally {
      taken--
      next()
    }
  }
}
