// Measures how fast echo tasks are created, against the smallest durable server, with few and with many clients.
import { newFolder } from './folder.ts'
import { checkAnswer, load } from './load.ts'
import { createNotes, interleave, printRatio, type Target } from './rounds.ts'
import { type Server, startOneInsert, startOurs } from './server.ts'
import { median, short } from './stats.ts'

const crowds = [32, 128]

export const echoBench = async (title: string, stream: boolean, target: Target): Promise<void> => {
  const ours = await startOurs(newFolder('ours'))
  const baseline = await startOneInsert(newFolder('baseline'))
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
      if (cpuPerAnswer !== undefined) cpu[name].push(1 / cpuPerAnswer)
      notes.add(`${name} load's share of a core`, generator)
      return rate
    }
    const rounds = await interleave({
      baseline: side(baseline, 'baseline', false),
      ours: side(ours, 'ours', stream),
    })
    printRatio(`${title}, ${clients} clients`, rounds.ours, rounds.baseline, { unit: 'a second', target })
    notes.print()
    // The CPU time of all threads of the server, warm-up included: a busy machine disturbs this number least.
    const perCpu = median(cpu.ours) / median(cpu.baseline)
    console.log(`  cpu       ${short(perCpu)} of the baseline's answers for each second of CPU (no target)`)
    cpu.ours = []
    cpu.baseline = []
  }
  await ours.stop()
  await baseline.stop()
}
