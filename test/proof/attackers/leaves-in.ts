import { openStoredRows } from '../../../src/log/stored-rows.ts'
import { logOf } from '../verify/signed-folder.ts'

/** The leaves of a log, in order. */
export const leavesIn = (dataDir: string): string[] => {
  const rows = openStoredRows(logOf(dataDir))
  const leaves = [...rows.pages(0, rows.head())].flatMap(page => page.map(({ leaf }) => leaf))
  rows.close()
  return leaves
}
