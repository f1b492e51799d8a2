// Defines the format of an export. Files with events have numbers as names, since users may choose the ids of tasks.
import { NotProven } from '../not-proven.ts'

export const exportFormat = 'reprise-export-1'
export const fileNames = {
  manifest: 'export.json',
  checkpoint: 'checkpoint',
  key: 'key',
  keyEvents: 'keys.ndjson',
  erasures: 'erasures.ndjson',
  readme: 'README.md',
  verifier: 'verify.mjs',
  events: 'events',
} as const

/** The name of the file with events that has this number, from 1. */
export const eventFile = (number: number): string => `${fileNames.events}/${number}.ndjson`

export const exportKinds = ['task', 'session', 'user', 'all'] as const
/** Says what is exported. `id` is empty for the whole log. */
export type Subject = { kind: (typeof exportKinds)[number]; id: string }

/**
 * `size`: how many events the checkpoint covers. `files`: how many files with events there are. Each of these files
 * holds the events of one stream or, in an export of the whole log, events that follow those of the previous file.
 */
export type Manifest = {
  format: string
  log_id: string
  subject: Subject
  size: number
  files: number
  /** Present when events of the export were erased. A file of the export then has the events that say so. */
  erasures?: true
}

/** A line of a file with events. `hashes`: its proof of inclusion as base64; an export of the whole log has none. */
export type ExportedEvent = {
  position: number
  header: string
  payload: string | null
  salt: string | null
  hashes?: string[]
}

/** The header of an event, as far as a verifier needs it. */
export type KnownHeader = { stream: string; revision: number; type: string; owner: string; session: string }

const objectIn = (text: string, what: string): Record<string, unknown> => {
  let read: unknown
  try {
    read = JSON.parse(text)
  } catch {}
  if (typeof read === 'object' && read !== null && !Array.isArray(read)) return { ...read }
  throw new NotProven(`${what} is no JSON object`)
}
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0
const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === 'string'
const areTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every(each => typeof each === 'string')

/** Throws NotProven. */
export const readManifest = (text: string): Manifest => {
  const { format, log_id, subject, size, files, erasures } = objectIn(text, fileNames.manifest)
  if (format !== exportFormat)
    throw new NotProven(`${fileNames.manifest} is not of the format ${exportFormat}`)
  const { kind, id } = objectIn(JSON.stringify(subject ?? null), `the subject in ${fileNames.manifest}`)
  const known = exportKinds.find(each => each === kind)
  if (known === undefined || typeof id !== 'string' || typeof log_id !== 'string')
    throw new NotProven(`${fileNames.manifest} does not say what is exported`)
  if (!isCount(size) || !isCount(files))
    throw new NotProven(`${fileNames.manifest} has a count that is no number`)
  const manifest = { format, log_id, subject: { kind: known, id }, size, files }
  return erasures === true ? { ...manifest, erasures } : manifest
}

/** Throws NotProven. */
export const readEvent = (line: string, where: string): ExportedEvent => {
  const { position, header, payload, salt, hashes } = objectIn(line, where)
  if (!isCount(position) || typeof header !== 'string' || !isTextOrNull(payload) || !isTextOrNull(salt))
    throw new NotProven(`${where} is no event`)
  if (hashes === undefined) return { position, header, payload, salt }
  if (!areTexts(hashes)) throw new NotProven(`${where} has no proof`)
  return { position, header, payload, salt, hashes }
}

/** Throws NotProven. */
export const readHeader = (header: string, where: string): KnownHeader => {
  const { stream, revision, type, owner, session_id: session } = objectIn(header, `the header in ${where}`)
  if (!areTexts([stream, type, owner, session]) || !isCount(revision))
    throw new NotProven(`the header in ${where} has no stream, revision, type, owner or session`)
  return {
    stream: String(stream),
    revision,
    type: String(type),
    owner: String(owner),
    session: String(session),
  }
}

/** The keys of a log as text: a line for each key, with the size of the smallest tree whose checkpoints it signs. */
export const writeKeys = (keys: readonly { text: string; from: number }[]): string =>
  keys.map(({ text, from }) => `${text} ${from}\n`).join('')

/** The names of all files of an export. */
export const filesOfExport = ({ files, erasures }: Manifest): string[] => [
  ...[fileNames.readme, fileNames.verifier, fileNames.manifest, fileNames.checkpoint],
  ...[fileNames.key, fileNames.keyEvents],
  ...(erasures === true ? [fileNames.erasures] : []),
  ...Array.from({ length: files }, (_, n) => eventFile(n + 1)),
]

const fixedNames: readonly string[] = Object.values(fileNames)

/** Whether an export may have a file of this name. */
export const isExportFile = (name: string): boolean =>
  /^events\/[1-9]\d{0,8}\.ndjson$/.test(name) || (fixedNames.includes(name) && name !== fileNames.events)
