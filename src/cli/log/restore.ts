// reprise restore: makes a data folder from a backup, and builds its read models.
import { existsSync } from 'node:fs'
import { makeDataDir, readConfig } from '../../config.ts'
import { CannotStart } from '../../contract/cannot-start.ts'
import { openStore } from '../../log/chosen-storage.ts'
import { openLog } from '../../log/log.ts'
import { removePart, restore } from '../../maintenance/backup/backup.ts'
import { filesOf } from '../../platform/files/data-folder.ts'
import { build } from '../../platform/version.ts'
import { realWorld } from '../../platform/world.ts'
import { knownToAnchor, signRestored } from '../../shard/opening/checked-anchor.ts'
import { lockData } from '../../shard/opening/folder-lock.ts'
import { mustBeAlone } from '../../shard/opening/must-be-alone.ts'
import { knownIn, resume } from '../../shard/opening/resumed-log.ts'
import { createReport } from '../terminal/report.ts'
import { openTerminal, plural } from '../terminal/terminal.ts'
import { answering, type CopyOptions, copiedText, stepsOf } from './backup.ts'
import { openLogOf } from './folder.ts'
import { makeReadModels } from './rebuild.ts'

const openForAppend = (file: string, logId: string) => {
  const { clock, random } = realWorld()
  return openLog(
    openStore(file, () => logId),
    { clock, random, build },
  )
}

export const restoreFile = async (file: string, options: CopyOptions): Promise<void> => {
  const config = readConfig(process.env)
  if (!existsSync(file)) throw new CannotStart(`the backup ${file} does not exist`)
  const files = filesOf(config.dataDir)
  const report = createReport(config.logLevel)
  const printer = openTerminal(options, () => removePart(files.log))
  makeDataDir(config.dataDir)
  const release = lockData(config.dataDir)
  try {
    mustBeAlone(config.dataDir)
    const goOn = async (part: string, { log_id }: { log_id: string }) => {
      const log = openForAppend(part, log_id)
      try {
        const known = await knownIn(config.dataDir, log_id, await knownToAnchor(config.proof, log, report))
        await resume(log, known, 'restored')
      } finally {
        await log.close()
      }
    }
    const copied = await answering(restore(file, files.log, options.force === true, goOn, stepsOf(printer)))
    const restored = openForAppend(files.log, copied.log_id)
    await signRestored(config, restored, report).finally(() => restored.close())
    const log = openLogOf(config)
    const tasks = await makeReadModels(config, log, printer)
    await log.close()
    await printer.rows([
      options.json
        ? JSON.stringify({ data_dir: config.dataDir, ...copied, tasks })
        : `${config.dataDir}: ${copiedText(copied)}, ${plural(tasks, 'task')}`,
    ])
  } finally {
    printer.startLine() // removes the progress bar
    release()
  }
}
