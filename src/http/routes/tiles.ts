// The routes that send the tree of the log in tiles, and the headers of the events in a tile (C2SP tlog-tiles).
import { Refusal } from '../../contract/refusals.ts'
import type { Header } from '../../contract/stored.ts'
import { toBytes } from '../../proof/tree/hash.ts'
import type { ProofDoor, Serving } from '../doors.ts'
import { type App, readBy } from '../request/request.ts'
import { route } from '../route.ts'
import { showsStreams } from './audit.ts'
import { mustActForAll, newestOf } from './proof.ts'
import { levelOf, tileOf } from './tile-path.ts'

const bytes = 'application/octet-stream'
/** The number of hashes in a full tile. */
const tileWidth = 256
/** The length of an entry must fit into two bytes. */
const mostEntryBytes = 0xffff

/** Entries in the form of C2SP tlog-tiles: two bytes with the length of an entry stand before the entry. */
const bundleOf = (headers: readonly string[]): Buffer =>
  Buffer.concat(
    headers.flatMap(header => {
      const entry = Buffer.from(header)
      if (entry.length > mostEntryBytes) throw new Error('a header is too long for a bundle of entries')
      const length = Buffer.alloc(2)
      length.writeUInt16BE(entry.length)
      return [length, entry]
    }),
  )

export const tileRoutes = (
  app: App,
  { newest, tree }: Pick<ProofDoor, 'newest' | 'tree'>,
  serving: Pick<Serving, 'reads'>,
): void => {
  /** Rejects with TileNotFound if the newest checkpoint does not cover the tile, with NoCheckpoint if there is none. */
  const mustReach = async (level: number, tile: { index: number; width: number }): Promise<void> => {
    const end = (tile.index * tileWidth + tile.width) * tileWidth ** level
    if (end > (await newestOf(newest)).size) throw new Refusal('TileNotFound')
  }

  route(app, 'getTile', {
    async handler({ params }, reply) {
      const [level, tile] = [levelOf(params.level), tileOf(params.tile)]
      await mustReach(level, tile)
      return reply.type(bytes).send(toBytes(await tree.ask('tile', { level, ...tile })))
    },
  })

  route(app, 'getTileEntries', {
    async handler(request, reply) {
      mustActForAll(request.principal)
      const tile = tileOf(request.params.tile)
      await mustReach(0, tile)
      const headers = await tree.ask('entries', tile)
      const shows = showsStreams(readBy(serving, request))
      for (const header of headers) shows((JSON.parse(header) as Header).stream)
      return reply.type(bytes).send(bundleOf(headers))
    },
  })
}
