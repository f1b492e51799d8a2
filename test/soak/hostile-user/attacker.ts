// A process that attacks with one token until it is told to stop, and then says what it was answered. Started by
// hostile-user.ts; it gives way to the server, which is what is tested.
import { execFileSync } from 'node:child_process'
import * as bodies from './bodies.ts'
import { type Attack, type Counts, createHand, sleep, type Target } from './hand.ts'
import * as others from './others.ts'
import * as reads from './reads.ts'
import * as work from './work.ts'

export const groups = {
  bodies: { ...bodies },
  reads: { ...reads },
  work: { ...work, ...others },
} satisfies Record<string, Record<string, Attack>>
export type Group = keyof typeof groups
export type Order = Target & { group: Group; only: string[] }

// This process gets only processor time that no other process wants (SCHED_IDLE). The lowest nice value is not enough: a
// nice thread on a processor goes on for some milliseconds when a thread of the server wakes up. `--all-tasks` includes
// the threads of V8, which collect garbage.
execFileSync('chrt', ['--idle', '--all-tasks', '--pid', '0', String(process.pid)])
const stop = new AbortController()
process.once('message', async (order: Order) => {
  const attacks = Object.entries(groups[order.group] as Record<string, Attack>)
  const hand = createHand(order, () => stop.signal.aborted)
  const wanted = attacks.filter(([name]) => order.only.length === 0 || order.only.includes(name))
  process.once('message', () => stop.abort())
  for (const [, attack] of wanted) {
    void attack(hand).catch(error => process.stderr.write(`${error.stack}\n`))
    await sleep(200)
  }
  while (!stop.signal.aborted) await sleep(50)
  process.send?.(hand.counts satisfies Counts, () => process.exit(0))
})
