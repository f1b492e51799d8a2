// User ids for what runs for users, where the server runs as root: each program of an environment has one of its own,
// so that it cannot read or signal what belongs to the server or to another program. All of them share a group, which
// lets them pass through the folders above their own.
import { randomInt } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { UserId } from '../contract/user-id.ts'
import { userOf } from './stragglers.ts'

/** From the first one on. An id comes again after as many programs, so that nothing is left of the one before. */
export const idCount = 10_000

export type UserIds = {
  /** The group of all of them. */
  gid: number
  isOne(uid: number): boolean
  /** One that no process has. */
  next(): UserId
}

const usersOfProcesses = (): Set<number> => {
  const users = new Set<number>()
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    const user = userOf(pid)
    if (user !== undefined) users.add(user)
  }
  return users
}

export const createUserIds = (base: number): UserIds => {
  // Not from the beginning: another server on this machine may have the same ids.
  let at = randomInt(idCount)
  return {
    gid: base,
    isOne: uid => uid >= base && uid < base + idCount,
    next() {
      const taken = usersOfProcesses()
      do at = (at + 1) % idCount
      while (taken.has(base + at))
      return { uid: base + at, gid: base }
    },
  }
}

/** The name of an account of the system that has one of the ids. */
export const accountAmong = (base: number): string | undefined => {
  const { isOne } = createUserIds(base)
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map(line => line.split(':'))
    .find(([, , uid]) => uid !== undefined && uid !== '' && isOne(Number(uid)))?.[0]
}
