// npm run bench -- <name> [options] runs a measurement. Without a name, the command lists all of them.
import { spawnSync } from 'node:child_process'
import path from 'node:path'

type Bench = { about: string; run(args: string[]): Promise<void> }

const benches: Record<string, () => Promise<Bench>> = {
  echo: () => import('./echo.ts'),
  'echo-stream': () => import('./echo-stream.ts'),
  'echo-steady': () => import('./echo-steady.ts'),
  tools: () => import('./tools.ts'),
  agents: () => import('./agents.ts'),
  'model-stream': () => import('./model-stream.ts'),
  'model-tasks': () => import('./model-tasks.ts'),
  'model-log': () => import('./model-log.ts'),
  join: () => import('./join.ts'),
  events: () => import('./events.ts'),
  ws: () => import('./ws.ts'),
  watchers: () => import('./watchers.ts'),
  webhooks: () => import('./webhooks.ts'),
  cron: () => import('./cron.ts'),
  'cron-load': () => import('./cron-load.ts'),
  relay: () => import('./relay.ts'),
  append: () => import('./append.ts'),
  'append-depth': () => import('./append-depth.ts'),
  replicated: () => import('./replicated.ts'),
  cluster: () => import('./cluster.ts'),
  rebuild: () => import('./rebuild.ts'),
  'env-steps': () => import('./env-steps.ts'),
  replay: () => import('./replay.ts'),
  verify: () => import('./verify.ts'),
  proof: () => import('./proof.ts'),
  'as-of': () => import('./as-of.ts'),
  lists: () => import('./lists.ts'),
  bodies: () => import('./bodies.ts'),
  'large-answers': () => import('./large-answers.ts'),
  start: () => import('./start.ts'),
  memory: () => import('./memory.ts'),
}

const [name, ...args] = process.argv.slice(2)
const bench = name === undefined ? undefined : benches[name]
if (bench === undefined) {
  for (const [known, open] of Object.entries(benches))
    console.log(`${known.padEnd(14)}${(await open()).about}`)
  process.exit(name === undefined ? 0 : 2)
}
spawnSync(process.execPath, [path.resolve(import.meta.dirname, '../build.mjs')], { stdio: 'inherit' })
await (await bench()).run(args)
process.exit(0) // whatever a bench left open
