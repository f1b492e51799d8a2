// Makes public events from stored events, and their JSON texts. Each text is made once, so that SSE, WebSocket and NATS
// send the same bytes.
import type { Gap, PublicEvent } from '../contract/events/public-events.ts'
import type { Recorded } from '../contract/stored.ts'
import { isTaskStream, taskIdOf } from '../contract/task-stream.ts'
import { publicEventOf } from '../history/public-events.ts'
import { createMemo } from '../platform/memo.ts'

/**
 * A public event, its owner, the session of its stream, and the position of the stored event that it was made from.
 * `seq`: the number of the first frame of this stored event, if it is of a task.
 */
export type Published<Event extends PublicEvent | Gap = PublicEvent | Gap> = {
  position: number
  owner: string
  sessionId?: string
  seq?: number | undefined
  event: Event
}

const ofBatches = createMemo<readonly Recorded[], Published<PublicEvent>[]>('public events')
/** The public events of these stored events, made once for all callers that pass the same list. */
export const publishedOf = (recorded: readonly Recorded[]): readonly Published<PublicEvent>[] => {
  const known = ofBatches.get(recorded)
  if (known !== undefined) return known
  const events: Published<PublicEvent>[] = []
  for (const one of recorded) {
    const event = publicEventOf(one)
    if (event === undefined) continue
    const { owner, session_id: sessionId, seq } = one.header
    events.push({ position: one.position, owner, sessionId, seq, event })
  }
  ofBatches.set(recorded, events)
  return events
}

/** The gaps in place of erased events. Erased events that follow each other in one stream are one gap. */
const gapsOf = (recorded: readonly Recorded[]): Published<Gap>[] => {
  const gaps: Published<Gap>[] = []
  let open: { stream: string; gap: Published<Gap> } | undefined
  for (const { position, header, erased_by } of recorded) {
    const { stream, owner, session_id: sessionId, time: timestamp } = header
    if (erased_by === undefined) {
      open = undefined
      continue
    }
    if (open?.stream !== stream || open.gap.position !== position - 1) {
      const about = isTaskStream(stream) ? { task_id: taskIdOf(stream) } : {}
      const event: Gap = { type: 'Gap', timestamp, from: position, to: position, reason: 'erased', ...about }
      open = { stream, gap: { position, owner, sessionId, event } }
      gaps.push(open.gap)
    }
    Object.assign(open.gap, { position })
    Object.assign(open.gap.event, { to: position, timestamp })
  }
  return gaps
}
/** The public events of a page of past events, and gaps in place of erased ones. */
export const pastOf = (recorded: readonly Recorded[]): readonly Published[] => {
  const gaps = gapsOf(recorded)
  if (gaps.length === 0) return publishedOf(recorded)
  return [...publishedOf(recorded), ...gaps].sort((a, b) => a.position - b.position)
}

/** JSON allows these characters in texts, but some readers take them for the end of a line. They are escaped. */
const lineEnds = /[\u0085\u2028\u2029]/g
export const jsonLine = (json: string): string =>
  json.replace(lineEnds, end => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`)

const bodies = createMemo<Published, string>('body')
/** The event as one line of JSON. */
export const bodyOf = (published: Published): string => {
  const known = bodies.get(published) ?? jsonLine(JSON.stringify(published.event))
  bodies.set(published, known)
  return known
}

export const positionOf = ({ position }: Published): number => position
