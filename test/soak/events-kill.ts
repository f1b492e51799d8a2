// Two hundred subscribers over twenty rounds of kill -9. SEED=n repeats a run, ROUNDS=n shortens it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { eventRounds } from '../server/event-rounds.ts'

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
const rounds = Number(process.env.ROUNDS ?? 20)
console.log(`events-kill: seed ${seed}, ${rounds} rounds`)

const dataDir = mkdtempSync(path.join(tmpdir(), 'reprise-events-kill-'))
const { problems, ...seen } = await eventRounds({
  dataDir,
  seed,
  rounds,
  subscribers: 200,
  atMost: 40_000,
  onRound: round => console.log(`events-kill: round ${round}`),
})
console.log(`events-kill: ${JSON.stringify(seen)}`)
for (const problem of problems) console.log(`events-kill: ${problem}`)
if (problems.length === 0) rmSync(dataDir, { recursive: true })
else console.log(`events-kill: the data folder is kept: ${dataDir}`)
process.exitCode = problems.length === 0 ? 0 : 1
