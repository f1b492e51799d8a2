// What an environment has started and taken out of its process group, found by a mark in the variables that processes
// hand on. Only Linux tells them.
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

const variable = 'REPRISE_INSTANCE'

export type Mark = { [variable]: string }
export const newMark = (): Mark => ({ [variable]: randomUUID() })
/** That of the process that asks; undefined: it has none. */
export const ownMark = (): Mark | undefined => {
  const mark = process.env[variable]
  return mark === undefined ? undefined : { [variable]: mark }
}

const variablesOf = (pid: string): string[] => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  } catch {
    return [] // it has just ended, or belongs to somebody else
  }
}

/** All that have the mark, but for the process that asks. */
export const killStragglers = (mark: Mark | undefined): void => {
  if (mark === undefined || process.platform !== 'linux') return
  const wanted = `${variable}=${mark[variable]}`
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid || !variablesOf(pid).includes(wanted)) continue
    try {
      process.kill(Number(pid), 'SIGKILL')
    } catch {}
  }
}
