import path from 'node:path'
import { realWorld } from '../src/platform/world.ts'
import { createProof } from '../src/proof/proof.ts'
import { proofOf } from '../src/proof/settings.ts'
import { callLog } from './support/callers.ts'
import { newFolder } from './support/folder.ts'
import { makeLog } from './support/made-history.ts'
import { logFile, openFileLog } from './support/open-log.ts'
import { interleave, printRatio } from './support/rounds.ts'
import { median } from './support/stats.ts'

export const about = 'the proof of one event of a million, and what a checkpoint a second costs appends'

const events = 1_000_000
const proofs = 500
const callers = 64
const appended = 200_000
const report = () => {}

/** A log in a folder, and what proves it. */
const open = (folder: string) => {
  const log = openFileLog(folder)
  const { clock, timers } = realWorld()
  const files = { log: logFile(folder), tiles: path.join(folder, 'tiles') }
  const settings = proofOf({}, folder)
  return { log, proof: createProof({ log, settings, files, anchor: undefined, clock, timers, report }) }
}

const proveOne = async (count: number): Promise<void> => {
  const folder = newFolder('proof')
  await makeLog(folder, { events: count, unfinished: 1000 })
  const { log, proof } = open(folder)
  const began = performance.now()
  await proof.signer.sign()
  const size = proof.signer.newest()?.size ?? 0
  console.log(
    `  (the tree of ${size.toLocaleString('en')} events: ${Math.round(performance.now() - began)} ms)`,
  )
  const times: number[] = []
  for (let n = 0; n < proofs; n++) {
    const position = 1 + Math.floor(((n * 0.618033988749895) % 1) * size)
    const since = performance.now()
    await proof.tree.ask('inclusion', { position, size })
    times.push(performance.now() - since)
  }
  console.log(`  the proof of one event: median ${median(times).toFixed(2)} ms; target: at most 2 ms`)
  await proof.stop()
  await log.close()
}

export const run = async (args: string[]): Promise<void> => {
  const appending = (isProven: boolean) => async (): Promise<number> => {
    const { log, proof } = open(newFolder('appended'))
    if (isProven) {
      await proof.start()
      await proof.checkpointer.newest() // the thread of the tree runs now
    }
    const rate = await callLog(log, callers, Number(args[1] ?? appended))
    await proof.stop()
    await log.close()
    return rate
  }
  const rounds = await interleave({ without: appending(false), with: appending(true) })
  printRatio('appends with a checkpoint a second, against none', rounds.with, rounds.without, {
    unit: 'events a second',
    target: { atLeast: 0.98 },
  })
  await proveOne(Number(args[0] ?? events))
}
