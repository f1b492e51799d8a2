// A recording: a log as one build of the server wrote it, and what that build answered about it. Every later build must
// read it to the same bytes, unless no version was released since: docs/decisions/39.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Row } from '../../src/log/store.ts'

/** A row of the log; the payload of a recorded event is always there. */
export type StoredRow = Row & { payload: string }

/** A text as it is kept: whole, or, when it is long, its digest and how it begins. */
export type Kept = { text: string } | { sha256: string; chars: number; begins?: string }

/** What one principal asks the server over HTTP. */
export type Question = {
  path: string
  method?: 'POST'
  /** The name of a token in `tokens`; absent: the admin. */
  as?: string
  accept?: string
  /** An endless event stream is read until it has given this many events. */
  events?: number
  /** One question for each of these, put behind the path; the texts of the answers are kept as short digests. */
  each?: string[]
  /** Another answer holds the same in other words: the digest is enough. */
  brief?: true
}
export type Answer = { ask: Question; status: number; type: string } & (Kept | { digests: string[] })

/** What the folds of the product make of one stream, without a server; `kind` says which fold. */
export type Fold = { stream: string; kind: string } & Kept

export type Recording = {
  name: string
  rows: StoredRow[]
  answers: Answer[]
  folds: Fold[]
  /** Tokens of the recorded log by a name; the log itself holds their hashes only. */
  tokens: Record<string, string>
}

const longest = 4000
const shown = 200

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url')
/** Long enough to tell texts apart. */
export const shortDigest = (text: string): string => digestOf(text).slice(0, 12)

export const kept = (text: string, brief = false): Kept => {
  if (text.length <= (brief ? shown : longest)) return { text }
  const known = { sha256: digestOf(text), chars: text.length }
  return brief ? known : { ...known, begins: text.slice(0, shown) }
}

const folder = path.join(import.meta.dirname, 'logs')
const linesOf = (values: readonly unknown[]): string =>
  values.map(value => `${JSON.stringify(value)}\n`).join('')
const readLines = (file: string): unknown[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))

/** A row in the log's file: the line's number is the position, and the header tells the rest. */
type Line = [header: string, payload: string, salt: string, leaf: string]
const lineOf = ({ header, payload, salt, leaf }: StoredRow): Line => [header, payload, salt ?? '', leaf]
const rowOf = ([header, payload, salt, leaf]: Line, position: number): StoredRow => {
  const { stream, revision } = JSON.parse(header) as { stream: string; revision: number }
  return { position, stream, revision, header, payload, salt, leaf }
}

export const recordingNames = (): string[] => readdirSync(folder).sort()
export const isRecorded = (name: string): boolean => existsSync(path.join(folder, name))

export const readRecording = (name: string): Recording => {
  const file = (part: string) => path.join(folder, name, part)
  return {
    name,
    rows: readLines(file('log.ndjson')).map((line, n) => rowOf(line as Line, n + 1)),
    answers: readLines(file('answers.ndjson')) as Answer[],
    folds: readLines(file('folds.ndjson')) as Fold[],
    tokens: JSON.parse(readFileSync(file('tokens.json'), 'utf8')),
  }
}

/** Writes a recording whose name is not taken. */
export const writeRecording = ({ name, rows, answers, folds, tokens }: Recording): string => {
  const target = path.join(folder, name)
  if (existsSync(target)) throw new Error(`${target} exists: docs/changing.md says when it may be removed`)
  mkdirSync(target, { recursive: true })
  const write = (part: string, text: string) => writeFileSync(path.join(target, part), text)
  write('log.ndjson', linesOf(rows.map(lineOf)))
  write('answers.ndjson', linesOf(answers))
  write('folds.ndjson', linesOf(folds))
  write('tokens.json', `${JSON.stringify(tokens, null, 2)}\n`)
  return target
}
