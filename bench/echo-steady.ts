// How late answers are while the server is not at its limit: at 70 % of the tasks that it can make in a second, which are
// counted first. The baseline gets as many requests.
import { newFolder } from './support/folder.ts'
import { checkAnswer, load } from './support/load.ts'
import { createNotes, interleave, printDifference } from './support/rounds.ts'
import { type Server, startOneInsert, startOurs } from './support/server.ts'
import { steadyLoad } from './support/steady-load.ts'

export const about =
  'p99 of a blocking echo task at 70 % of capacity, against one durable insert at the same rate'

const share = 0.7
/** Milliseconds that the p99 may be above that of the baseline. */
const target = 15

export const run = async (): Promise<void> => {
  const ours = await startOurs(newFolder('ours'))
  const baseline = await startOneInsert(newFolder('baseline'))
  await checkAnswer(ours, false)
  await load(ours, { clients: 32, seconds: 3 })
  const { rate } = await load(ours, { clients: 32, seconds: 6 })
  const perSecond = Math.round(share * rate)
  const notes = createNotes()
  const side = (server: Server, name: string) => async () => {
    const { p50, p99 } = await steadyLoad(server, { perSecond, seconds: 6 })
    notes.add(`${name} p50 ms`, p50)
    return p99
  }
  const rounds = await interleave({ baseline: side(baseline, 'baseline'), ours: side(ours, 'ours') })
  printDifference(`p99 of ${perSecond} echo tasks a second`, rounds.ours, rounds.baseline, {
    unit: 'ms',
    atMost: target,
  })
  notes.print()
  await ours.stop()
  await baseline.stop()
}
