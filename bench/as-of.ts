import { newFolder } from './support/folder.ts'
import { makeLog, makeReadModels } from './support/made-history.ts'
import { interleave, printRatio } from './support/rounds.ts'
import { adminToken, startOurs } from './support/server.ts'
import { median } from './support/stats.ts'

export const about = 'the list of tasks as of a position of a log of a million events, against the live list'

const events = 1_000_000
const calls = 100

export const run = async (args: string[]): Promise<void> => {
  const count = Number(args[0] ?? events)
  const folder = newFolder('as-of')
  await makeLog(folder, { events: count, unfinished: 1000 })
  await makeReadModels(folder)
  const server = await startOurs(folder)
  const headers = { authorization: `Bearer ${adminToken}` }
  /** Resolves to the median milliseconds of a list with this query. */
  const timed = (query: (n: number) => string) => async (): Promise<number> => {
    const times: number[] = []
    for (let n = 0; n < calls; n++) {
      const began = performance.now()
      const answer = await fetch(`${server.url}/v1/tasks?${query(n)}`, { headers })
      if (answer.status !== 200) throw new Error(await answer.text())
      await answer.text()
      times.push(performance.now() - began)
    }
    return median(times)
  }
  const somewhere = (n: number): number => 1 + Math.floor(((n * 0.618033988749895) % 1) * count)
  for (const [title, filter] of [
    ['10 of all', ''],
    ['10 completed', '&status=completed'],
  ] as const) {
    const rounds = await interleave({
      live: timed(() => `limit=10${filter}`),
      past: timed(n => `limit=10${filter}&as_of=position:${somewhere(n)}`),
    })
    printRatio(
      `${title}, as of any position of ${count.toLocaleString('en')} events`,
      rounds.past,
      rounds.live,
      {
        unit: 'ms',
        target: { atMost: 5 },
      },
    )
  }
  await server.stop()
}
