// What an idle subscriber costs: the memory by which the process grows for each further one. The servers are started for
// this alone and give young objects little room, so that the memory grows by what is kept and not by garbage.
import { residentOf } from './process-use.ts'
import { printRatio, type Target } from './rounds.ts'
import type { Server } from './server.ts'
import type { Subscribers } from './subscribers.ts'

/** Options of Node for these servers. */
export const littleRoom = ['--max-semi-space-size=1']

/** Subscribers that come first, for whose sake the process compiles its code. */
const first = 500
/** Subscribers of one round. One round alone says little, since a process takes memory in large pieces. */
const more = 2500

type Side = { server: Server; subscribe: (server: Server, count: number) => Promise<Subscribers> }

const settled = () => new Promise(resolve => setTimeout(resolve, 1500))

/** KiB of memory for each subscriber. Stops the server. */
const kibOf = async ({ server, subscribe }: Side): Promise<number> => {
  const opened = [await subscribe(server, first)]
  await settled()
  const before = residentOf(server.pid) ?? Number.NaN
  opened.push(await subscribe(server, more))
  await settled()
  const after = residentOf(server.pid) ?? Number.NaN
  for (const each of opened) each.close()
  await server.stop()
  return ((after - before) * 1024) / more
}

/** Starts each side three times, in turns, and prints the ratio of their memory. */
export const printIdleMemory = async (
  title: string,
  ours: () => Promise<Side>,
  bare: () => Promise<Side>,
  target: Target = {},
): Promise<void> => {
  const kib = { ours: [] as number[], bare: [] as number[] }
  for (let round = 0; round < 3; round++) {
    kib.bare.push(await kibOf(await bare()))
    kib.ours.push(await kibOf(await ours()))
  }
  printRatio(title, kib.ours, kib.bare, { unit: 'KiB', target })
}
