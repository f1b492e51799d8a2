// Verifies an export with nothing but the files in it: its events, their proofs and the signed checkpoint. The file
// verify.mjs in an export is built from this code. So is the script of a page, which runs the code in a browser.
import { erasureStream } from '../../contract/erased-range.ts'
import { taskStream } from '../../contract/task-stream.ts'
import { leafOf } from '../../log/leaf.ts'
import { Misfit } from '../misfit.ts'
import { NotProven } from '../not-proven.ts'
import { openCheckpoint, originOf, type SignedCheckpoint } from '../note/checkpoint.ts'
import { type KeyChange, keyStream, readKeyChange, trustedKeys } from '../note/key-change.ts'
import type { VerifierKey } from '../note/keys.ts'
import type { Expected } from '../verify/checkpoints-in.ts'
import { createComparison } from '../verify/comparison.ts'
import { createErasures, type Erasures } from '../verify/erasures.ts'
import { createEventCheck, mustFit } from '../verify/event-check.ts'
import type { ExportFiles } from './files.ts'
import {
  eventFile,
  fileNames,
  type Manifest,
  readEvent,
  readHeader,
  readManifest,
  type Subject,
  writeKeys,
} from './format.ts'
import { createStreamCheck, mustBeIncluded, type VerifiedStream } from './verify-streams.ts'

/** `key`: the key that the caller trusts. `checkpoints`: further checkpoints with which the export must agree. */
export type ExportToVerify = {
  files: ExportFiles
  key: VerifierKey | undefined
  checkpoints: (origin: string, keys: readonly VerifierKey[]) => Iterator<Expected>[]
}
/** `yieldToLoop`: lets other work run. */
export type Pace = { onProgress: (events: number) => void; yieldToLoop: () => Promise<void> }

/** `streams`: the streams of the subject; empty for the whole log. `signers`: the keys that signed the checkpoint. */
export type VerifiedExport = Pick<Manifest, 'log_id' | 'subject' | 'size'> & {
  events: number
  erased: number
  streams: VerifiedStream[]
  signers: VerifierKey[]
  isKeyChecked: boolean
}

/** After this many events, the progress is reported and the event loop takes a turn. */
const breathEvents = 1000

const createBreath = ({ onProgress, yieldToLoop }: Pace) => {
  let events = 0
  return async (): Promise<void> => {
    if (++events % breathEvents !== 0) return
    onProgress(events)
    await yieldToLoop()
  }
}

/** Gives each line of a file with events to `add`. */
const eachLine = async (
  lines: Iterable<string>,
  add: (line: string) => void,
  breath: () => Promise<void>,
): Promise<void> => {
  for (const line of lines) {
    if (line === '') continue
    add(line)
    await breath()
  }
}

const textOf = ({ text }: ExportFiles, name: string): string => {
  const found = text(name)
  if (found !== undefined) return found
  throw new NotProven(`the export has no file ${name}`)
}

const mustHaveOnly = ({ eventFiles }: ExportFiles, { files }: Manifest): void => {
  const names = new Set(eventFiles())
  for (let number = 1; number <= files; number++)
    if (!names.delete(eventFile(number))) throw new Misfit(`the export has no file ${eventFile(number)}`)
  const [extra] = names
  if (extra !== undefined)
    throw new Misfit(`the export has a file ${extra} that ${fileNames.manifest} does not count`)
}

/** Reads the changes of the log's key from the exported events. Nothing is verified yet: `verifyKeys` does that. */
const keyChangesIn = (files: ExportFiles): KeyChange[] =>
  textOf(files, fileNames.keyEvents)
    .split('\n')
    .filter(line => line !== '')
    .map(line => readEvent(line, fileNames.keyEvents))
    .map(({ payload, position }) => readKeyChange(payload ?? '', position))

/**
 * Reads the events that say which events of the export were erased. The signed tree must contain them. Throws Misfit.
 */
const erasuresIn = (files: ExportFiles, { erasures }: Manifest, tree: SignedCheckpoint): Erasures => {
  const lines = erasures === true ? textOf(files, fileNames.erasures).split('\n').filter(Boolean) : []
  const events = lines.map(line => {
    const event = readEvent(line, fileNames.erasures)
    const { position, header } = event
    const { stream, revision } = readHeader(header, fileNames.erasures)
    if (stream !== erasureStream)
      throw new Misfit(`${fileNames.erasures} holds an event of ${stream}`, position)
    mustFit({ ...event, stream, revision, leaf: leafOf(header) })
    mustBeIncluded(event, leafOf(header), tree, stream)
    return event
  })
  return createErasures(events)
}

const noErasures = createErasures([])

/** The signed tree must contain the events that name the log's keys; the file `key` must agree. Throws Misfit. */
const verifyKeys = (files: ExportFiles, changes: readonly KeyChange[], tree: SignedCheckpoint): void => {
  const check = createStreamCheck(fileNames.keyEvents, tree, noErasures)
  for (const line of textOf(files, fileNames.keyEvents).split('\n')) if (line !== '') check.add(line)
  const { stream } = check.end()
  if (stream !== keyStream) throw new Misfit(`${fileNames.keyEvents} holds events of ${stream}`)
  const text = writeKeys(changes.map(({ key, from }) => ({ text: key.text, from })))
  if (textOf(files, fileNames.key) !== text)
    throw new Misfit(`the file ${fileNames.key} names other keys than the log does`)
}

type Part = { events: number; erased: number; streams: VerifiedStream[] }
type Deps = {
  files: ExportFiles
  manifest: Manifest
  expected: Iterator<Expected>[]
  erasures: Erasures
  breath: () => Promise<void>
}

/** Throws Misfit when a stream does not belong to the subject that the export names. */
const mustBeOf = ({ kind, id }: Subject, streams: readonly VerifiedStream[]): void => {
  const belongs = ({ stream, owner, session }: VerifiedStream): boolean => {
    if (kind === 'task') return stream === taskStream(id)
    return kind === 'user' ? owner === id : session === id || stream === `env-${id}`
  }
  const foreign = streams.find(each => !belongs(each))
  if (foreign !== undefined) throw new Misfit(`${foreign.stream} does not belong to the ${kind} ${id}`)
  if (streams.length === 0) throw new Misfit('the export holds no events')
}

/** Verifies an export in which each file holds one stream. */
const verifyStreams = async (
  { files, manifest, erasures, breath }: Deps,
  tree: SignedCheckpoint,
): Promise<Part> => {
  const streams: VerifiedStream[] = []
  for (let number = 1; number <= manifest.files; number++) {
    const check = createStreamCheck(eventFile(number), tree, erasures)
    await eachLine(files.lines(eventFile(number)), check.add, breath)
    streams.push(check.end())
  }
  const twice = streams.find(({ stream }, n) => streams.findIndex(each => each.stream === stream) < n)
  if (twice !== undefined) throw new Misfit(`the export holds ${twice.stream} twice`)
  mustBeOf(manifest.subject, streams)
  const sum = (count: (stream: VerifiedStream) => number) =>
    streams.reduce((all, each) => all + count(each), 0)
  return { events: sum(({ events }) => events), erased: sum(({ erased }) => erased), streams }
}

/** Verifies an export whose files hold all events, from the position 1 to the size of the checkpoint. */
const verifyWhole = async ({ files, manifest, expected, erasures, breath }: Deps): Promise<Part> => {
  const check = createEventCheck(createComparison(expected), erasures)
  const numbers = new Map<string, number>()
  let number = 1
  const add = (line: string): void => {
    const where = `line ${check.size() + 1} of the events`
    const { position, header, payload, salt } = readEvent(line, where)
    const { stream, revision } = readHeader(header, where)
    const streamNo = numbers.get(stream) ?? numbers.size + 1
    numbers.set(stream, streamNo)
    check.add({ position, streamNo, stream, revision, header, payload, salt, leaf: leafOf(header) })
  }
  for (; number <= manifest.files; number++) await eachLine(files.lines(eventFile(number)), add, breath)
  const { events, erased } = check.end(manifest.size)
  return { events, erased, streams: [] }
}

/** Further checkpoints must have the size and root of the export's own: others need the whole log. Throws Misfit. */
const mustAgree = (expected: readonly Iterator<Expected>[], { size, root }: SignedCheckpoint): void => {
  for (const source of expected) {
    for (let next = source.next(); !next.done; next = source.next()) {
      const { from, ...other } = next.value
      if (other.size !== size)
        throw new Misfit(
          `${from} cannot be compared with an export of ${size} events that is not of the whole log`,
        )
      if (other.root !== root) throw new Misfit(`${from} has another root than the checkpoint of the export`)
    }
  }
}

/** Rejects with Misfit or NotProven at the first thing that does not fit. */
export const verifyExport = async (given: ExportToVerify, pace: Pace): Promise<VerifiedExport> => {
  const { files, key } = given
  const manifest = readManifest(textOf(files, fileNames.manifest))
  const { log_id, subject, size } = manifest
  const origin = originOf(log_id)
  const changes = keyChangesIn(files)
  const keys = trustedKeys(changes, origin, key)
  const tree = openCheckpoint(textOf(files, fileNames.checkpoint), origin, keys)
  if (tree.size !== size)
    throw new Misfit(`the checkpoint is of ${tree.size} events, and ${fileNames.manifest} says ${size}`)
  verifyKeys(files, changes, tree)
  mustHaveOnly(files, manifest)
  const others = given.checkpoints(origin, keys)
  const own: Expected = { ...tree, from: 'the checkpoint of the export' }
  const isWhole = subject.kind === 'all'
  const expected = isWhole ? [[own].values(), ...others] : others
  const erasures = erasuresIn(files, manifest, tree)
  const deps = { files, manifest, expected, erasures, breath: createBreath(pace) }
  if (!isWhole) mustAgree(expected, tree)
  const part = isWhole ? await verifyWhole(deps) : await verifyStreams(deps, tree)
  return { log_id, subject, size, ...part, signers: tree.signers, isKeyChecked: key !== undefined }
}
