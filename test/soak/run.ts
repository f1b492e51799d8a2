// npm run soak: every other file of this folder in turn, each a process of its own that reads its seed from SEED
// and ends with 0 when it passed. npm run soak -- kill runs that one only. A number goes to the test named before it:
// npm run soak -- hostile-user 2 attacks for two minutes.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'

const isNumber = (argument: string) => /^\d+(\.\d+)?$/.test(argument)
const given = process.argv.slice(2)
const wanted = given.filter(argument => !isNumber(argument))
const numbersOf = (name: string) =>
  given.slice(given.indexOf(name) + 1, given.indexOf(name) + 2).filter(isNumber)
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
    [path.join(import.meta.dirname, `${name}.ts`), ...numbersOf(name)],
    { env: { ...process.env, SEED: seed }, stdio: 'inherit' },
  )
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`${name}  seed ${seed}  ${status === 0 ? 'passed' : 'FAILED'}  ${seconds} s`)
  if (status === 0) passed++
  else failed++
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
