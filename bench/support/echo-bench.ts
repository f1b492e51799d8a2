// Measures how fast a server creates echo tasks, against one that does less, with few and with many clients.
import { newFolder } from './folder.ts'
import { checkAnswer, load } from './load.ts'
import { createNotes, interleave, printRatio, type Target } from './rounds.ts'
import { type Server, startOurs } from './server.ts'

type EchoBench = {
  /** Whether our tasks are streamed. */
  stream?: boolean
  /** Whether those of the other server are streamed, too. */
  baselineStream?: boolean
  /** The numbers of clients. */
  crowds?: number[]
  /** Starts the server that is measured: Reprise. */
  measured?(dataDir: string): Promise<Server>
  /** Starts the other server. */
  against(dataDir: string): Promise<Server>
  /** Of the rate. */
  target?: Target
  /** Of the processor time of an answer, ours divided by that of the other server. */
  cpuTarget?: Target
}

let pairs = 0

export const echoBench = async (
  title: string,
  {
    stream = false,
    baselineStream = false,
    crowds = [32, 128],
    measured = startOurs,
    against,
    target = {},
    cpuTarget = {},
  }: EchoBench,
): Promise<void> => {
  // A run may compare several pairs of servers.
  pairs++
  const ours = await measured(newFolder(`ours-${pairs}`))
  const baseline = await against(newFolder(`baseline-${pairs}`))
  await checkAnswer(ours, stream)
  const notes = createNotes()
  const cpu = { ours: [] as number[], baseline: [] as number[] }
  for (const clients of crowds) {
    const side = (server: Server, name: 'ours' | 'baseline', answersStream: boolean) => async () => {
      const { rate, p50, p99, cpuPerAnswer, generator } = await load(server, {
        clients,
        seconds: 4,
        stream: answersStream,
      })
      notes.add(`${name} p50 ms`, p50)
      notes.add(`${name} p99 ms`, p99)
      notes.add(`${name} cpu ms/answer`, cpuPerAnswer)
      if (cpuPerAnswer !== undefined) cpu[name].push(cpuPerAnswer)
      notes.add(`${name} load's share of a core`, generator)
      return rate
    }
    const rounds = await interleave({
      baseline: side(baseline, 'baseline', baselineStream),
      ours: side(ours, 'ours', stream),
    })
    printRatio(`${title}, ${clients} clients`, rounds.ours, rounds.baseline, { unit: 'a second', target })
    notes.print()
    // Of all threads of the server: a busy machine disturbs this number least.
    const last = (all: number[]) => all.slice(-rounds.ours.length)
    printRatio('  the same: processor time of an answer', last(cpu.ours), last(cpu.baseline), {
      ...{ unit: 'ms', target: cpuTarget },
    })
    cpu.ours = []
    cpu.baseline = []
  }
  await ours.stop()
  await baseline.stop()
}
