// `npm run test:node -- 22` runs `npm test` on Node 22, and `npm run test:node -- 22.18.0 test/log/audit.test.ts` runs only
// these files. Node is kept in .node/22; to get a newer version of Node 22, delete that folder.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const [version = '', ...files] = process.argv.slice(2)
if (!/^\d+(\.\d+){0,2}$/.test(version)) {
  process.stderr.write('usage: npm run test:node -- 22 [test files]\n')
  process.exit(2)
}
const root = path.resolve(import.meta.dirname, '../..')
const folder = path.join(root, '.node', version)
/** The package with the program for this machine, as in toolchain/package.json. It needs no install script. */
const platform = `node-${process.platform}-${process.arch}`
const program = path.join(folder, 'node_modules', platform, 'bin/node')
// `npm run` sets variables that name its own Node and its settings: what runs on another Node must not see them.
const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE$|NODE_OPTIONS$)/i.test(name))
const env = {
  ...Object.fromEntries(kept),
  PATH: [path.dirname(program), process.env.PATH].join(path.delimiter),
}
const run = (command: string, args: string[], cwd: string): void => {
  const { status, error } = spawnSync(command, args, { cwd, env, stdio: 'inherit' })
  if (error !== undefined) throw error
  if (status !== 0) process.exit(status ?? 1)
}
if (!existsSync(program)) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'package.json'), '{"private":true}\n')
  run('npm', ['install', '--no-save', '--no-package-lock', `${platform}@${version}`], folder)
}
run(program, ['-p', "'Node ' + process.version"], root)
run(program, ['test/run.ts', ...files], root)
