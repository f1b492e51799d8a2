// Measures an earlier version and this one, bench by bench and one directly after the other, so that both meet the same
// machine. Each version runs its own benches, since the parts that a bench calls change from version to version.
import { type SpawnSyncOptions, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { newFolder } from './support/folder.ts'

export const about =
  'before <commit> <name>...: runs each named bench of that commit, and then of this version'

const root = path.resolve(import.meta.dirname, '..')

const succeed = (command: string, args: string[], options: SpawnSyncOptions): void => {
  const { status } = spawnSync(command, args, { stdio: 'inherit', ...options })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`)
}

/** Without what npm has set for this run, so that each version runs on the Node that its own scripts have. */
const ownEnv = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'))),
  PATH: (process.env.PATH ?? '')
    .split(path.delimiter)
    .filter(folder => !folder.startsWith(root))
    .join(path.delimiter),
}

/** Installs the version of a commit in a new folder. */
const checkOut = (commit: string): string => {
  const folder = newFolder('before')
  const archive = path.join(folder, '..', 'before.tar')
  succeed('git', ['archive', '--output', archive, commit], { cwd: root })
  succeed('tar', ['-xf', archive, '-C', folder], {})
  succeed('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, env: ownEnv })
  return folder
}

const runBench = (folder: string, version: string, name: string): void => {
  console.log(`\n== ${name}, ${version} (${new Date().toISOString()})`)
  if (!existsSync(path.join(folder, 'bench', `${name}.ts`))) {
    console.log('  this version has no such bench')
    return
  }
  const { status } = spawnSync('npm', ['run', '--silent', 'bench', '--', name], {
    cwd: folder,
    env: ownEnv,
    stdio: 'inherit',
  })
  if (status !== 0) console.log(`  the bench ended with ${status}: it has no result for this version`)
}

export const run = async ([commit, ...names]: string[]): Promise<void> => {
  if (commit === undefined || names.length === 0) throw new Error(`use: npm run bench -- ${about}`)
  const before = checkOut(commit)
  for (const name of names) {
    runBench(before, commit, name)
    runBench(root, 'this version', name)
  }
}
