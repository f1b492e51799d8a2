// What environment sessions leave on the disk: a folder each for the environment's own files, and the newest states of
// those that are kept as snapshots. The log knows each state's digest, so that no other is taken for it.
import { hash } from 'node:crypto'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { SessionFolders } from '../actors/env-session/instances.ts'
import { plainWrite, readPlainFileLater } from './log/plain-file.ts'
import { segment } from './task-request.ts'

const digestOf = (text: string): string => hash('sha256', text, 'base64url')

export const createSessionFolders = (root: string): SessionFolders => {
  const folderOf = (sessionId: string) => path.join(root, segment(sessionId))
  const statesOf = (sessionId: string) => path.join(folderOf(sessionId), 'states')
  return {
    dirOf: sessionId => path.join(folderOf(sessionId), 'files'),
    async keep(sessionId, step, state, before) {
      const folder = statesOf(sessionId)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const text = JSON.stringify(state)
      const digest = digestOf(text)
      const file = `${step}-${digest.slice(0, 8)}.json`
      await writeFile(path.join(folder, file), text, { mode: 0o600, flag: plainWrite, flush: true })
      const others = (await readdir(folder)).filter(name => name !== file && name !== before?.file)
      await Promise.all(others.map(name => rm(path.join(folder, name), { force: true })))
      return { file, digest }
    },
    async kept(sessionId, { file, digest }) {
      const text = await readPlainFileLater(path.join(statesOf(sessionId), file)).catch(() => undefined)
      return text === undefined || digestOf(text) !== digest ? undefined : JSON.parse(text)
    },
    clear: sessionId => rm(folderOf(sessionId), { recursive: true, force: true }),
    async clearOthers(sessionIds) {
      const kept = new Set(sessionIds.map(segment))
      const others = (await readdir(root).catch(() => [])).filter(name => !kept.has(name))
      for (const name of others) await rm(path.join(root, name), { recursive: true, force: true })
    },
  }
}
