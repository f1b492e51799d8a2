// Reads the paths of tiles (C2SP tlog-tiles). They contain the number of a tile in groups of three digits, with slashes
// between the groups. A route can read the number as one parameter only after these slashes are encoded.
import { Refusal } from '../../contract/refusals.ts'

const prefix = '/v1/audit/tlog/tile/'

/** The URL of a request, with the number of a tile as one segment. Other URLs are unchanged. */
export const withTileAsOneSegment = (url: string): string => {
  if (!url.startsWith(prefix)) return url
  const [path = '', ...query] = url.split('?')
  const [level = '', ...tile] = path.slice(prefix.length).split('/')
  return [`${prefix}${[level, ...(tile.length === 0 ? [] : [tile.join('%2F')])].join('/')}`, ...query].join(
    '?',
  )
}

const noTile = (): Refusal => new Refusal('TileNotFound')

/** The largest level that is accepted: at higher levels, the computed numbers would not be exact. */
const mostLevel = 5

export const levelOf = (text: string): number => {
  if (!/^(0|[1-9]\d?)$/.test(text) || Number(text) > mostLevel) throw noTile()
  return Number(text)
}

/** Reads `x001/x234/067` or `x001/x234/067.p/5`. Throws TileNotFound. */
export const tileOf = (text: string): { index: number; width: number } => {
  const [, groups = '', last = '', partial] =
    /^((?:x\d{3}\/)*)(\d{3})(?:\.p\/([1-9]\d?|1\d\d|2[0-4]\d|25[0-5]))?$/.exec(text) ?? []
  const index = Number(groups.replaceAll(/[x/]/g, '') + last)
  if (last === '' || groups.startsWith('x000') || !Number.isSafeInteger(index)) throw noTile()
  return { index, width: partial === undefined ? 256 : Number(partial) }
}
