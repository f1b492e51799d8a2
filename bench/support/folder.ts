// Data folders of a run. They are new, are all on one disk, and are removed in whatever way the run ends.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

let root: string | undefined
const remove = () => {
  if (root !== undefined) rmSync(root, { recursive: true, force: true })
  root = undefined
}

/**
 * Makes a new folder. BENCH_DIR names a folder on the disk to measure; by default it is the one for temporary files.
 */
export const newFolder = (name: string): string => {
  if (root === undefined) {
    root = mkdtempSync(path.join(process.env.BENCH_DIR ?? tmpdir(), 'reprise-bench-'))
    process.on('exit', remove)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
  }
  const folder = path.join(root, name)
  mkdirSync(folder, { recursive: true })
  return folder
}

export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true })
