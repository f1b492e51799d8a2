// Looks each second for what could keep a standby from taking over, and notes it as conditions: whether the NATS servers
// answer, whether the lease can be had, whether this node gets on with the shared log, and whether the owner has a
// standby that could follow it.
import type { Conditions } from '../cluster/conditions.ts'
import type { Standby as Asking } from '../cluster/door/node-routes.ts'
import type { Lease } from '../cluster/lease.ts'
import { leaseStream, shardStream } from '../cluster/nats/streams.ts'
import type { Neighbours } from '../cluster/neighbours.ts'
import { watchEnd } from '../cluster/watch-end.ts'
import type { World } from '../contract/ports.ts'
import type { Self } from './self.ts'
import type { NodeStorage } from './storage.ts'

/** Milliseconds between two looks. */
const lookMs = 1000
/** A standby that has read nothing for this many milliseconds, while there was more to read, does not get on. */
const stuckMs = 5000
/** A standby that lacks more records than this is behind. */
const manyRecords = 1000

type Deps = {
  name: string
  storage: Pick<NodeStorage, 'shared' | 'replica'>
  lease: Pick<Lease, 'trouble' | 'holder'>
  self: Pick<Self, 'role' | 'hasNamesake'>
  /** The nodes that ask this one for keys at the moment. */
  present: () => Asking[]
  neighbours: Pick<Neighbours, 'namesake'>
  conditions: Pick<Conditions, 'begin' | 'end' | 'all'>
  world: Pick<World, 'clock' | 'timers'>
}
type Code = Parameters<Conditions['begin']>[0]

const streams = { log: shardStream(0).name, lease: leaseStream(0).name }
const awayFrom = (stream: string): string =>
  `the NATS servers do not answer for the stream ${stream}: start those that are away (a majority must run), and look whether they reach each other`

/** Notes whether this node reads on while the shared log has more. */
const createProgress = (clock: World['clock']) => {
  let [sequence, since] = [0, clock.now()]
  return {
    /** Whether nothing was read for a while, although the log ends later. */
    isStuck(at: number, end: number): boolean {
      if (at !== sequence || at >= end) {
        sequence = at
        since = clock.now()
      }
      return clock.now() - since >= stuckMs
    },
  }
}

/** Returns a function that ends it. */
export const startWatch = (deps: Deps): (() => void) => {
  const { name, storage, lease, self, present, neighbours, conditions } = deps
  const { clock, timers } = deps.world
  const progress = createProgress(clock)
  const at = (): number => storage.replica.caughtUp().sequence
  /** The end of the shared log; undefined: the servers did not answer the newest question. */
  let end: number | undefined = 0

  const note = (code: Code, text: string | false | undefined): void => {
    if (text) conditions.begin(code, text)
    else conditions.end(code)
  }
  const lookAtServers = (): void => {
    const trouble = lease.trouble()
    const isAway = end === undefined || trouble === 'away'
    note('engine-away', isAway && awayFrom(end === undefined ? streams.log : streams.lease))
    note(
      'lease-lost',
      trouble === 'missing' &&
        `the NATS servers have no stream ${streams.lease}, so no node can take or keep the lease: create it with reprise cluster init`,
    )
  }
  const lookAtProgress = (): void => {
    const isReading = self.role() === 'standby' && end !== undefined
    const isCatchingUp = conditions.all().some(({ code }) => code === 'catching-up')
    const isStuck = progress.isStuck(at(), end ?? 0)
    note(
      'not-following',
      isReading &&
        !isCatchingUp &&
        isStuck &&
        `this standby has read ${at()} of ${end} records of the shared log, and does not get on: look for the reason in the lines before; if there is none, start this node again`,
    )
  }
  const lookAtStandbys = (): void => {
    const isOwner = self.role() === 'owner'
    const standbys = present()
    note(
      'no-standby',
      isOwner &&
        standbys.length === 0 &&
        'no other node could take over from this one: start a second node, or look why it is away',
    )
    const behind = standbys.filter(({ sequence }) => at() - sequence > manyRecords)
    const whose = behind.map(({ node, sequence }) => `${node} lacks ${at() - sequence} records`).join(', ')
    note(
      'standby-behind',
      isOwner &&
        behind.length > 0 &&
        `the standby is behind (${whose}): look whether its machine is slow or busy`,
    )
  }
  const look = (): void => {
    lookAtServers()
    lookAtProgress()
    lookAtStandbys()
    if (self.hasNamesake()) neighbours.namesake(name)
  }
  const stopAsking = watchEnd({
    log: storage.shared,
    timers,
    told(now) {
      end = now
    },
  })
  const cancel = timers.every(lookMs, look)
  return () => {
    stopAsking()
    cancel()
  }
}
