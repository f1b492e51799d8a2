// Lets a server with a whole copy lead a stream. Servers drop what they have behind the end of their leader, so a leader
// that has lost records would make the others lose them, too.
import type { NatsConnection } from '@nats-io/transport-node'
import type { Timers } from '../../contract/ports.ts'
import { sleep } from '../../platform/sleep.ts'
import { type Ask, answerMs } from './ask.ts'
import type { Copies } from './copies.ts'
import { recordsAfter } from './pull.ts'

/** So many consumers are made to look at all copies. JetStream chooses the server of each. */
const looks = 10
/** How many times another server is made the leader, and milliseconds that it has to become it. */
const mostStepDowns = 2
const leadingMs = 1500

type Deps = { name: string; ask: Ask; copies: Copies; timers: Timers; closing: AbortSignal }
type Leader = { leader: string; end: number }

/** Asks the leader of a stream to let another server lead; JetStream chooses which. */
const stepDown = async (connection: NatsConnection, name: string): Promise<void> => {
  await connection.request(`$JS.API.STREAM.LEADER.STEPDOWN.${name}`, '', { timeout: answerMs })
}

export const createLeading = ({ name, ask, copies, timers, closing }: Deps) => {
  /** The leader, and the servers whose copies have records behind its end. Undefined: there is a single server. */
  const look = (after: number): Promise<(Leader & { longer: string[] }) | undefined> =>
    ask(async (manager, connection) => {
      const found = await recordsAfter({ manager, connection, name, timers }, after, looks)
      const { cluster, state } = await manager.streams.info(name)
      if (!cluster?.leader) return undefined
      const end = state.last_seq
      const longer = [...found].filter(([, more]) => after + more > Math.max(after, end))
      return { leader: cluster.leader, end, longer: longer.map(([server]) => server) }
    })
  /**
   * Whether a copy goes on where that of the leader ends. A copy may also be longer because its server was away when the
   * log went on without it: then it has other records.
   */
  const goesOn = async (server: string, { leader, end }: Leader): Promise<boolean> => {
    if (end === 0) return true
    const [ours, theirs] = await Promise.all(
      [leader, server].map(one => copies.recordAt(end, each => each === one)),
    )
    return ours !== undefined && theirs !== undefined && Buffer.from(ours.bytes).equals(theirs.bytes)
  }
  const isLeaderShort = async (after: number): Promise<boolean> => {
    const seen = await look(after)
    if (seen === undefined) return false
    for (const server of seen.longer) if (await goesOn(server, seen)) return true
    return false
  }
  /** `after`: the last record that the caller knows. Resolves also when nothing can be found out. */
  return async (after: number): Promise<void> => {
    for (let n = 0; n < mostStepDowns && (await isLeaderShort(after).catch(() => false)); n++) {
      await ask((_, connection) => stepDown(connection, name)).catch(() => {})
      await sleep(timers, leadingMs, closing)
    }
  }
}
