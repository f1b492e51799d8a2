// Two hundred kills at points drawn by chance, recovery included, with four tasks at once. SEED=n repeats a run,
// ROUNDS=n shortens it.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import path from 'node:path'
import { builtEntry, mortalServer, playRound, type Round } from '../server/kill-points.ts'
import { randomOf } from '../support/world.ts'

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
const kills = Number(process.env.ROUNDS ?? 200)
console.log(`kill-points: seed ${seed}, ${kills} kills`)
const random = randomOf(seed)
const upTo = (n: number) => Math.floor(random() * n)
const pick = <T>(...choices: T[]) => choices[upTo(choices.length)] as T

// Inside of this repository, where the bundle finds its packages.
const kept = path.resolve(import.meta.dirname, '../../.tap')
if (!existsSync(kept)) mkdirSync(kept)
const folder = mkdtempSync(path.join(kept, 'kill-points-'))
const dataDir = path.join(folder, 'data')
const server = mortalServer(await builtEntry(folder), dataDir, () => ({ reaches: 1 + upTo(60) }))

const problems: string[] = []
let rounds = 0
const play = async (): Promise<void> => {
  while (server.deaths() < kills && problems.length === 0) {
    const round: Round = {
      name: `round-${rounds++}`,
      does: upTo(4) === 0 ? { cancel: true } : { answer: pick('input', 'same task', 'elsewhere') },
      person: pick('resume', 'result'),
    }
    const found = await playRound(server, dataDir, round).catch(error => [`${round.name}: ${error}`])
    problems.push(...found)
    if (rounds % 20 === 0) console.log(`kill-points: ${rounds} tasks, ${server.deaths()} kills`)
  }
}
await Promise.all(Array.from({ length: 4 }, play))
await server.stop()
console.log(`kill-points: ${rounds} tasks, ${server.deaths()} kills`)
for (const problem of problems) console.log(`kill-points: ${problem}`)
if (problems.length === 0) rmSync(folder, { recursive: true })
else console.log(`kill-points: ${server.errors().slice(-2000)}\nkill-points: everything is kept: ${folder}`)
process.exitCode = problems.length === 0 ? 0 : 1
