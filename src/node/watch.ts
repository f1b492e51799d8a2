// Looks each second for what could keep a standby from taking over, and notes it as conditions: whether the NATS servers
// answer, whether the lease can be had, whether this node gets on with the shared log, and whether the owner has a
// standby that could follow it.
import type { Conditions } from '../cluster/conditions.ts'
import type { Standby as Asking } from '../cluster/gateway/node-routes.ts'
import type { Lease } from '../cluster/lease.ts'
import { wordsOfServers } from '../cluster/nats/look-at-servers.ts'
import { leaseStream, shardStream } from '../cluster/nats/streams.ts'
import type { StreamsSeen } from '../cluster/nats/watch-streams.ts'
import type { Neighbours } from '../cluster/neighbours.ts'
import { makeAgain } from '../cluster/replica/log-conditions.ts'
import type { World } from '../contract/ports.ts'
import type { Self } from './self.ts'
import type { NodeStorage } from './storage.ts'

/** Milliseconds between two looks. */
const lookMs = 1000
/** A standby that has read nothing for this many milliseconds, while there was more to read, does not get on. */
const stuckMs = 5000
/** A disk with fewer bytes left than this is full: files that grow together need more. */
const fewBytes = 2 * 1024 * 1024
/** A standby that lacks more records than this is behind. */
const manyRecords = 1000

type Deps = {
  name: string
  storage: Pick<NodeStorage, 'replica'>
  lease: Pick<Lease, 'isUnanswered'>
  /** What the NATS servers have said a moment ago. */
  seen: () => StreamsSeen
  self: Pick<Self, 'role' | 'hasNamesake'>
  /** The nodes that ask this one for keys at the moment. */
  present: () => Asking[]
  neighbours: Pick<Neighbours, 'namesake'>
  /** How many bytes the disk of the data folder has left. */
  freeBytes: () => number
  conditions: Pick<Conditions, 'begin' | 'end' | 'all'>
  world: Pick<World, 'clock' | 'timers'>
}
type Code = Parameters<Conditions['begin']>[0]

const [log, beats] = [shardStream(0).name, leaseStream(0).name]
const majority = 'start those that are away, and look whether they reach each other'
const textsOfLease = {
  missing: `the NATS servers have no stream ${beats}, so no node can take or keep the lease: create it with reprise cluster init`,
  away: `most of the NATS servers that keep the stream ${beats} are away or have chosen no leader, so no node can take or keep the lease: ${majority}`,
  unanswered: `the NATS servers do not store beats in the stream ${beats}, so this node can neither take nor keep the lease: look into the logs of these servers`,
}

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
  const { name, storage, lease, seen, self, present, neighbours, freeBytes, conditions } = deps
  const { clock, timers } = deps.world
  const progress = createProgress(clock)
  let hasNotedLoss = false
  const at = (): number => storage.replica.caughtUp().sequence

  const note = (code: Code, text: string | false | undefined): void => {
    if (text) conditions.begin(code, text)
    else conditions.end(code)
  }
  const lookAtServers = (): void => {
    const now = seen()
    const ofLease = now.lease === 'here' ? lease.isUnanswered() && 'unanswered' : now.lease
    note('lease-lost', ofLease && textsOfLease[ofLease])
    note(
      'servers-away',
      now.log === 'away' &&
        `most of the NATS servers that keep the stream ${log} are away or have chosen no leader, so nothing can be written: ${majority}`,
    )
  }
  /** An owner says what is wrong with single servers and with the stream. A standby finds it out when it follows. */
  const lookAsOwner = (): void => {
    const { log: seenLog, streams } = seen()
    const isOwner = self.role() === 'owner'
    const isGone = isOwner && seenLog === 'missing'
    if (isGone) conditions.begin('log-lost', `the NATS servers have no stream ${log} any more. ${makeAgain}`)
    else if (hasNotedLoss) conditions.end('log-lost')
    hasNotedLoss = isGone
    const words = isOwner ? wordsOfServers({ servers: [], streams }) : []
    note('server-behind', words.join('; '))
  }
  const lookAtProgress = (): void => {
    const { log, end = 0 } = seen()
    const isReading = self.role() === 'standby' && log === 'here'
    // A node that reads the log up to its end may stop on its way, too.
    const isExplained = conditions
      .all()
      .some(({ code, effect }) => effect === 'barred' && code !== 'catching-up')
    const isStuck = progress.isStuck(at(), end)
    note(
      'not-following',
      isReading &&
        !isExplained &&
        isStuck &&
        `this standby has read ${at()} of ${end} records of the shared log, and does not get on: start this node again`,
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
  const lookAtDisk = (): void => {
    const left = freeBytes()
    note(
      'disk-full',
      left < fewBytes &&
        `the disk of this node has ${Math.floor(left / 1024)} KiB left: make room on it. Until then this node gives the log to a standby that is ready, and does not take over`,
    )
  }
  const look = (): void => {
    lookAtServers()
    lookAtDisk()
    lookAsOwner()
    lookAtProgress()
    lookAtStandbys()
    if (self.hasNamesake()) neighbours.namesake(name)
  }
  return timers.every(lookMs, look)
}
