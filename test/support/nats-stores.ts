// The folders in which NATS servers keep their streams, damaged as disks and operators damage them.
import { closeSync, cpSync, openSync, readdirSync, readSync, rmSync, statSync, writeSync } from 'node:fs'
import path from 'node:path'

/** One byte of so many is flipped, and at least so many bytes of each file. */
const [flipEvery, leastFlips] = [8192, 3]

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(name => path.join(folder, name))
    .filter(file => statSync(file).isFile())

const flipIn = (file: string): void => {
  const { size } = statSync(file)
  const flips = Math.max(leastFlips, Math.floor(size / flipEvery))
  const opened = openSync(file, 'r+')
  const byte = Buffer.alloc(1)
  for (let n = 0; n < flips; n++) {
    const at = Math.floor(((n + 0.5) * size) / flips)
    if (readSync(opened, byte, 0, 1, at) === 0) continue
    byte[0] = (byte[0] ?? 0) ^ 0xff
    writeSync(opened, byte, 0, 1, at)
  }
  closeSync(opened)
}

/** Flips bytes in place, evenly spread, in each file whose path matches. Returns how many files it has damaged. */
export const flipBytes = (folder: string, files: RegExp): number => {
  const damaged = filesIn(folder).filter(file => files.test(file) && statSync(file).size > 0)
  for (const file of damaged) flipIn(file)
  return damaged.length
}

/** The files of the copy of a stream; those of its Raft group and of the group of all servers, with their snapshots. */
export const filesOf = {
  blocks: (stream: string): RegExp => new RegExp(`/${stream}/msgs/.*\\.blk$`),
  oldestBlock: (stream: string): RegExp => new RegExp(`/${stream}/msgs/1\\.blk$`),
  raft: /\/_js_\/.*\/(msgs\/.*\.blk|snapshots\/.*|tav\.idx|peer\.idx|meta\.inf)$/,
}

const isSnapshot = (file: string): boolean => /\/_meta_\/snapshots\/[^/]+$/.test(file)
/** Whether a server has a snapshot of what it knows of all streams. */
export const hasSnapshot = (folder: string): boolean => filesIn(folder).some(isSnapshot)
/** Removes that snapshot, as NATS does when it is damaged. What the server has learned since then stays. */
export const loseSnapshot = (folder: string): void => {
  for (const file of filesIn(folder).filter(isSnapshot)) rmSync(file)
}

/** Keeps the present content of a folder aside. The result puts it back. */
export const saveFolder = (folder: string): (() => void) => {
  const saved = `${folder}-${performance.now()}`
  cpSync(folder, saved, { recursive: true })
  return () => {
    rmSync(folder, { recursive: true, force: true })
    cpSync(saved, folder, { recursive: true })
    rmSync(saved, { recursive: true, force: true })
  }
}
