// Describes errors of the system about reading and writing files, in words that never contain a path of the machine.
const reasons: Record<string, string | undefined> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota of the system is used up',
  EFBIG: 'a file would be longer than the quota of the user allows',
}

export const worded = (error: unknown): unknown => {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? new Error(reasons[code] ?? `its files cannot be used (${code})`) : error
}
