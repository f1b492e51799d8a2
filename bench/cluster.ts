// What a second machine costs: the log and the server of a cluster, on three real nats-servers, against those of one
// machine. All processes share this machine, so the cluster does the work of five machines on it.
import { performance } from 'node:perf_hooks'
import type { EventLog } from '../src/log/log.ts'
import { takeover } from './cluster-takeover.ts'
import { callLog } from './support/callers.ts'
import { newFolder } from './support/folder.ts'
import { echoBody } from './support/load.ts'
import { type NatsCluster, startNatsCluster } from './support/nats-cluster.ts'
import { createCaller } from './support/one-by-one.ts'
import { openFileLog } from './support/open-log.ts'
import { createNotes, interleave, printDifference, printRatio } from './support/rounds.ts'
import { startOurs } from './support/server.ts'
import { median, percentile } from './support/stats.ts'

export const about =
  'a cluster on three local nats-servers against one machine; options: append, echo, takeover, --events N, --rounds N'

const callers = 512
const echoes = 200
const parts = ['append', 'echo', 'takeover'] as const
/** Events of a round of appends for each 1,000 events of the log that is taken over. */
const appendShare = 0.2

/** Follows the whole shared log with an empty copy. Resolves to the events a second. */
const followAll = async (
  cluster: NatsCluster,
  name: string,
  from: Awaited<ReturnType<NatsCluster['openReplica']>>,
) => {
  const copy = await cluster.openReplica(name)
  copy.keys.store(from.keys.missing([], Number.MAX_SAFE_INTEGER))
  const { position } = from.replica.caughtUp()
  const began = performance.now()
  await copy.replica.follow()
  while (copy.replica.caughtUp().position < position) await new Promise(resolve => setTimeout(resolve, 5))
  const rate = (position / (performance.now() - began)) * 1000
  await copy.replica.stop()
  return rate
}

const append = async (events: number, rounds: number): Promise<void> => {
  const cluster = await startNatsCluster('append')
  const owner = await cluster.openReplica('owner')
  await owner.replica.claim()
  const [alone, replicated] = [openFileLog(newFolder('alone')), owner.openLog()]
  const notes = createNotes()
  const cpu = { baseline: [] as number[], ours: [] as number[] }
  const measured = (log: EventLog, name: keyof typeof cpu) => async (): Promise<number> => {
    const before = process.cpuUsage()
    const turns = performance.eventLoopUtilization()
    const rate = await callLog(log, callers, events)
    const { user, system } = process.cpuUsage(before)
    cpu[name].push((user + system) / events)
    notes.add(`${name}: main thread busy`, performance.eventLoopUtilization(turns).utilization)
    return rate
  }
  const { baseline, ours } = await interleave(
    { baseline: measured(alone, 'baseline'), ours: measured(replicated, 'ours') },
    { rounds },
  )
  printRatio(`append, ${callers} callers, replicated against one machine`, ours, baseline, {
    unit: 'events/s',
    target: { atLeast: 0.45 },
  })
  notes.print()
  printRatio('processor time of an event, without that of the servers', cpu.ours, cpu.baseline, {
    unit: 'µs',
    target: { atMost: 1.6 },
  })
  const follows = await interleave(
    {
      baseline: async () => callLog(alone, callers, events),
      ours: (
        copies => () =>
          followAll(cluster, `copy-${++copies}`, owner)
      )(0),
    },
    { warmUp: 0, rounds: Math.min(rounds, 3) },
  )
  printRatio(
    'following the log with an empty copy, against appends of one machine',
    follows.ours,
    follows.baseline,
    {
      unit: 'events/s',
      target: { atLeast: 0.23 },
    },
  )
  await owner.replica.stop()
  await cluster.stop()
}

const echo = async (rounds: number): Promise<void> => {
  const alone = await startOurs(newFolder('echo-alone'))
  const cluster = await startNatsCluster('echo')
  const owner = await cluster.startNode('a', { role: 'owner' })
  const standby = await cluster.startNode('b')
  const p99 = createNotes()
  const measured = (url: string, name: string) => async (): Promise<number> => {
    const caller = await createCaller(url)
    const times: number[] = []
    for (let n = 0; n < echoes; n++) {
      const began = performance.now()
      await caller.post('/v1/tasks', JSON.parse(echoBody(n, false)))
      times.push(performance.now() - began)
    }
    caller.close()
    p99.add(`${name} p99 ms`, percentile(times, 0.99))
    return median(times)
  }
  const { baseline, ours, hop } = await interleave(
    {
      baseline: measured(alone.url, 'one machine'),
      ours: measured(owner.url, 'owner'),
      hop: measured(standby.url, 'standby'),
    },
    { rounds },
  )
  printDifference('a blocking echo task at the owner, p50', ours, baseline, { unit: 'ms', atMost: 6 })
  printDifference('the same at the standby, p50', hop, baseline, { unit: 'ms', atMost: 8 })
  p99.print()
  for (const server of [standby, owner, alone]) await server.stop()
  await cluster.stop()
}

const numberAfter = (args: string[], option: string, usual: number): number => {
  const given = args[args.indexOf(option) + 1]
  return args.includes(option) ? Number(given) : usual
}

export const run = async (args: string[]): Promise<void> => {
  const events = numberAfter(args, '--events', 100_000)
  const rounds = numberAfter(args, '--rounds', 5)
  const wanted = parts.filter(part => args.includes(part))
  for (const part of wanted.length > 0 ? wanted : parts) {
    if (part === 'append') await append(events * appendShare, rounds)
    if (part === 'echo') await echo(rounds)
    if (part === 'takeover') await takeover(events, Math.min(rounds, 3))
  }
}
