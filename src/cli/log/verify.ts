// reprise verify: verifies a data folder, a backup or an export, without a server. It only reads.
import { closeSync, existsSync, mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type Config, readConfig } from '../../config.ts'
import { CannotStart } from '../../contract/cannot-start.ts'
import { isPage, unpackPage } from '../../maintenance/export/export-page.ts'
import { type VerifiedLog, verifyLog } from '../../maintenance/verify/verify-log.ts'
import { filesOf } from '../../platform/files/data-folder.ts'
import { whatStandsAt } from '../../platform/files/plain-file.ts'
import { BadArchive, unpack } from '../../platform/files/tar.ts'
import { fileNames, isExportFile } from '../../proof/export/format.ts'
import { erasedLines, exportLines, misfitText, uncheckedKeyText } from '../../proof/export/report.ts'
import type { VerifiedExport } from '../../proof/export/verify-export.ts'
import { verifyFolder } from '../../proof/export/verify-folder.ts'
import { Misfit } from '../../proof/misfit.ts'
import { NotProven } from '../../proof/not-proven.ts'
import { readVerifierKey, type VerifierKey } from '../../proof/note/keys.ts'
import { NoAnswer } from '../terminal/exit.ts'
import type { Printer } from '../terminal/printer.ts'
import { createProgressBar } from '../terminal/progress.ts'
import { type Common, openTerminal, plural } from '../terminal/terminal.ts'
import { mustHaveLog } from './folder.ts'

type VerifyOptions = Common & { checkpoint?: string[]; key?: string }
type Given = { checkpoints: string[]; key: VerifierKey | undefined; printer: Printer }

const keyIn = (text: string | undefined): VerifierKey | undefined => {
  try {
    return text === undefined ? undefined : readVerifierKey(text)
  } catch (error) {
    throw new CannotStart(`--key: ${(error as Error).message}`)
  }
}

const logLines = ({ events, streams, erased, checkpoints, newest, lost, cut_off }: VerifiedLog): string[] => {
  const uncovered = events - (newest?.size ?? 0)
  const covers =
    newest === undefined
      ? 'no checkpoint was compared, so a log that was replaced as a whole would fit too: give one with --checkpoint'
      : `${plural(checkpoints, 'checkpoint fits', 'checkpoints fit')}, the largest of ${plural(newest.size, 'event')}, signed by ${newest.signers.map(({ text }) => text).join(', ')}`
  return [
    `${plural(events, 'event')} of ${plural(streams, 'stream')}: digests, leaves, revisions and positions fit`,
    ...erasedLines(erased),
    covers,
    ...(newest !== undefined && uncovered > 0
      ? [`${plural(uncovered, 'event comes', 'events come')} after it, and no checkpoint covers them`]
      : []),
    ...(cut_off > 0
      ? [
          `${plural(cut_off, 'checkpoint has', 'checkpoints have')} no end, as after a crash, and ${cut_off === 1 ? 'was' : 'were'} not compared`,
        ]
      : []),
    ...(lost > 0
      ? [
          `${plural(lost, 'checkpoint is', 'checkpoints are')} of events that the log lost, as its event LogResumed says`,
        ]
      : []),
  ]
}

const verifyFile = async (
  { checkpoints, key, printer }: Given,
  log: string,
  ownCheckpoints: string | undefined,
): Promise<{ lines: string[]; verdict: object }> => {
  const verified = await verifyLog(
    { log, ownCheckpoints, checkpoints, key },
    createProgressBar(printer, 'verifying', 'events'),
  )
  if (key !== undefined && verified.newest === undefined)
    throw new Misfit(
      'no checkpoint was compared, so nothing is signed by the key: give one with --checkpoint',
    )
  const { newest, ...counts } = verified
  const covered =
    newest === undefined ? null : { size: newest.size, keys: newest.signers.map(({ text }) => text) }
  return {
    lines: [...logLines(verified), 'the log fits'],
    verdict: { kind: 'log', ...counts, newest: covered },
  }
}

const verdictOf = ({ signers, isKeyChecked, ...rest }: VerifiedExport) => ({
  kind: 'export',
  ...rest,
  keys: signers.map(({ text }) => text),
  key_checked: isKeyChecked,
})

const verifyExported = async ({ checkpoints, key, printer }: Given, folder: string) => {
  const files = checkpoints.map(file => ({ path: file, bytes: statSync(file).size, isNamed: true as const }))
  const progress = createProgressBar(printer, 'verifying', 'events')
  const verified = await verifyFolder({ folder, key, checkpoints: files }, events => progress(events, events))
  const lines = exportLines(verified)
  if (verified.isKeyChecked) return { lines: [...lines, 'the export fits'], verdict: verdictOf(verified) }
  return { lines, verdict: verdictOf(verified), unchecked: uncheckedKeyText(verified.signers) }
}

/** `takeOut` writes the files of the export into a folder. */
const verifyPacked = async (given: Given, takeOut: (folder: string) => Promise<void> | void) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'reprise-export-'))
  try {
    await takeOut(folder)
    return await verifyExported(given, folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const isGzip = (file: string): boolean => {
  const opened = openSync(file, 'r')
  const start = Buffer.alloc(2)
  readSync(opened, start, 0, 2, 0)
  closeSync(opened)
  return start.readUInt16BE() === 0x1f8b
}

/** `CHECKPOINT_FILE` belongs to the folder that `DATA_DIR` names, so it is not used for another folder. */
const configOf = (target: string | undefined): Config => {
  const own = readConfig(process.env)
  if (target === undefined || path.resolve(target) === path.resolve(own.dataDir)) return own
  return readConfig({ ...process.env, DATA_DIR: target, CHECKPOINT_FILE: '' })
}

const verifyTarget = (given: Given, target: string | undefined) => {
  if (target === undefined || existsSync(filesOf(target).log)) {
    const config = configOf(target)
    mustHaveLog(config)
    return verifyFile(given, filesOf(config.dataDir).log, config.proof.checkpointFile)
  }
  const found = whatStandsAt(target)
  if (found === 'file') {
    if (isGzip(target)) return verifyPacked(given, folder => unpack(target, folder, isExportFile))
    if (isPage(target)) return verifyPacked(given, folder => unpackPage(target, folder))
    return verifyFile(given, target, undefined)
  }
  if (found === 'folder' && existsSync(path.join(target, fileNames.manifest)))
    return verifyExported(given, target)
  throw new CannotStart(`${target} is no data folder, no backup and no export: name one of these`)
}

/** Throws NoAnswer (exit code 1) for an error about a misfit; with `json`, prints it first. Rethrows other errors. */
const refuse = async (error: unknown, { printer }: Given, json: boolean): Promise<never> => {
  if (!(error instanceof Misfit || error instanceof NotProven || error instanceof BadArchive)) throw error
  const misfit = error instanceof Misfit ? error : new Misfit(error.message)
  const { position = null, stream = null, message } = misfit
  if (json) await printer.rows([JSON.stringify({ fits: false, position, stream, reason: message })])
  throw new NoAnswer(misfitText(misfit))
}

export const verify = async (target: string | undefined, options: VerifyOptions): Promise<void> => {
  const printer = openTerminal(options)
  const given = { checkpoints: options.checkpoint ?? [], key: keyIn(options.key), printer }
  for (const file of given.checkpoints)
    if (whatStandsAt(file) !== 'file') throw new CannotStart(`--checkpoint: there is no file ${file}`)
  const json = options.json === true
  try {
    const result: { lines: string[]; verdict: object; unchecked?: string } = await verifyTarget(given, target)
    const fits = result.unchecked === undefined
    await printer.rows(json ? [JSON.stringify({ fits, ...result.verdict })] : result.lines)
    if (result.unchecked !== undefined) throw new NoAnswer(result.unchecked)
  } catch (error) {
    await refuse(error, given, json)
  } finally {
    printer.startLine() // removes the progress bar
  }
}
