// Keeps the nodes of the cluster that a node has seen or heard of, with the time of the last sign of each. A small file
// has them, so that a node that is away is still known after a restart of the others.
import { rename, writeFile } from 'node:fs/promises'
import type { Clock } from '../contract/ports.ts'
import { plainWrite, readPlainFile } from '../platform/files/plain-file.ts'

/** `seenAt`: Unix milliseconds of the last sign of the node; 0: others have only named it. */
export type SeenNode = { node: string; url: string; seenAt: number }

/** A node without a sign for this many milliseconds is no longer listed: somebody has taken it away for good. */
const forgetMs = 7 * 24 * 3600 * 1000
/** New times of known nodes are written after this many milliseconds, and a new node at once. */
const saveMs = 60_000

const isSeenNode = (value: unknown): value is SeenNode => {
  const { node, url, seenAt } = (value ?? {}) as Record<string, unknown>
  return typeof node === 'string' && typeof url === 'string' && Number.isSafeInteger(seenAt)
}

/** The nodes in the file. Empty: there is no file yet, or it cannot be read. */
export const readSeenNodes = (file: string): SeenNode[] => {
  try {
    const { nodes } = JSON.parse(readPlainFile(file)) as { nodes: unknown[] }
    return nodes.filter(isSeenNode)
  } catch {
    return []
  }
}

/** The name of the node that has written the file; undefined: there is no file yet. */
export const readOwnName = (file: string): string | undefined => {
  try {
    const { name } = JSON.parse(readPlainFile(file)) as { name?: unknown }
    return typeof name === 'string' ? name : undefined
  } catch {
    return undefined
  }
}

/** `name`: that of this node. */
type Deps = { file: string; name: string; clock: Clock }

export const createSeenNodes = ({ file, name, clock }: Deps) => {
  const nodes = new Map(readSeenNodes(file).map(one => [one.node, one]))
  /** When nodes were forgotten. Older signs of these nodes may still come from other nodes. */
  const forgotten = new Map<string, number>()
  let isNew = false
  let savedAt = clock.now()

  const isListed = ({ seenAt }: SeenNode): boolean => seenAt === 0 || clock.now() - seenAt < forgetMs
  const all = (): SeenNode[] =>
    [...nodes.values()].filter(isListed).sort((a, b) => (a.node < b.node ? -1 : 1))
  return {
    all,
    /** Notes a sign of a node. An older sign than the known one changes nothing. */
    note({ node, url, seenAt: told }: SeenNode): void {
      const seenAt = Math.min(told, clock.now())
      const before = nodes.get(node)
      if (seenAt <= (forgotten.get(node) ?? -1) || (before !== undefined && before.seenAt >= seenAt)) return
      if (before?.url !== url) isNew = true
      nodes.set(node, { node, url, seenAt })
    },
    /** Removes a node until there is a new sign of it. Returns whether it was known. */
    forget(node: string): boolean {
      forgotten.set(node, clock.now())
      isNew = true
      return nodes.delete(node)
    },
    /** Writes the file if that is due. A full disk is no problem: the file only helps an operator. */
    async save(): Promise<void> {
      if (!isNew && clock.now() - savedAt < saveMs) return
      isNew = false
      savedAt = clock.now()
      try {
        const text = `${JSON.stringify({ name, nodes: all() })}\n`
        await writeFile(`${file}.new`, text, { mode: 0o600, flag: plainWrite })
        await rename(`${file}.new`, file)
      } catch {}
    },
  }
}
export type SeenNodes = ReturnType<typeof createSeenNodes>
