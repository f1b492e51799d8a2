// Exports histories from a log file into a folder, with everything that is needed to verify them elsewhere. The log is
// only read, and a server may write to it meanwhile.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { openLeaves } from '../log/leaves.ts'
import { openStoredRows, type StoredRow, type StoredRows } from '../log/stored-rows.ts'
import { built } from '../platform/built.ts'
import {
  type ExportedEvent,
  eventFile,
  exportFormat,
  fileNames,
  type Manifest,
  type Subject,
  writeKeys,
} from '../proof/export/format.ts'
import { readmeOf } from '../proof/export/readme.ts'
import { Misfit } from '../proof/misfit.ts'
import { keyStream } from '../proof/note/key-change.ts'
import { createTileTree, type TileTree } from '../proof/store/tiles.ts'
import { toBase64 } from '../proof/tree/hash.ts'
import { inclusionProof } from '../proof/tree/proofs.ts'
import { mustFit } from '../proof/verify/event-check.ts'
import { chooseCheckpoint, type ProofFiles } from './export-checkpoint.ts'
import { streamsOf } from './export-subject.ts'
import { appendLines } from './line-writer.ts'
import { keyChangesOf } from './verify-log.ts'

export type Exported = { manifest: Manifest; events: number }
/** Reports progress: `done` of `total` events are through this step. */
export type OnStep = (step: 'hashing' | 'writing', done: number, total: number) => void
type Source = { log: string; proof: ProofFiles }

/** The number of leaves in one read. */
const pageLeaves = 4096
/** Events in one file of an export of the whole log. */
const eventsPerFile = 50_000

const nextTurn = () => new Promise<void>(resolve => setImmediate(resolve)) // lets signal handlers run

/** There is nothing to export. */
export class NothingToExport extends Error {}

type Writing = { rows: StoredRows; tree: TileTree; size: number; folder: string; onStep: OnStep }

const eventOf = ({ position, header, payload, salt }: StoredRow): ExportedEvent => ({
  position,
  header,
  payload,
  salt,
})

/** Writes the events of one stream that the tree covers, each with its proof. Returns their number. */
const writeStream = async (
  { rows, tree, size, folder }: Writing,
  stream: string,
  file: string,
): Promise<number> => {
  const lines = appendLines(path.join(folder, file))
  let events = 0
  try {
    for (const row of rows.ofStream(stream)) {
      if (row.position > size) break
      mustFit(row)
      const hashes = inclusionProof(row.position - 1, size, tree.full).map(toBase64)
      lines.add(JSON.stringify({ ...eventOf(row), hashes }))
      if (++events % 1000 === 0) await nextTurn()
    }
  } finally {
    lines.close()
  }
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

const writeAll = async ({
  rows,
  size,
  folder,
  onStep,
}: Writing): Promise<{ events: number; files: number }> => {
  let events = 0
  let lines: ReturnType<typeof appendLines> | undefined
  try {
    for (const page of rows.pages(0, size)) {
      for (const row of page) {
        mustFit(row)
        if (events % eventsPerFile === 0) {
          lines?.close()
          lines = appendLines(path.join(folder, eventFile(events / eventsPerFile + 1)))
        }
        lines?.add(JSON.stringify(eventOf(row)))
        events++
      }
      onStep('writing', events, size)
      await nextTurn()
    }
  } finally {
    lines?.close()
  }
  return { events, files: Math.ceil(events / eventsPerFile) }
}

const growTree = async (log: string, size: number, onStep: OnStep) => {
  const leaves = openLeaves(log)
  const tree = createTileTree(leaves.leaves, [])
  try {
    while (tree.size() < size) {
      const count = Math.min(pageLeaves, size - tree.size())
      for (const leaf of leaves.leaves(tree.size(), count)) tree.add(leaf)
      onStep('hashing', tree.size(), size)
      await nextTurn()
    }
    return { tree, close: leaves.close }
  } catch (error) {
    leaves.close()
    throw error
  }
}

/** The streams and the last position of what is exported. Throws NothingToExport. */
const contentOf = (rows: StoredRows, subject: Subject): { streams: string[]; end: number } => {
  if (subject.kind === 'all') return { streams: [], end: 0 }
  const streams = streamsOf(rows, subject)
  if (streams.length === 0)
    throw new NothingToExport(`the log has no events of the ${subject.kind} ${subject.id}`)
  return { streams, end: Math.max(...streams.map(rows.endOf)) }
}

const writeExport = async (
  { log, proof }: Source,
  rows: StoredRows,
  subject: Subject,
  folder: string,
  onStep: OnStep,
) => {
  const { streams, end } = contentOf(rows, subject)
  const changes = keyChangesOf(rows)
  const checkpoint = chooseCheckpoint(rows, changes, Math.max(end, changes.at(-1)?.from ?? 0), proof)
  const { size } = checkpoint
  const { tree, close } = await growTree(log, size, onStep)
  try {
    const root = tree.root(size)
    if (checkpoint.root !== undefined && checkpoint.root !== root)
      throw new Misfit(
        'the log does not fit its newest checkpoint: reprise verify names the first event that does not fit',
      )
    mkdirSync(path.join(folder, fileNames.events), { recursive: true, mode: 0o700 })
    const writing = { rows, tree, size, folder, onStep }
    const write = (name: string, text: string | Buffer) =>
      writeFileSync(path.join(folder, name), text, { mode: 0o600 })
    await writeStream(writing, keyStream, fileNames.keyEvents)
    const { events, files } = await (subject.kind === 'all'
      ? writeAll(writing)
      : writeStreams(writing, streams))
    const manifest: Manifest = { format: exportFormat, log_id: rows.logId(), subject, size, files }
    write(fileNames.manifest, `${JSON.stringify(manifest, null, 2)}\n`)
    write(fileNames.checkpoint, checkpoint.sign(root))
    write(fileNames.key, writeKeys(changes.map(({ key, from }) => ({ text: key.text, from }))))
    write(fileNames.readme, readmeOf(manifest))
    write(fileNames.verifier, readFileSync(built('verify-export.mjs')))
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
  onStep: OnStep,
): Promise<Exported> => {
  const rows = openStoredRows(source.log)
  try {
    return await writeExport(source, rows, subject, folder, onStep)
  } finally {
    rows.close()
  }
}
