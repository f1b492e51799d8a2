// User ids for programs that run for users, where the server runs as root: each program of an environment has an id of
// its own, so that it cannot read or signal what belongs to the server or to another program. All ids share a group,
// which lets the programs pass through the folders above their own.
import { randomInt } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { UserId } from '../contract/user-id.ts'
import { userOf } from '../platform/programs/stragglers.ts'

/**
 * How many ids there are, in one range. An id is used again after this many programs, if no process has it any more.
 */
export const idCount = 10_000

export type UserIds = {
  /** The group of all ids. */
  gid: number
  isOne(uid: number): boolean
  /** An id that no process has. */
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
  // Starts at a random id: another server on this machine may use the same range.
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

/** The name of a system account that has one of the ids. */
export const accountAmong = (base: number): string | undefined => {
  const { isOne } = createUserIds(base)
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map(line => line.split(':'))
    .find(([, , uid]) => uid !== undefined && uid !== '' && isOne(Number(uid)))?.[0]
}
