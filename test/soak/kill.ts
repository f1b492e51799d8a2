// Two hundred rounds of kill -9 under load. SEED=n repeats a run, ROUNDS=n shortens it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { killRounds } from '../server/kill-rounds.ts'

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
const rounds = Number(process.env.ROUNDS ?? 200)
console.log(`kill: seed ${seed}, ${rounds} rounds`)

const dataDir = mkdtempSync(path.join(tmpdir(), 'reprise-kill-'))
const { problems, ...seen } = await killRounds({
  dataDir,
  seed,
  rounds,
  atMost: 400,
  onRound: round => {
    if (round % 20 === 0) console.log(`kill: round ${round}`)
  },
})
console.log(`kill: ${JSON.stringify(seen)}`)
for (const problem of problems) console.log(`kill: ${problem}`)
if (problems.length === 0) rmSync(dataDir, { recursive: true })
else console.log(`kill: the data folder is kept: ${dataDir}`)
process.exitCode = problems.length === 0 ? 0 : 1
