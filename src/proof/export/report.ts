// Writes the lines that tell a person what was verified.

import type { Misfit } from '../misfit.ts'
import type { VerifierKey } from '../note/keys.ts'
import { subjectText } from './readme.ts'
import type { VerifiedExport } from './verify-export.ts'
import type { VerifiedStream } from './verify-streams.ts'

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

/** The first thing that does not fit, as a line. */
export const misfitText = ({
  position,
  stream,
  message,
}: Pick<Misfit, 'position' | 'stream' | 'message'>): string => {
  const place = [
    ...(position === undefined ? [] : [`position ${position}`]),
    ...(stream === undefined ? [] : [stream]),
  ]
  return place.length === 0 ? message : `${place.join(', ')}: ${message}`
}

/** The line about erased payloads; no line when nothing was erased. */
export const erasedLines = (erased: number): string[] =>
  erased === 0
    ? []
    : [
        `${plural(erased, 'payload was', 'payloads were')} erased: their headers and leaves fit, their content is gone`,
      ]

const erasedText = ({ events, erased, erased_by }: VerifiedStream): string =>
  erased === 0
    ? ''
    : `, ${erased === events ? 'all' : erased} of them erased by the ${erased_by.length === 1 ? 'event at position' : 'events at positions'} ${erased_by.join(' and ')}`

const streamText = (verified: VerifiedStream): string => {
  const { stream, events, last, end } = verified
  const known = end === undefined ? `the last one is ${last}` : `it ended with ${end}`
  return `${stream}: ${plural(events, 'event')} from revision 0 without a hole, ${known}${erasedText(verified)}`
}

/** This many streams are listed one by one. Further streams are only counted. */
const mostListed = 20

export const exportLines = ({ log_id, subject, size, events, erased, streams }: VerifiedExport): string[] => {
  const more = streams.length - mostListed
  return [
    `${subjectText(subject)}, from the log ${log_id}`,
    ...streams.slice(0, mostListed).map(streamText),
    ...(more > 0 ? [`and ${plural(more, 'more stream')}`] : []),
    subject.kind === 'all'
      ? `${plural(events, 'event')}: all positions from 1 to ${size}, in the tree of the checkpoint`
      : `${plural(events, 'event')}: each is in the tree of the checkpoint of ${size} events`,
    ...erasedLines(erased),
  ]
}

/** Says why an export is not accepted although its events fit. */
export const uncheckedKeyText = (signers: readonly VerifierKey[]): string =>
  `signed by a key you have not checked: ${signers.map(({ text }) => text).join(', ')}; get the key of the log from a person whom you trust, and give it with --key`
