// npm run soak: every other file of this folder in turn, each a process of its own that reads its seed from SEED
// and ends with 0 when it passed. npm run soak -- kill runs that one only.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'

const wanted = process.argv.slice(2)
const names = readdirSync(import.meta.dirname)
  .filter(file => file.endsWith('.ts') && file !== 'run.ts')
  .map(file => path.basename(file, '.ts'))
  .sort()
const unknown = wanted.filter(name => !names.includes(name))
if (unknown.length > 0) {
  console.error(`no such soak test: ${unknown.join(', ')}; there are ${names.join(', ')}`)
  process.exit(2)
}

let passed = 0
let failed = 0
for (const name of wanted.length === 0 ? names : wanted) {
  const seed = process.env.SEED ?? String(Math.floor(Math.random() * 1_000_000))
  console.log(`${name}  seed ${seed}`)
  const started = performance.now()
  const { status } = spawnSync(
    process.execPath,
    ['--import', 'tsx', path.join(import.meta.dirname, `${name}.ts`)],
    { env: { ...process.env, SEED: seed }, stdio: 'inherit' },
  )
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`${name}  seed ${seed}  ${status === 0 ? 'passed' : 'FAILED'}  ${seconds} s`)
  if (status === 0) passed++
  else failed++
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
