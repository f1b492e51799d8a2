// A disk that has no room, made of a small tmpfs: only root may do that.
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'

/** A disk of so many mebibytes, until the test ends; undefined where that is not allowed. */
export const smallDisk = (t: Pick<Test, 'teardown'>, mebibytes: number): string | undefined => {
  const at = mkdtempSync(path.join(tmpdir(), 'reprise-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', at])
  t.teardown(() => {
    if (mounted.status === 0) spawnSync('umount', ['--lazy', at])
    rmSync(at, { recursive: true })
  })
  return mounted.status === 0 ? at : undefined
}
export const noMount = 'no tmpfs can be mounted here: that takes root'

/** The type that statfs gives a tmpfs. */
const tmpfs = 0x01021994

/**
 * Fills a disk to its last block. What was freed since an earlier call is filled, too. Throws when the small disk is gone:
 * a test that goes on after its time would fill the disk of the machine.
 */
export const fill = (at: string): void => {
  if (statfsSync(at).type !== tmpfs) throw new Error(`${at} is no small disk any more`)
  const file = openSync(path.join(at, 'ballast'), 'a')
  try {
    for (let size = 1 << 20; size >= 512; size >>= 1) {
      try {
        for (;;) writeSync(file, Buffer.alloc(size))
      } catch {
        // No room for so much; perhaps for less.
      }
    }
  } finally {
    closeSync(file)
  }
}
/** Fills a disk, also with what a server that comes to rest frees meanwhile. */
export const fillAtRest = async (at: string): Promise<void> => {
  const ballast = path.join(at, 'ballast')
  for (let [size, rounds] = [-1, 0]; rounds < 3; rounds++) {
    fill(at)
    if (statSync(ballast).size !== size) rounds = 0
    size = statSync(ballast).size
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}
export const free = (at: string) => rmSync(path.join(at, 'ballast'))
