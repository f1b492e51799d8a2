// Writes and reads the listing of a kept state as one text. The first line names the packs that hold the pieces of the
// files; then each folder, file and link has a line of JSON.
import type { Piece } from './packs.ts'

export type Listed = { path: string } & (
  | { is: 'folder'; mode: number; changed: number }
  | { is: 'file'; mode: number; changed: number; pieces: Piece[] }
  | { is: 'link'; to: string }
)

type PieceLine = [sha256: string, pack: number, offset: number, length: number]
type Line =
  | ['d', path: string, mode: number, changed: number]
  | ['f', path: string, mode: number, changed: number, ...pieces: PieceLine[]]
  | ['l', path: string, to: string]

export const createListing = () => {
  const packs = new Map<string, number>()
  const lines: string[] = []
  const numberOf = (pack: string): number => {
    const number = packs.get(pack) ?? packs.size
    packs.set(pack, number)
    return number
  }
  const lineOf = (listed: Listed): Line => {
    if (listed.is === 'link') return ['l', listed.path, listed.to]
    const { path, mode, changed } = listed
    if (listed.is === 'folder') return ['d', path, mode, changed]
    const pieces = listed.pieces.map(
      ({ sha256, pack, offset, length }): PieceLine => [sha256, numberOf(pack), offset, length],
    )
    return ['f', path, mode, changed, ...pieces]
  }
  return {
    add: (listed: Listed): void => void lines.push(JSON.stringify(lineOf(listed))),
    bytes: (): Buffer => Buffer.from([JSON.stringify({ packs: [...packs.keys()] }), ...lines].join('\n')),
  }
}

export function* readListing(bytes: Buffer): Generator<Listed> {
  const [head = '', ...lines] = bytes.toString('utf8').split('\n')
  const { packs } = JSON.parse(head) as { packs: string[] }
  for (const text of lines) {
    const line = JSON.parse(text) as Line
    if (line[0] === 'l') yield { is: 'link', path: line[1], to: line[2] }
    else if (line[0] === 'd') yield { is: 'folder', path: line[1], mode: line[2], changed: line[3] }
    else {
      const [, path, mode, changed, ...pieceLines] = line
      const pieces = pieceLines.map(([sha256, pack, offset, length]) => ({
        sha256,
        pack: packs[pack] ?? '',
        offset,
        length,
      }))
      yield { is: 'file', path, mode, changed, pieces }
    }
  }
}
