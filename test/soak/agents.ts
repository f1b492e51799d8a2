// A hundred kills of the server, of the hosts of agents and of a worker, while tasks of agents run. SEED=n repeats a run,
// ROUNDS=n shortens it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { agentKills } from '../agent-hosts/kill-rounds.ts'

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
const kills = Number(process.env.ROUNDS ?? 100)
console.log(`agents: seed ${seed}, ${kills} kills`)

const dataDir = mkdtempSync(path.join(tmpdir(), 'reprise-agents-'))
const { problems, ...seen } = await agentKills({
  ...{ dataDir, seed, kills, tasks: 12, between: 1500 },
  victims: ['server', 'host', 'worker'],
  onKill: n => {
    if (n % 10 === 0) console.log(`agents: kill ${n}`)
  },
})
console.log(`agents: ${JSON.stringify(seen)}`)
for (const problem of problems) console.log(`agents: ${problem}`)
if (problems.length === 0) rmSync(dataDir, { recursive: true })
else console.log(`agents: the data folder is kept: ${dataDir}`)
process.exitCode = problems.length === 0 ? 0 : 1
