import { closeSync, copyFileSync, fsyncSync, openSync } from 'node:fs'
import { callLog } from './support/callers.ts'
import { newFolder } from './support/folder.ts'
import { makeLog } from './support/made-history.ts'
import { logFile, openFileLog } from './support/open-log.ts'
import { interleave, printRatio } from './support/rounds.ts'

export const about = 'appending to a log of a million events, against one of ten thousand'

const callers = 512
const events = 60_000
const warmUp = 1
const rounds = 9
const deep = 1_000_000
const shallow = 10_000

/** Each round opens the log again, so that both logs begin with an empty WAL and empty caches. */
const append = async (folder: string): Promise<number> => {
  const log = openFileLog(folder)
  await callLog(log, callers, 5000)
  const rate = await callLog(log, callers, events)
  await log.close()
  return rate
}

/** Makes copies of a folder. They are on the disk before anything is measured. */
const copies = (folder: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => {
    const copy = newFolder(`short-${n}`)
    copyFileSync(logFile(folder), logFile(copy))
    const file = openSync(logFile(copy), 'r+')
    fsyncSync(file)
    closeSync(file)
    return copy
  })

export const run = async (): Promise<void> => {
  const [long, short] = [newFolder('long'), newFolder('short')]
  await makeLog(long, { events: deep })
  await makeLog(short, { events: shallow })
  const again = copies(short, warmUp + rounds)
  const measured = await interleave(
    { short: () => append(again.pop() ?? short), long: () => append(long) },
    { warmUp, rounds },
  )
  const title = `append, ${callers} callers, after 1,000,000 events against after 10,000`
  printRatio(title, measured.long, measured.short, { unit: 'events/s', target: { atLeast: 0.95 } })
}
