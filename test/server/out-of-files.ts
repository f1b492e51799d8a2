// Takes every file that this process may still open, and then opens a part of a data folder: prints how that fails.
import { openSync } from 'node:fs'
import { exitCodeOf } from '../../src/cli/terminal/exit.ts'
import { sqliteStore } from '../../src/log/file/sqlite-store.ts'
import { openSecrets } from '../../src/platform/secrets.ts'
import { lockFolder } from '../../src/platform/sqlite/lock-file.ts'

const [, , what = '', file = ''] = process.argv
const parts: Record<string, () => unknown> = {
  'lock.db': () => lockFolder(file, () => 'in use')(),
  'secrets.db': () => openSecrets(file),
  'log.db': () => sqliteStore(file, () => 'log_1', []),
}
try {
  parts[what]?.() // everything that is loaded later needs files, too
} catch {}
try {
  for (;;) openSync('/dev/null', 'r')
} catch {}
try {
  parts[what]?.()
  process.stdout.write('it opens')
} catch (error) {
  process.stdout.write(`${exitCodeOf(error)} ${(error as Error).message}`)
}
process.exit()
