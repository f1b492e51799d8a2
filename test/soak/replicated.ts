// The suites of the log on a log that JetStream holds, and the whole suite on a replicated log: each server and each
// system that a test opens in its own process writes to servers in memory first. A number n runs each nth file of the
// suite; FIRST=k begins with the kth.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')
const every = Number(process.argv[2] ?? 1)
const first = Number(process.env.FIRST ?? 0)
const all = readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.test.ts'))
  .map(name => path.join('test', name))
  .sort()
const onBoth = all.filter(file => readFileSync(path.join(root, file), 'utf8').includes('onBothStores('))

const passes = (files: string[], env: Record<string, string>): boolean => {
  console.log(`${files.length} test files with ${JSON.stringify(env)}`)
  const { status } = spawnSync(process.execPath, [path.join(root, 'test/run.ts'), ...files], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  })
  return status === 0
}
const results = [
  passes(onBoth, { SHARED_LOG: 'jetstream' }),
  passes(
    all.filter((_, n) => n % every === first % every),
    { STORE: 'replicated' },
  ),
]
process.exit(results.every(Boolean) ? 0 : 1)
