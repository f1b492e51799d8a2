// reprise restore: a data folder from a backup, its read models included.
import { existsSync } from 'node:fs'
import { removePart, restore } from '../backup.ts'
import { makeDataDir, readConfig } from '../config.ts'
import { CannotStart } from '../contract/cannot-start.ts'
import { filesOf } from '../data-folder.ts'
import { answering, type CopyOptions, copiedText, stepsOf } from './backup.ts'
import { holdFolder, openLogOf } from './folder.ts'
import { makeReadModels } from './rebuild.ts'
import { openTerminal, plural } from './terminal.ts'

export const restoreFile = async (file: string, options: CopyOptions): Promise<void> => {
  const config = readConfig(process.env)
  if (!existsSync(file)) throw new CannotStart(`there is no backup at ${file}`)
  const files = filesOf(config.dataDir)
  const printer = openTerminal(options, () => removePart(files.log))
  makeDataDir(config.dataDir)
  const letGo = holdFolder(config)
  try {
    const copied = await answering(restore(file, files.log, options.force === true, stepsOf(printer)))
    const log = openLogOf(config)
    const tasks = await makeReadModels(config, log, printer)
    await log.close()
    await printer.rows([
      options.json
        ? JSON.stringify({ data_dir: config.dataDir, ...copied, tasks })
        : `${config.dataDir}: ${copiedText(copied)}, ${plural(tasks, 'task')}`,
    ])
  } finally {
    printer.startLine() // where the bar was
    letGo()
  }
}
