// reprise rebuild: deletes the read models and builds them again from the log.
import { createFiller } from '../../../projections/fill.ts'
import { openReadStore } from '../../../projections/store.ts'
import { type Config, readConfig } from '../../config.ts'
import type { ReadOnlyLog } from '../../log/read-only.ts'
import { filesOf } from '../../platform/files/data-folder.ts'
import { realWorld } from '../../platform/world.ts'
import { lockData } from '../../shard/opening/folder-lock.ts'
import type { Printer } from '../terminal/printer.ts'
import { createProgressBar } from '../terminal/progress.ts'
import { createReport } from '../terminal/report.ts'
import { type Common, openTerminal, plural } from '../terminal/terminal.ts'
import { openLogOf } from './folder.ts'

/**
 * Builds the read models again, and resolves to the number of tasks in them. The caller must hold the lock of the
 * folder. If the process ends too early, the next start of a server continues the work. Rejects with DamagedEvent.
 */
export const makeReadModels = async (config: Config, log: ReadOnlyLog, printer: Printer): Promise<number> => {
  const store = openReadStore(filesOf(config.dataDir).readModels, true)
  try {
    const end = log.head()
    const progress = createProgressBar(printer, 'making the read models', 'events')
    const parts = { store, log, timers: realWorld().timers, report: createReport('error') }
    await createFiller(parts, position => progress(position, end)).fillTo(end)
    return store.prepare<[], number>('SELECT count(*) FROM tasks').pluck().get() ?? 0
  } finally {
    await store.close()
  }
}

export const rebuild = async (options: Common): Promise<void> => {
  const config = readConfig(process.env)
  const printer = openTerminal(options)
  const log = openLogOf(config)
  const release = lockData(config.dataDir)
  try {
    const began = performance.now()
    const tasks = await makeReadModels(config, log, printer)
    const seconds = Number(((performance.now() - began) / 1000).toFixed(1))
    const position = log.head()
    await printer.rows([
      options.json
        ? JSON.stringify({ position, tasks, seconds })
        : `read models built from ${plural(position, 'event')}: ${plural(tasks, 'task')}, ${seconds} s`,
    ])
  } finally {
    printer.startLine() // removes the progress bar
    await log.close()
    release()
  }
}
