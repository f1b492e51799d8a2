// Claims the log: reads to its end, and appends a claim behind it. Only an append proves where the end is, since what
// was read may be outdated. After the claim, records that a former owner still sends are refused.

import type { Timers } from '../../contract/ports.ts'
import { StorageFailure } from '../../contract/stored.ts'
import { recordsVersion } from '../beginning.ts'
import { type Content, packContent } from '../records/content.ts'
import { sealRecord } from '../records/form.ts'
import { Fenced, type SharedLog, UnfitRecord } from '../shared-log.ts'
import { LacksErasure, LacksEvents } from './errors.ts'
import type { Intake } from './intake.ts'
import { createLongest, type OtherLog } from './longest.ts'

/** How many records are read at once. */
const recordsAtOnce = 256
/** The largest number of tries to claim, and milliseconds between two tries when no new record was found. */
const mostTries = 20
const againMs = 50

export type Node = { name: string; url: string }
type Deps = {
  shared: SharedLog
  key: Buffer
  /** The id of the log. */
  logId: string
  intake: Intake
  node: Node
  /** The logs of the other nodes. */
  others: () => readonly OtherLog[]
  timers: Timers
}

export const createClaiming = ({ shared, key, logId, intake, node, others, timers }: Deps) => {
  const longest = createLongest({ intake, others, timers })
  /** The digests of the claims of this process. */
  const mine = new Set<string>()
  const later = (): Promise<void> => new Promise(resolve => void timers.after(againMs, resolve))

  const readOn = async (): Promise<void> => {
    for (;;) {
      const records = await shared.read(intake.at().sequence, recordsAtOnce)
      if (records.length === 0) return
      try {
        await intake.take(records)
      } catch (error) {
        const mayBeBetter = error instanceof UnfitRecord && !error.isMisplaced
        const unfit = mayBeBetter && records.find(each => each.sequence === error.sequence)
        if (!unfit || !(await shared.distrust(unfit))) throw error
      }
    }
  }
  /**
   * Reads the log to its end, as far as the end is visible. When the log is not the one that was read before, it is
   * read anew.
   */
  const readToEnd = async (): Promise<void> => {
    try {
      await readOn()
    } catch (error) {
      if (!(error instanceof UnfitRecord && error.isMisplaced)) throw error
      await intake.rewind()
      await readOn()
    }
  }
  const isMine = (): boolean => mine.has(intake.claim()?.mark.digest.toString('hex') ?? '')

  /** Begins the log again when its stream is empty: somebody has made it again, and this node fills it. */
  const begin = async (): Promise<void> => {
    const { sequence, digest: before } = intake.at()
    if (sequence > 0) return
    const facts = { log_id: logId, version: recordsVersion, position: intake.head() }
    const { bytes } = sealRecord(key, before, packContent({ kind: 'begin', facts, parts: [] }))
    await shared.append(0, bytes)
    await intake.take([{ sequence: 1, bytes }])
  }
  /** Appends a claim behind the last record that was read. */
  const append = async (): Promise<void> => {
    await begin()
    const { sequence, digest: before } = intake.at()
    const facts = { node: node.name, url: node.url, position: intake.head() }
    const content: Content = { kind: 'claim', facts, parts: [] }
    const { bytes, digest } = sealRecord(key, before, packContent(content))
    mine.add(digest.toString('hex'))
    await shared.append(sequence, bytes)
    // The servers compare only sequences. If they have lost records, the claim may stand behind records that were not
    // read.
    if (!(await intake.isSame())) {
      await intake.rewind()
      throw new Fenced('the servers have lost records')
    }
    await intake.take([{ sequence: sequence + 1, bytes }])
  }
  /**
   * After a refusal: reads the record that stands in the place of the claim. When nothing new is visible, the servers
   * may have lost records.
   */
  const look = async (): Promise<void> => {
    const { sequence } = intake.at()
    await readToEnd()
    if (intake.at().sequence > sequence) return
    await later()
    if (!(await intake.isSame())) await intake.rewind()
  }

  return {
    readToEnd,
    isMine,
    /**
     * Resolves to the sequence of the claim. Rejects with LacksKeys, LacksErasure, LacksEvents, IsShorter, Fenced or
     * StorageFailure. `waits`: whether this node waits for other nodes, which may have more events than it has. Then it
     * rejects with IsUnanswered, too.
     */
    async claim(waits: boolean): Promise<number> {
      await shared.leadByLongest(intake.at().sequence)
      await readToEnd()
      const before = intake.claim()?.mark.sequence ?? 0
      for (let tries = 1; tries <= mostTries; tries++) {
        const bare = intake.bareRows()
        if (bare > 0) throw new LacksErasure(bare)
        if (intake.head() < intake.least()) throw new LacksEvents(intake.head(), intake.least())
        longest.must(waits)
        try {
          await append()
          longest.end()
          return intake.at().sequence
        } catch (error) {
          if (!(error instanceof Fenced)) throw error
        }
        await look()
        const found = intake.claim()
        if (found !== undefined && found.mark.sequence > before && !isMine())
          throw new Fenced(`${found.node} has claimed the log before this node`)
      }
      throw new StorageFailure('the log cannot be claimed: its servers refuse each record')
    },
  }
}
export type Claiming = ReturnType<typeof createClaiming>
