// A store without a file, for tests of code that uses the log. It has the interface of the SQLite store, and the same
// tests run on both.
import { closeHeader, digestOf, leafOf } from './leaf.ts'
import type { PackedBatch, Row, Store, StreamHead } from './store.ts'

export const memoryStore = (logId = 'memory'): Store => {
  const rows: Row[] = []
  const ids = new Map<number, string>()
  const heads = new Map<string, StreamHead>()
  const pieces = new Map<number, string>()
  const erased: PackedBatch['erasures'] = []
  const covers = ({ erased: { streams, from, to } }: PackedBatch['erasures'][number], row: Row): boolean =>
    streams.includes(row.stream) && from <= row.position && row.position <= to
  return {
    async write({ first, streamNos, revisions, texts: packed, newStreams, long, erasures, gone = [] }) {
      const wholes = new Map(long.map(({ position, payload }) => [position, pieces.get(payload)]))
      const digests = new Map(gone.map(({ position, digest }) => [position, digest]))
      for (const { no, id } of newStreams) {
        ids.set(no, id)
        heads.set(id, { no, revision: -1 })
      }
      for (const [n, streamNo] of streamNos.entries()) {
        const stream = ids.get(streamNo) ?? ''
        const revision = revisions[n] ?? 0
        const [open = '', short = '', salt = ''] = packed.slice(3 * n, 3 * n + 3)
        const position = first + n
        const goneDigest = digests.get(position)
        const whole = wholes.get(position) ?? short
        const header = closeHeader(open, goneDigest ?? digestOf(salt, whole))
        const texts = goneDigest === undefined ? { payload: whole, salt } : { payload: null, salt: null }
        rows.push({ position, stream, revision, header, ...texts, leaf: leafOf(header) })
        heads.set(stream, { no: streamNo, revision })
      }
      erased.push(...erasures)
    },
    async writePiece({ payload, text }) {
      pieces.set(payload, (pieces.get(payload) ?? '') + text)
    },
    async dropPieces(payload) {
      pieces.delete(payload)
    },
    async noteErasure() {}, // `write` has noted it
    async destroy(by) {
      const here = erased.filter(({ position }) => position === by)
      for (const row of rows) {
        if (!here.some(each => covers(each, row))) continue
        row.payload = null
        row.salt = null
      }
      return { next: undefined, events: 0 }
    },
    wipe: async () => 'done',
    erasedBy(at) {
      const row = rows[at - 1]
      return row && erased.find(each => covers(each, row))?.position
    },
    async reopen() {},
    fault: () => undefined,
    async checkpoint() {},
    page: (after, limit) => rows.slice(after, after + limit),
    streamPage: (stream, after, limit) =>
      rows.filter(row => row.stream === stream && row.revision > after).slice(0, limit),
    sessionStreams: (session, after, limit) =>
      rows
        .filter(({ revision, header }) => revision === 0 && JSON.parse(header).session_id === session)
        .map(({ stream }) => heads.get(stream)?.no ?? 0)
        .filter(no => no > after)
        .slice(0, limit),
    streamPositions: (no, after, limit) =>
      rows
        .filter(({ stream, revision }) => stream === ids.get(no) && revision > after)
        .slice(0, limit)
        .map(({ position }) => position),
    headOf: stream => heads.get(stream),
    last: () => rows.at(-1),
    lastOf: stream => rows.findLast(row => row.stream === stream),
    lastStreamNo: () => ids.size,
    lastPayload: () => Math.max(0, ...pieces.keys()),
    longPayload: () => undefined, // the rows hold all payloads
    openLong: () => Promise.reject(new Error('no row lacks its payload')),
    leafAt: position => rows[position - 1]?.leaf,
    logId: () => logId,
    async close() {},
  }
}
