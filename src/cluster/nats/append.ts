// Appends records to a stream. Each append names the sequence of the record behind which it belongs.
//
// One record is under way at a time. If two were under way, and a record of another node took the place of the first,
// the servers would refuse the first and store the second behind that record, since they compare sequences alone. See
// docs/decisions/96-one-append-at-a-time.md.
import { encodedHeaders } from '../../bus/nats/client.ts'
import { reasonOf } from '../../bus/nats.ts'
import type { Timers } from '../../contract/ports.ts'
import { sleep } from '../../platform/sleep.ts'
import { Fenced, Unknown } from '../shared-log.ts'
import type { Link } from './link.ts'
import { isTimeout, isUnsent } from './no-answer.ts'

type Deps = {
  link: Link
  name: string
  subject: string
  /** Milliseconds that an append may take. */
  appendMs: number
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
/** Milliseconds until a record that surely reached no server is sent again. */
const againMs = 50

export const createAppender = ({ link, name, subject, appendMs, timers, stopping }: Deps) => {
  const waiting: Waiting[] = []
  let isBusy = false

  const judge = ({ stream, seq, error }: Answer, expected: number): void => {
    if (error !== undefined) {
      const reason = error.description ?? 'unknown reason'
      if (wrongSequence.has(error.err_code ?? 0))
        throw new Fenced(`${name} does not end at ${expected}: ${reason}`)
      throw new Unknown(`${name} does not take a record: ${reason}`)
    }
    if (stream !== name || seq !== expected + 1)
      throw new Error(
        `${subject} belongs to the stream ${stream}, which stored at ${seq}: delete that stream`,
      )
  }
  const send = async ({ expected, bytes }: Waiting): Promise<void> => {
    const headers = encodedHeaders({ 'Nats-Expected-Last-Sequence': `${expected}` })
    const end = performance.now() + appendMs
    const left = () => Math.max(1, end - performance.now())
    for (;;) {
      const connection = await link.connected(left())
      const answer = await connection.request(subject, bytes, { headers, timeout: left() }).catch(error => {
        if (isUnsent(error) && left() > againMs && !stopping.aborted) return undefined
        if (isTimeout(error)) link.leave(connection)
        throw new Unknown(`${name} has not answered: ${reasonOf(error)}`, { cause: error })
      })
      if (answer !== undefined) return judge(answer.json<Answer>(), expected)
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
