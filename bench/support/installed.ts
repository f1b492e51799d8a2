// The libraries of others that benches measure. They are no dependencies of ours: npm installs them into the folder of the run.
import { execFileSync } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { newFolder } from './folder.ts'

/** Makes a folder with these packages, each with its version, and with these files of bench/baselines. Returns its path. */
export const folderWith = (name: string, packages: readonly string[], files: readonly string[]): string => {
  const folder = newFolder(name)
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}')
  execFileSync('npm', ['install', '--no-audit', '--no-fund', ...packages], {
    ...{ cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] },
  })
  for (const file of files)
    copyFileSync(path.join(import.meta.dirname, '../baselines', file), path.join(folder, file))
  return folder
}
