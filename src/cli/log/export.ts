// reprise export: writes histories with their proofs into a folder, an archive or a page. A server may run meanwhile.
import { existsSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { readConfig } from '../../config.ts'
import { CannotStart } from '../../contract/cannot-start.ts'
import { chooseCheckpoint, NotCovered } from '../../maintenance/export/export-checkpoint.ts'
import {
  type Exported,
  exportLog,
  NothingToExport,
  type OnStep,
  type Source,
} from '../../maintenance/export/export-log.ts'
import { TooLongForPage, writePage } from '../../maintenance/export/export-page.ts'
import { filesOf } from '../../platform/files/data-folder.ts'
import { pack } from '../../platform/files/tar.ts'
import { filesOfExport, type Subject } from '../../proof/export/format.ts'
import { subjectText } from '../../proof/export/readme.ts'
import { misfitText } from '../../proof/export/report.ts'
import { Misfit } from '../../proof/misfit.ts'
import { NoAnswer } from '../terminal/exit.ts'
import type { Printer } from '../terminal/printer.ts'
import { createProgressBar } from '../terminal/progress.ts'
import { type Common, openTerminal, plural } from '../terminal/terminal.ts'
import { mustHaveLog } from './folder.ts'

type ExportOptions = Common & { session?: string; user?: string; all?: true; html?: true; out: string }

const subjectIn = (task: string | undefined, { session, user, all }: ExportOptions): Subject => {
  const named: Subject[] = [
    ...(task === undefined ? [] : [{ kind: 'task', id: task } as const]),
    ...(session === undefined ? [] : [{ kind: 'session', id: session } as const]),
    ...(user === undefined ? [] : [{ kind: 'user', id: user } as const]),
    ...(all === undefined ? [] : [{ kind: 'all', id: '' } as const]),
  ]
  const [subject, ...more] = named
  if (subject !== undefined && more.length === 0 && (subject.kind === 'all' || subject.id !== ''))
    return subject
  throw new CannotStart('name one thing to export: a task, --session ID, --user ID or --all')
}

/** The folder into which the export is written first. At the end, the complete export gets the name `out`. */
const partOf = (out: string): string => `${path.resolve(out)}.${process.pid}.part`
/** The file in which the archive or the page is made from the folder `part`. */
const packed = (part: string): string => `${part}.file`

const isArchive = (out: string): boolean => /\.(tar\.gz|tgz)$/.test(out)

/** Makes a page or an archive from the folder if the options ask for one, and renames the result to `out`. */
const finish = async (part: string, { manifest }: Exported, { out, html }: ExportOptions): Promise<void> => {
  if (html) writePage(part, manifest, packed(part))
  else if (isArchive(out)) await pack(part, filesOfExport(manifest), packed(part))
  renameSync(html || isArchive(out) ? packed(part) : part, out)
}

const write = async (subject: Subject, options: ExportOptions, printer: Printer): Promise<Exported> => {
  const config = readConfig(process.env)
  mustHaveLog(config)
  const source: Source = {
    log: filesOf(config.dataDir).log,
    choose: (rows, changes, end) => chooseCheckpoint(rows, changes, end, config.proof),
  }
  const hashing = createProgressBar(printer, 'hashing', 'events')
  const writing = createProgressBar(printer, 'writing', subject.kind === 'all' ? 'events' : 'streams')
  const part = partOf(options.out)
  const onStep: OnStep = (step, done, total) => (step === 'hashing' ? hashing : writing)(done, total)
  const exported = await exportLog(source, subject, part, { onStep })
  await finish(part, exported, options)
  return exported
}

const removeParts = (out: string): void => {
  for (const file of [partOf(out), packed(partOf(out))]) rmSync(file, { recursive: true, force: true })
}

export const exportHistory = async (task: string | undefined, options: ExportOptions): Promise<void> => {
  const subject = subjectIn(task, options)
  const { out } = options
  if (/\.html?$/.test(out) !== (options.html === true))
    throw new CannotStart('--html makes one file, whose name ends with .html: give both or none')
  if (existsSync(out)) throw new CannotStart(`${out} exists: choose another name`)
  if (!existsSync(path.dirname(path.resolve(out))))
    throw new CannotStart(`there is no folder ${path.dirname(path.resolve(out))}: make it first`)
  const printer = openTerminal(options, () => removeParts(out))
  try {
    const { events, manifest } = await write(subject, options, printer)
    const { size, files } = manifest
    await printer.rows([
      options.json
        ? JSON.stringify({ out, ...manifest, events })
        : `${out}: ${subjectText(subject)}, ${plural(events, 'event')} in ${plural(files, 'file')}, proven by a checkpoint of ${plural(size, 'event')}`,
    ])
  } catch (error) {
    if (error instanceof Misfit) throw new NoAnswer(misfitText(error))
    throw [NotCovered, NothingToExport, TooLongForPage].some(known => error instanceof known)
      ? new NoAnswer((error as Error).message)
      : error
  } finally {
    removeParts(out)
    printer.startLine() // removes the progress bar
  }
}
