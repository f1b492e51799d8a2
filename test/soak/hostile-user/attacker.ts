// A process that attacks with one token until it is told to stop, and then says what it was answered. Started by
// hostile-user.ts; it is nice to the server, which is what is tested.
import { readdirSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
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

// The threads that V8 has started collect the garbage of this process.
for (const thread of readdirSync('/proc/self/task'))
  setPriority(Number(thread), constants.priority.PRIORITY_LOW)
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
