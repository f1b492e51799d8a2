// Stores long payloads in pieces, before their events are put in order. Each piece is a commit of its own, and payloads
// take turns piece by piece, so that other events wait for one piece at most and never for a whole payload.
import { jsonPieces } from '../contract/json/json-pieces.ts'
import { isLongerThan } from '../contract/json/length.ts'
import type { Random } from '../contract/ports.ts'
import { StorageFailure, type StreamAppend } from '../contract/stored.ts'
import type { Store } from './store.ts'

/**
 * Data with more characters than this, roughly, gives a long payload. A piece has this many characters or a few more.
 */
const pieceChars = 256 * 1024

/** The data of an event whose payload is long and not stored yet. */
export type LongData = { data: object }
/** The number of a payload that is stored in pieces, and the salt of its event. */
export type LongPayload = { no: number; salt: string }
/** The payload of an event to append: its JSON text, or the number under which the text is stored. */
export type Payload = string | LongPayload

/** The JSON texts of short payloads, and the data of long ones, append by append. Throws for data without a JSON text. */
export const payloadsOf = (appends: StreamAppend[]): (string | LongData)[][] =>
  appends.map(({ events }) =>
    events.map(({ data }) => (isLongerThan(data, pieceChars) ? { data } : JSON.stringify(data))),
  )

const isShort = (payload: string | LongData): payload is string => typeof payload === 'string'
export const areShort = (payloads: (string | LongData)[][]): payloads is string[][] =>
  payloads.every(each => each.every(isShort))

/**
 * The JSON text of data in pieces. Each piece is made when it is needed, so that no turn of the event loop makes all
 * pieces.
 */
function* piecesOf(data: object): Generator<string, undefined> {
  let text = ''
  for (const part of jsonPieces(data)) {
    text += part
    if (text.length < pieceChars) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

type Job = LongPayload & {
  pieces: Generator<string, undefined>
  /** The next piece, and its number. */
  next: string | undefined
  n: number
  resolve: () => void
  reject: (error: unknown) => void
}

export type LongDeps = {
  store: Pick<Store, 'writePiece' | 'dropPieces' | 'lastPayload'>
  random: Random
  /** Whether a write has failed, so that nothing may be written. */
  hasFailed: () => boolean
  /** Called when a piece could not be written. */
  failed: (error: unknown) => void
}

export const createLongPayloads = ({ store, random, hasFailed, failed }: LongDeps) => {
  let lastNo = 0
  let jobs: Job[] = []
  let isAtWork = false

  const rejectAll = (error?: unknown) => {
    const failure = new StorageFailure('the event log could not be written', { cause: error })
    for (const { reject } of jobs) reject(failure)
    jobs = []
  }
  /** Writes the next piece of the first job. This job then waits behind the other jobs. */
  const step = async (): Promise<void> => {
    const [job] = jobs
    if (job === undefined) return
    const { no, salt, n, next: text = '' } = job
    await store.writePiece({ payload: no, n, salt, text })
    if (jobs[0] !== job) return // the log was opened again meanwhile
    jobs.shift()
    job.n++
    try {
      job.next = job.pieces.next().value
    } catch (error) {
      await store.dropPieces(no)
      return job.reject(error) // the data has no JSON text
    }
    if (job.next === undefined) job.resolve()
    else jobs.push(job)
  }
  const work = async (): Promise<void> => {
    if (isAtWork) return
    isAtWork = true
    while (jobs.length > 0) {
      try {
        await step()
      } catch (error) {
        failed(error)
        rejectAll(error)
      }
      if (hasFailed()) rejectAll()
    }
    isAtWork = false
  }
  const storeOne = ({ data }: LongData): Promise<LongPayload> =>
    new Promise((resolve, reject) => {
      const pieces = piecesOf(data)
      const next = pieces.next().value
      const long = { no: ++lastNo, salt: random.text(16) }
      jobs.push({ ...long, pieces, next, n: 0, resolve: () => resolve(long), reject })
      void work()
    })

  return {
    /** Called when the log was opened: new payloads get the next numbers. Unfinished payloads are rejected. */
    begin(): void {
      rejectAll()
      lastNo = store.lastPayload()
    },
    /** Stores the long payloads among these. Rejects with StorageFailure, or when data has no JSON text. */
    store: (payloads: (string | LongData)[][]): Promise<Payload[][]> =>
      Promise.all(
        payloads.map(each =>
          Promise.all(each.map(payload => (isShort(payload) ? payload : storeOne(payload)))),
        ),
      ),
    /** Removes stored pieces of payloads that no event will have. */
    drop(payloads: Payload[][]): void {
      for (const payload of payloads.flat()) {
        if (typeof payload !== 'string') store.dropPieces(payload.no).catch(failed)
      }
    },
    isIdle: () => jobs.length === 0,
  }
}
export type LongPayloads = ReturnType<typeof createLongPayloads>
