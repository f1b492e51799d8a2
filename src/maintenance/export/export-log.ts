// Exports histories from a log into a folder, with everything that is needed to verify the histories elsewhere.
// The log is only read, and a server may write to it meanwhile.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { erasureStream } from '../../contract/erased-range.ts'
import { openStoredRows } from '../../log/chosen-storage.ts'
import type { StoredRow, StoredRows } from '../../log/storage.ts'
import { built } from '../../platform/built.ts'
import { yieldToLoop } from '../../platform/loop.ts'
import {
  type ExportedEvent,
  eventFile,
  exportFormat,
  fileNames,
  type Manifest,
  type Subject,
  writeKeys,
} from '../../proof/export/format.ts'
import { readmeOf } from '../../proof/export/readme.ts'
import { type KeyChange, keyStream } from '../../proof/note/key-change.ts'
import type { TileTree } from '../../proof/store/tiles.ts'
import { toBase64 } from '../../proof/tree/hash.ts'
import { inclusionProof } from '../../proof/tree/proofs.ts'
import { mustFit } from '../../proof/verify/event-check.ts'
import { keyChangesOf } from '../verify/verify-log.ts'
import type { ChosenCheckpoint } from './export-checkpoint.ts'
import { type Beginning, streamsOf } from './export-subject.ts'
import { treeOf } from './export-tree.ts'
import { appendLines } from './line-writer.ts'

export type Exported = { manifest: Manifest; events: number }
/** Reports progress: the step is done for `done` of `total` events, or streams if single streams are written. */
export type OnStep = (step: 'hashing' | 'writing', done: number, total: number) => void

/**
 * The log to export from. `tiles`: the file with the hashes of full tiles; without this file, all leaves are hashed.
 * `owner`: only streams of this user are exported; undefined: streams of all users. `choose`: chooses the checkpoint.
 */
export type Source = {
  log: string
  tiles?: string
  owner?: string | undefined
  choose: (rows: StoredRows, changes: readonly KeyChange[], end: number) => Promise<ChosenCheckpoint>
}

/** `onFile`: called when a file is complete. The next file is written when the returned promise resolves. */
export type Steps = { onStep: OnStep; onFile?: (name: string, stream?: string) => Promise<void> }

/** The number of events in one file of an export of the whole log. */
const eventsPerFile = 50_000

/** Thrown when there is nothing to export. */
export class NothingToExport extends Error {}

type Writing = { rows: StoredRows; tree: TileTree; size: number; folder: string } & Required<Steps>

const eventOf = ({ position, header, payload, salt }: StoredRow): ExportedEvent => ({
  position,
  header,
  payload,
  salt,
})

/** Writes the events of one stream that the tree covers, each with its proof. Returns their number. */
const writeStream = async (
  { rows, tree, size, folder, onFile }: Writing,
  stream: string,
  file: string,
): Promise<number> => {
  const lines = appendLines(path.join(folder, file))
  let events = 0
  try {
    for await (const page of rows.ofStream(stream)) {
      const covered = page.filter(({ position }) => position <= size)
      for (const row of covered) {
        mustFit(row)
        const hashes = inclusionProof(row.position - 1, size, tree.full).map(toBase64)
        lines.add(JSON.stringify({ ...eventOf(row), hashes }))
      }
      events += covered.length
      if (covered.length < page.length) break
      await yieldToLoop()
    }
  } finally {
    lines.close()
  }
  await onFile(file, stream)
  return events
}

const writeStreams = async (
  writing: Writing,
  streams: readonly string[],
): Promise<{ events: number; files: number }> => {
  let events = 0
  for (const [n, stream] of streams.entries()) {
    events += await writeStream(writing, stream, eventFile(n + 1))
    writing.onStep('writing', n + 1, streams.length)
  }
  return { events, files: streams.length }
}

/** Writes the events between two positions into one file. */
const writeRange = async (
  { rows, size, folder, onStep, onFile }: Writing,
  { after, end }: { after: number; end: number },
  file: string,
): Promise<void> => {
  const lines = appendLines(path.join(folder, file))
  try {
    for await (const page of rows.pages(after, end)) {
      for (const row of page) {
        mustFit(row)
        lines.add(JSON.stringify(eventOf(row)))
      }
      onStep('writing', page.at(-1)?.position ?? end, size)
      await yieldToLoop()
    }
  } finally {
    lines.close()
  }
  await onFile(file)
}

const writeAll = async (writing: Writing): Promise<{ events: number; files: number }> => {
  const { size } = writing
  const files = Math.ceil(size / eventsPerFile)
  for (let n = 0; n < files; n++) {
    const end = Math.min(size, (n + 1) * eventsPerFile)
    await writeRange(writing, { after: n * eventsPerFile, end }, eventFile(n + 1))
  }
  return { events: size, files }
}

/** Writes the events PayloadsErased that erased exported events, each with its proof. */
const writeErasures = async (
  { tree, size, folder, onFile }: Writing,
  erasures: readonly StoredRow[],
): Promise<void> => {
  const lines = appendLines(path.join(folder, fileNames.erasures))
  try {
    for (const row of erasures) {
      const hashes = inclusionProof(row.position - 1, size, tree.full).map(toBase64)
      lines.add(JSON.stringify({ ...eventOf(row), hashes }))
    }
  } finally {
    lines.close()
  }
  await onFile(fileNames.erasures)
}

const withErasures = async (
  rows: StoredRows,
  streams: Beginning[],
  end: number,
  isExported: (stream: string) => boolean,
): Promise<Content> => {
  const erasures: StoredRow[] = []
  for await (const page of rows.ofStream(erasureStream)) {
    for (const row of page) {
      mustFit(row)
      const named = (JSON.parse(row.payload ?? '{}') as { streams?: string[] }).streams
      if (named?.some(isExported) === true) erasures.push(row)
    }
  }
  return { streams, end: Math.max(end, erasures.at(-1)?.position ?? 0), erasures }
}

type Content = { streams: Beginning[]; end: number; erasures: StoredRow[] }
/** The streams to export, the last position that must be covered, and the erasures. Rejects with NothingToExport. */
const contentOf = async ({ owner }: Source, rows: StoredRows, subject: Subject): Promise<Content> => {
  if (subject.kind === 'all') return withErasures(rows, [], 0, () => true)
  const streams = await streamsOf(rows, subject, owner)
  if (streams.length === 0)
    throw new NothingToExport(`the log has no events of the ${subject.kind} ${subject.id}`)
  const exported = new Set(streams.map(({ stream }) => stream))
  let end = 0
  for (const { stream } of streams) end = Math.max(end, await rows.endOf(stream))
  return withErasures(rows, streams, end, stream => exported.has(stream))
}

/** The streams whose first event the checkpoint covers. */
const coveredOf = (streams: readonly Beginning[], size: number): string[] =>
  streams.filter(({ position }) => position <= size).map(({ stream }) => stream)

const writeExport = async (
  source: Source,
  rows: StoredRows,
  { subject, folder }: { subject: Subject; folder: string },
  { onStep, onFile = async () => {} }: Steps,
): Promise<Exported> => {
  const { streams, end, erasures } = await contentOf(source, rows, subject)
  const changes = await keyChangesOf(rows)
  const checkpoint = await source.choose(rows, changes, Math.max(end, changes.at(-1)?.from ?? 0))
  const { size } = checkpoint
  const { tree, close } = await treeOf(source, checkpoint, (done, total) => onStep('hashing', done, total))
  try {
    mkdirSync(path.join(folder, fileNames.events), { recursive: true, mode: 0o700 })
    const writing = { rows, tree, size, folder, onStep, onFile }
    const write = async (name: string, text: string | Buffer): Promise<void> => {
      writeFileSync(path.join(folder, name), text, { mode: 0o600 })
      await onFile(name)
    }
    await writeStream(writing, keyStream, fileNames.keyEvents)
    if (erasures.length > 0) await writeErasures(writing, erasures)
    const { events, files } = await (subject.kind === 'all'
      ? writeAll(writing)
      : writeStreams(writing, coveredOf(streams, size)))
    const manifest: Manifest = {
      ...{ format: exportFormat, log_id: await rows.logId(), subject, size, files },
      ...(erasures.length === 0 ? {} : { erasures: true }),
    }
    await write(fileNames.manifest, `${JSON.stringify(manifest, null, 2)}\n`)
    await write(fileNames.checkpoint, checkpoint.sign(tree.root(size)))
    await write(fileNames.key, writeKeys(changes.map(({ key, from }) => ({ text: key.text, from }))))
    await write(fileNames.readme, readmeOf(manifest))
    await write(fileNames.verifier, readFileSync(built('verify-export.mjs')))
    return { manifest, events }
  } finally {
    close()
  }
}

/**
 * Writes an export into a folder that does not exist yet. Rejects with Misfit when the log is damaged, and with
 * NothingToExport, NotCovered or CannotStart.
 */
export const exportLog = async (
  source: Source,
  subject: Subject,
  folder: string,
  steps: Steps,
): Promise<Exported> => {
  const rows = openStoredRows(source.log)
  try {
    return await writeExport(source, rows, { subject, folder }, steps)
  } finally {
    await rows.close()
  }
}
