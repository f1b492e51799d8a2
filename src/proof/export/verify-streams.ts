// Verifies an export of single streams. Each file holds one stream from its first event on, and each event has a proof
// that the signed tree contains this event.

import { isTaskStream } from '../../contract/task-stream.ts'
import { isErased } from '../../log/fits.ts'
import { leafOf } from '../../log/leaf.ts'
import { Misfit } from '../misfit.ts'
import type { Checkpoint } from '../note/checkpoint.ts'
import { fromBase64 } from '../tree/hash.ts'
import { verifyInclusion } from '../tree/verify.ts'
import type { Erasures } from '../verify/erasures.ts'
import { mustFit } from '../verify/event-check.ts'
import { type ExportedEvent, type KnownHeader, readEvent, readHeader } from './format.ts'

// Checks that a task's events are its whole life: only the first creates the task, and few types may follow its end.
// A verifier in an export has no statechart, so the names of these events are written here. A test compares them with
// the chart.

const creation = 'TaskCreated'
export const ends: readonly string[] = ['TaskCompleted', 'TaskFailed', 'TaskCanceled', 'TaskExpired']
/** The types of events that may follow the end of a task. */
const afterEnd: readonly string[] = ['TaskDeleted', 'RewardGiven']

type Life = {
  /** Takes the type of the next event. Returns why this type cannot come next; undefined: it can. */
  add(type: string): string | undefined
  /** The type of the event with which the task ended. */
  end(): string | undefined
}

/** Makes the check for the events of one stream. Only the stream of a task has rules. */
export const createLife = (stream: string): Life => {
  const isTask = isTaskStream(stream)
  let count = 0
  let end: string | undefined
  return {
    add(type) {
      if (!isTask) return undefined
      if ((count++ === 0) !== (type === creation))
        return `is ${type}, and only the first event is ${creation}`
      if (end !== undefined && !afterEnd.includes(type))
        return `is ${type}, and the task had ended with ${end}`
      if (ends.includes(type)) end = type
      return undefined
    },
    end: () => end,
  }
}

/**
 * `owner`, `session`: of the first event. `erased_by`: the positions of the events that erased events of this stream.
 * `last`: the type of the last event. `end`: the type of the event with which the task of this stream ended.
 */
export type VerifiedStream = {
  stream: string
  owner: string
  session: string
  events: number
  erased: number
  erased_by: number[]
  last: string
  end: string | undefined
}

/** Throws Misfit when the signed tree does not contain the event. */
export const mustBeIncluded = (
  event: ExportedEvent,
  leaf: string,
  tree: Checkpoint,
  stream: string,
): void => {
  try {
    const hashes = (event.hashes ?? []).map(fromBase64)
    verifyInclusion(leaf, event.position - 1, tree, hashes)
  } catch (error) {
    const why = (error as Error).message
    throw new Misfit(`the event is not proven by the checkpoint: ${why}`, event.position, stream)
  }
}

/** Checks the lines of one file. `add` and `end` throw Misfit; `add` throws NotProven for a line that is no event. */
export const createStreamCheck = (file: string, tree: Checkpoint, erasures: Erasures) => {
  let first: KnownHeader | undefined
  let life = createLife('')
  const by = new Set<number>()
  let [events, erased, at, last] = [0, 0, 0, '']
  return {
    add(line: string): void {
      const where = `line ${events + 1} of ${file}`
      const event = readEvent(line, where)
      const { position, header, payload, salt } = event
      const known = readHeader(header, where)
      if (first === undefined) life = createLife(known.stream)
      first ??= known
      const { stream } = first
      const { revision, type } = known
      const leaf = leafOf(header)
      const fail = (reason: string) => new Misfit(`the event ${reason}`, position, stream)
      if (known.stream !== stream) throw fail(`is of ${known.stream}, and the file is of ${stream}`)
      mustFit({ position, stream, revision, header, payload, salt, leaf })
      if (revision !== events) throw fail(`is revision ${revision}, and revision ${events} must come first`)
      if (position <= at) throw fail('has no higher position than the event before it')
      mustBeIncluded(event, leaf, tree, stream)
      const odd = life.add(type)
      if (odd !== undefined) throw fail(odd)
      if (isErased(event)) {
        by.add(erasures.mustCover(stream, position))
        erased++
      }
      ;[events, at, last] = [events + 1, position, type]
    },
    end(): VerifiedStream {
      if (first === undefined) throw new Misfit(`${file} holds no event`)
      const { stream, owner, session } = first
      return { stream, owner, session, events, erased, erased_by: [...by], last, end: life.end() }
    },
  }
}
