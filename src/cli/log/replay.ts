// reprise replay: folds stored events again and compares the result with the read models. It runs no effects.

import type { Difference } from '../../../projections/compare.ts'
import { readConfig } from '../../config.ts'
import { CannotStart } from '../../contract/cannot-start.ts'
import { taskEvents } from '../../contract/decoders/task.ts'
import { DamagedEvent, ErasedEvent } from '../../contract/stored.ts'
import { taskStream } from '../../contract/task-stream.ts'
import { renderFrames } from '../../history/frames.ts'
import { taskOf } from '../../history/task-object.ts'
import { emptyShown } from '../../history/task-view.ts'
import type { ReadOnlyLog } from '../../log/read-only.ts'
import { checkLog, type Damage } from '../../maintenance/verify/check-log.ts'
import { digestOfBody } from '../../platform/digest.ts'
import { filesOf } from '../../platform/files/data-folder.ts'
import { called } from '../terminal/called.ts'
import { NoAnswer } from '../terminal/exit.ts'
import { createProgressBar } from '../terminal/progress.ts'
import { type Common, openTerminal, plural } from '../terminal/terminal.ts'
import { compareAll, compareTask, Unfit } from './compared.ts'
import { openLogOf } from './folder.ts'
import { differenceText, type Replaying } from './replayed.ts'

// Replays one task from its stored events, and compares it with the read models.

const foldTask = async (log: ReadOnlyLog, taskId: string) => {
  const view = emptyShown()
  let frames = 0
  for await (const page of log.readStream(taskStream(taskId))) {
    for (const event of page) {
      try {
        frames += renderFrames(view, taskEvents.read(event)).length
      } catch (error) {
        if (error instanceof DamagedEvent) throw error
        if (error instanceof ErasedEvent)
          throw new NoAnswer(
            `the task ${taskId} was erased: the event at position ${error.erasedBy} says why`,
          )
        throw new DamagedEvent(event.position, `cannot be read: ${(error as Error).message}`)
      }
    }
  }
  const state_hash = digestOfBody(taskOf(view))
  return { events: view.revision + 1, frames, position: view.position, state_hash }
}

/** Rejects with NoAnswer if the task is unknown, erased or unlike its rows, and with Unfit or DamagedEvent. */
const replayTask = async ({ config, log, printer, json }: Replaying, taskId: string): Promise<void> => {
  if (log.revisionOf(taskStream(taskId)) < 0) {
    throw new NoAnswer(`no task has the id ${taskId} in ${config.dataDir}`)
  }
  const folded = await foldTask(log, taskId)
  const mismatches: Difference[] = []
  const file = filesOf(config.dataDir).readModels
  const onDifference = (difference: Difference) => void mismatches.push(difference)
  const compared_at = (await compareTask({ log, file, onDifference }, taskId)) ?? null
  const matches = mismatches.length === 0
  if (json) {
    await printer.rows([JSON.stringify({ task_id: taskId, ...folded, compared_at, matches, mismatches })])
  } else {
    const verdict =
      compared_at === null
        ? ['the read models do not hold this task, so there is nothing to compare']
        : matches
          ? ['the read models say the same']
          : mismatches.map(difference => printer.paint(differenceText(difference), 'red'))
    const counts = `${plural(folded.events, 'event')}, ${plural(folded.frames, 'frame')}`
    await printer.rows([`${counts}, state ${folded.state_hash}`, ...verdict])
  }
  if (!matches) throw new NoAnswer(plural(mismatches.length, 'mismatch', 'mismatches'))
}

// Checks every stream of the log, and compares every row of the read models with the log.

/** The largest number of problems that are named. Further problems are only counted. */
const problemsShown = 100

/** Rejects with NoAnswer if anything differs or is damaged, and with Unfit if the read models cannot be compared. */
const replayAll = async ({ config, log, printer, json }: Replaying): Promise<void> => {
  const damaged: Damage[] = []
  const mismatches: Difference[] = []
  let problems = 0
  const keep = <T>(list: T[], problem: T) => {
    if (problems++ < problemsShown) list.push(problem)
  }
  const reading = createProgressBar(printer, 'reading the log', 'events')
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
  const comparing = createProgressBar(printer, 'comparing the read models', 'events')
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

export const replay = async (taskId: string | undefined, options: Common & { all?: true }): Promise<void> => {
  if ((taskId === undefined) === (options.all === undefined)) {
    throw new CannotStart(`name one task, or all of them: ${called} replay <task>, or ${called} replay --all`)
  }
  const config = readConfig(process.env)
  const printer = openTerminal(options)
  const log = openLogOf(config)
  const replaying = { config, log, printer, json: options.json === true }
  try {
    await (taskId === undefined ? replayAll(replaying) : replayTask(replaying, taskId))
  } catch (error) {
    if (error instanceof Unfit) throw new NoAnswer(`${error.message}: ${called} rebuild builds them again`)
    throw error
  } finally {
    printer.startLine() // removes the progress bar
    await log.close()
  }
}
