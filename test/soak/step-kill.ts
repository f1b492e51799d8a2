// Two hundred kills during steps of environment sessions that are retried with and without keys. SEED=n repeats a run,
// ROUNDS=n shortens it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { stepKills } from '../server/step-kills.ts'

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
const rounds = Number(process.env.ROUNDS ?? 200)
console.log(`step-kill: seed ${seed}, ${rounds} kills`)

const dataDir = mkdtempSync(path.join(tmpdir(), 'reprise-step-kill-'))
const { problems, ...seen } = await stepKills({
  dataDir,
  seed,
  rounds,
  sessions: 8,
  onRound: round => {
    if (round % 20 === 0) console.log(`step-kill: kill ${round}`)
  },
})
console.log(`step-kill: ${JSON.stringify(seen)}`)
for (const problem of problems) console.log(`step-kill: ${problem}`)
if (problems.length === 0) rmSync(dataDir, { recursive: true })
else console.log(`step-kill: the data folder is kept: ${dataDir}`)
process.exitCode = problems.length === 0 ? 0 : 1
