// Reads a file piece by piece.
import { chmodSync, closeSync, constants, openSync, readSync } from 'node:fs'
import type { Piece } from './packs.ts'

/** The length in bytes of each piece but the last. */
const pieceBytes = 64 << 10
const room = Buffer.allocUnsafe(pieceBytes)

/** Opens a file for reading, even if its owner has no read permission. */
const openForReading = (real: Buffer, mode: number): number => {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY
  if ((mode & 0o400) !== 0) return openSync(real, flags)
  chmodSync(real, mode | 0o400)
  try {
    return openSync(real, flags)
  } finally {
    chmodSync(real, mode)
  }
}

const fill = (file: number): number => {
  let length = 0
  while (length < pieceBytes) {
    const more = readSync(file, room, length, pieceBytes - length, null)
    if (more === 0) break
    length += more
  }
  return length
}

/** `placeOf` may use the bytes of a piece only during its call: the buffer is reused. */
export const readPieces = (real: Buffer, mode: number, placeOf: (bytes: Buffer) => Piece): Piece[] => {
  const pieces: Piece[] = []
  const file = openForReading(real, mode)
  try {
    for (;;) {
      const length = fill(file)
      if (length > 0) pieces.push(placeOf(room.subarray(0, length)))
      if (length < pieceBytes) return pieces
    }
  } finally {
    closeSync(file)
  }
}

/** Whether the job runs without a permission error; a file may belong to another user. */
export const isReadable = (job: () => void): boolean => {
  try {
    job()
    return true
  } catch (error) {
    if (['EACCES', 'EPERM'].includes((error as { code: string }).code)) return false
    throw error
  }
}
