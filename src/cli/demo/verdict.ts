// Compares what the demo promises with what it has observed.
import type { Frame } from '../../history/frames.ts'

export type Seen = {
  /** All frames in the order of arrival, over both connections. */
  frames: Frame[]
  /** The frames of the stream, read a second time from its beginning. */
  again: Frame[]
  /** The last frame that arrived before the killed server's connection broke; undefined: no server was killed. */
  killedAfter: number | undefined
  /** How often the tool ran: each run writes a line into the tool's file. */
  runs: number
  events: number
  /** The problems that the checks of the log and of the read models have found. */
  problems: string[]
}

export type Finding = { promise: string; kept: boolean; found: string }

const listed = (numbers: number[]): string =>
  `${numbers.slice(0, 10).join(', ')}${numbers.length > 10 ? ' …' : ''}`

const gapFinding = (numbers: number[]): Finding => {
  const seen = new Set(numbers)
  const gaps = Array.from({ length: Math.max(-1, ...numbers) + 1 }, (_, n) => n).filter(n => !seen.has(n))
  const found = gaps.length === 0 ? `${seen.size} frames, 0 to ${seen.size - 1}` : `missing: ${listed(gaps)}`
  return { promise: 'no gap', kept: gaps.length === 0 && seen.size > 0, found }
}

const repeatFinding = (numbers: number[]): Finding => {
  const repeats = numbers.filter((number, at) => at > 0 && number <= (numbers[at - 1] ?? -1))
  const kept = repeats.length === 0
  return {
    promise: 'no repeat',
    kept,
    found: kept ? 'each frame once, in order' : `again: ${listed(repeats)}`,
  }
}

export const verdictOf = ({ frames, again, killedAfter, runs, events, problems }: Seen): Finding[] => {
  const numbers = frames.map(frame => frame.sequence_number)
  const last = frames.at(-1)
  const differing = frames.findIndex((frame, at) => JSON.stringify(frame) !== JSON.stringify(again[at]))
  const same = differing < 0 && frames.length === again.length
  return [
    gapFinding(numbers),
    repeatFinding(numbers),
    {
      promise: 'reached its end',
      kept: killedAfter !== undefined && last?.type === 'task.completed',
      found:
        killedAfter === undefined
          ? 'the server was never killed'
          : `killed after frame ${killedAfter}, ${last?.type} is frame ${last?.sequence_number}`,
    },
    {
      promise: 'same stream',
      kept: same,
      found: same
        ? 'read again from the start, byte for byte'
        : `frame ${differing < 0 ? frames.length : differing} differs when it is read again`,
    },
    {
      promise: 'tool ran once',
      kept: runs === 1,
      found: `the tool's file has ${runs} line${runs === 1 ? '' : 's'}`,
    },
    {
      promise: 'replay equal',
      kept: problems.length === 0,
      found: problems[0] ?? `${events} events read again: every hash, frame and row is equal`,
    },
  ]
}
