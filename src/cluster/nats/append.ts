// Appends records to a stream. Each append names the sequence of the record behind which it belongs.
//
// One record is under way at a time. If two were under way, and a record of another node took the place of the first,
// the servers would refuse the first and store the second behind that record, since they compare sequences alone. See
// docs/decisions/96-one-append-at-a-time.md.
//
// A record that gets no answer is sent again, since the sequence that it names makes this safe: the servers store it once,
// or refuse it. When they refuse it after an earlier try, the record that stands in its place may be this one.
import { encodedHeaders } from '../../bus/nats/client.ts'
import { reasonOf } from '../../bus/nats/nats.ts'
import type { Timers } from '../../contract/ports.ts'
import { sleep } from '../../platform/sleep.ts'
import { Fenced, Unknown } from '../shared-log.ts'
import type { Link } from './link.ts'
import { isTimeout, isUnsent } from './no-answer.ts'

type Deps = {
  link: Link
  name: string
  subject: string
  /** Milliseconds that an append may take, with all its tries. */
  appendMs: number
  /** The bytes of the record at a sequence; undefined: there is none. */
  recordAt: (sequence: number) => Promise<Uint8Array | undefined>
  timers: Timers
  stopping: AbortSignal
}
type Waiting = {
  expected: number
  bytes: Uint8Array
  resolve: () => void
  reject: (error: unknown) => void
}
type Answer = { stream?: string; seq?: number; error?: { err_code?: number; description?: string } }

/** Error codes of JetStream: the stream does not end at the expected sequence. Newer servers use both codes. */
const wrongSequence = new Set([10071, 10164])
/** Milliseconds until a record is sent again. */
const againMs = 50
/** For so many milliseconds, a record that is refused and not seen may still come. Then the servers have lost records. */
const lateMs = 3000
/** Milliseconds for one try. Then the record is sent to the next server. */
const tryMs = 2000

/** The servers do not take the record at the moment: the stream has no leader, for example. */
class NotTaken extends Error {}
/** Another stream takes the subject. */
class WrongStream extends Error {}

export const createAppender = (deps: Deps) => {
  const { link, name, subject, appendMs, recordAt, timers, stopping } = deps
  const waiting: Waiting[] = []
  let isBusy = false

  const judge = ({ stream, seq, error }: Answer, expected: number): void => {
    if (error !== undefined) {
      const reason = error.description ?? 'unknown reason'
      if (wrongSequence.has(error.err_code ?? 0))
        throw new Fenced(`${name} does not end at ${expected}: ${reason}`)
      throw new NotTaken(`${name} does not take a record: ${reason}`)
    }
    if (stream !== name || seq !== expected + 1)
      throw new WrongStream(
        `${subject} belongs to the stream ${stream}, which stored at ${seq}: delete that stream`,
      )
  }
  /**
   * After a refusal, whether an earlier try has stored the record; undefined: no record stands in its place. A leader
   * refuses what comes behind a record that it has, and shows that record only when most servers have it.
   */
  const isStored = async ({ expected, bytes }: Waiting): Promise<boolean | undefined> => {
    const there = await recordAt(expected + 1)
    return there && Buffer.from(there).equals(bytes)
  }
  const send = async (record: Waiting): Promise<void> => {
    const { expected, bytes } = record
    const headers = encodedHeaders({ 'Nats-Expected-Last-Sequence': `${expected}` })
    const end = performance.now() + appendMs
    const left = () => Math.max(1, end - performance.now())
    /** Whether an earlier try may have stored the record. */
    let isDoubted = false
    /** Since when the servers have refused the record, and have shown no other one in its place. */
    let unseen: number | undefined
    for (;;) {
      const connection = await link.connected(left())
      try {
        const timeout = Math.min(tryMs, left())
        const answer = await connection.request(subject, bytes, { headers, timeout })
        return judge(answer.json<Answer>(), expected)
      } catch (error) {
        const stored = error instanceof Fenced && (isDoubted ? await isStored(record) : false)
        if (stored) return
        if (stored === undefined) {
          unseen ??= performance.now()
          if (performance.now() - unseen > lateMs)
            throw new Unknown(`${name} has lost records before ${expected + 1}`)
        } else if (error instanceof Fenced || error instanceof WrongStream) throw error
        isDoubted ||= !(isUnsent(error) || error instanceof NotTaken)
        if (isTimeout(error)) link.leave(connection)
        if (left() <= againMs || stopping.aborted)
          throw new Unknown(`${name} has not answered: ${reasonOf(error)}`, { cause: error })
      }
      await sleep(timers, againMs, stopping)
    }
  }
  const work = async (): Promise<void> => {
    isBusy = true
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      try {
        await send(first)
        waiting.shift()
        first.resolve()
      } catch (error) {
        for (const { reject } of waiting.splice(0)) reject(error)
      }
    }
    isBusy = false
  }
  return (expected: number, bytes: Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.push({ expected, bytes, resolve, reject })
      if (!isBusy) void work()
    })
}
