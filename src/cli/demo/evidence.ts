// Reads the results of the demo from the demo's data folder, after the server has ended.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Config } from '../../config.ts'
import { taskEvents } from '../../contract/decoders/task.ts'
import { taskStream } from '../../contract/task-stream.ts'
import type { ReadOnlyLog } from '../../log/read-only.ts'
import { checkLog } from '../../maintenance/verify/check-log.ts'
import { filesOf } from '../../platform/files/data-folder.ts'
import { compareAll } from '../log/compared.ts'
import { differenceText } from '../log/replayed.ts'
import { traces } from './scenario.ts'
import type { Seen } from './verdict.ts'

/** How often the tool ran: the number of lines in its file. */
const runsOf = async (log: ReadOnlyLog, taskId: string): Promise<number> => {
  for await (const [first] of log.readStream(taskStream(taskId))) {
    if (first === undefined) break
    const { type, data } = taskEvents.read(first)
    if (type !== 'TaskCreated') break
    const file = path.join(data.workdir, traces)
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0
  }
  return 0
}

/** Checks every event, and compares the read models with the log. The server must have ended. */
export const evidenceIn = async (
  log: ReadOnlyLog,
  config: Config,
  taskId: string,
): Promise<Pick<Seen, 'runs' | 'events' | 'problems'>> => {
  const problems: string[] = []
  const { events } = await checkLog(
    log,
    ({ reason }) => void problems.push(reason),
    () => {},
  )
  const compared = await compareAll(
    {
      log,
      file: filesOf(config.dataDir).readModels,
      onDifference: difference => void problems.push(differenceText(difference)),
    },
    () => {},
  )
  if (compared !== log.head()) problems.push('the read models are behind the log')
  return { runs: await runsOf(log, taskId), events, problems }
}
