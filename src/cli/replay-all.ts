// Checks every stream of the log, and compares every row of the read models with the log.
import type { Difference } from '../../projections/compare.ts'
import { checkLog, type Damage } from '../maintenance/check-log.ts'
import { filesOf } from '../platform/data-folder.ts'
import { compareAll, Unfit } from './compared.ts'
import { NoAnswer } from './exit.ts'
import { createProgress } from './progress.ts'
import { differenceText, type Replaying } from './replayed.ts'
import { plural } from './terminal.ts'

/** The largest number of problems that are named. Further problems are only counted. */
const problemsShown = 100

/** Rejects with NoAnswer if anything differs or is damaged, and with Unfit if the read models cannot be compared. */
export const replayAll = async ({ config, log, printer, json }: Replaying): Promise<void> => {
  const damaged: Damage[] = []
  const mismatches: Difference[] = []
  let problems = 0
  const keep = <T>(list: T[], problem: T) => {
    if (problems++ < problemsShown) list.push(problem)
  }
  const reading = createProgress(printer, 'reading the log', 'events')
  const checked = await checkLog(log, damage => keep(damaged, damage), reading)
  const { position, streams, tasks, events, frames, erased_streams } = checked
  const say = (lines: string[]) => (json ? Promise.resolve(true) : printer.rows(lines))
  await say([
    ...damaged.map(({ position, reason }) =>
      printer.paint(`position ${position ?? 'unknown'}: ${reason}`, 'red'),
    ),
    `${plural(events, 'event')} of ${plural(streams, 'stream')}: hashes, revisions and positions checked`,
    `${plural(tasks, 'task')} rendered again: ${plural(frames, 'frame')}, their numbers checked`,
    ...(erased_streams === 0
      ? []
      : [
          `${plural(erased_streams, 'stream has', 'streams have')} erased events: only their headers could be checked`,
        ]),
  ])

  // The read models cannot be compared with a damaged log.
  const sound = problems === 0
  const comparing = createProgress(printer, 'comparing the read models', 'events')
  const file = filesOf(config.dataDir).readModels
  const onDifference = (difference: Difference) => keep(mismatches, difference)
  let unfit: string | null = null
  const compared = !sound
    ? undefined
    : await compareAll({ log, file, onDifference }, at => comparing(at, position)).catch(error => {
        if (!(error instanceof Unfit)) throw error
        unfit = error.message
        return undefined
      })
  const compared_at = compared ?? null
  const matches = problems === 0 && unfit === null
  if (json) {
    const verdict = { compared_at, matches, problems, unfit, damaged, mismatches }
    await printer.rows([JSON.stringify({ ...checked, ...verdict })])
  }
  const models =
    compared_at === null
      ? `no read models ${sound && unfit === null ? 'there' : 'compared'}`
      : `read models at position ${compared_at}: every row compared`
  await say([...mismatches.map(difference => printer.paint(differenceText(difference), 'red')), models])
  if (unfit !== null) throw new Unfit(unfit)
  if (!matches)
    throw new NoAnswer(`${plural(problems, 'problem')}: the log and the read models differ, or are damaged`)
  await say(['replay equal'])
}
