// A disk that has no room, made of a small tmpfs: only root may do that.
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'

/** A disk of so many mebibytes, until the test ends; undefined where that is not allowed. */
export const smallDisk = (t: Test, mebibytes: number): string | undefined => {
  const at = mkdtempSync(path.join(tmpdir(), 'reprise-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', at])
  t.teardown(() => {
    if (mounted.status === 0) spawnSync('umount', ['--lazy', at])
    rmSync(at, { recursive: true })
  })
  return mounted.status === 0 ? at : undefined
}
export const noMount = 'no tmpfs can be mounted here: that takes root'

/** Fills a disk to its last block. */
export const fill = (at: string): void => {
  const file = openSync(path.join(at, 'ballast'), 'w')
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
export const free = (at: string) => rmSync(path.join(at, 'ballast'))
