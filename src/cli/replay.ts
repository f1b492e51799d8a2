// reprise replay: folds stored events again and compares the result with the read models. It runs no effects.
import { readConfig } from '../config.ts'
import { CannotStart } from '../contract/cannot-start.ts'
import { Unfit } from './compared.ts'
import { NoAnswer } from './exit.ts'
import { openLogOf } from './folder.ts'
import { replayAll } from './replay-all.ts'
import { replayTask } from './replay-task.ts'
import { type Common, openTerminal } from './terminal.ts'

export const replay = async (taskId: string | undefined, options: Common & { all?: true }): Promise<void> => {
  if ((taskId === undefined) === (options.all === undefined)) {
    throw new CannotStart('name one task, or all of them: reprise replay <task>, or reprise replay --all')
  }
  const config = readConfig(process.env)
  const printer = openTerminal(options)
  const log = openLogOf(config)
  const replaying = { config, log, printer, json: options.json === true }
  try {
    await (taskId === undefined ? replayAll(replaying) : replayTask(replaying, taskId))
  } catch (error) {
    if (error instanceof Unfit) throw new NoAnswer(`${error.message}: reprise rebuild builds them again`)
    throw error
  } finally {
    printer.startLine() // removes the progress bar
    await log.close()
  }
}
