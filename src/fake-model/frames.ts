// What is sent, piece by piece: bytes, pauses, and the end.
import type { Event } from './protocols/protocol.ts'

/** How an answer ends: orderly, with a broken connection, or not at all. */
export type End = 'close' | 'break' | 'open'
/** Bytes; a pause in milliseconds; or the end, after which nothing is sent. Without an end, the answer is closed. */
export type Frame = string | Buffer | { pause: number } | { end: End }
/** What a stream is made of, before its events are written. */
export type Step = Event | Frame

export const isEvent = (step: Step): step is Event => typeof step === 'object' && 'is' in step

/** An event as an event stream has it. */
export const textOfEvent = ({ name, data }: Event): string => {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`
}

/** The frames of a stream. After each event there is a pause of `pause` milliseconds, if it is not 0. */
export function* framesOf(steps: Iterable<Step>, pause: number): Generator<Frame> {
  for (const step of steps) {
    yield isEvent(step) ? textOfEvent(step) : step
    if (pause > 0 && isEvent(step) && step.is !== 'done') yield { pause }
  }
}
