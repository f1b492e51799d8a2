// npm run bench -- <name> [options] runs a measurement. Without a name, the command lists all of them.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { benches } from './benches.ts'
import { nodeOptions, startVariables } from './support/npm-start.ts'

const here = import.meta.dirname
const [name, ...args] = process.argv.slice(2)
if (name === undefined || !(name in benches)) {
  for (const [known, open] of Object.entries(benches))
    console.log(`${known.padEnd(14)}${(await open()).about}`)
  process.exit(name === undefined ? 0 : 2)
}
spawnSync(process.execPath, [path.join(here, '../build.mjs')], { stdio: 'inherit' })
// Many benches call parts of the server in their own process, so this process starts as `npm start` starts the server.
const bench = [...nodeOptions, path.join(here, 'run-one.ts'), name, ...args]
const { status } = spawnSync(process.execPath, bench, {
  stdio: 'inherit',
  env: { ...process.env, ...startVariables },
})
process.exit(status ?? 1)
