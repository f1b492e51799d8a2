// Makes a moving picture (APNG) of pictures (PNG) that have the same size and form, without a library.
import { crc32 } from 'node:zlib'

export type Frame = { png: Buffer; ms: number }
type Chunk = { type: string; data: Buffer }

const signature = Buffer.from('89504e470d0a1a0a', 'hex')

const chunksOf = (png: Buffer): Chunk[] => {
  const chunks: Chunk[] = []
  for (let at = signature.length; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const data = png.subarray(at + 8, at + 8 + length)
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data })
    at += length + 12
  }
  return chunks
}

const written = ({ type, data }: Chunk): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(data.length, 0)
  ends.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
}

const numbers = (...values: number[]): Buffer => {
  const data = Buffer.alloc(4 * values.length)
  for (const [n, value] of values.entries()) data.writeUInt32BE(value, 4 * n)
  return data
}

/** How a frame is shown: whole, in the place of the one before it, for so long. */
const control = (number: number, size: Buffer, ms: number): Chunk => {
  const times = Buffer.alloc(6)
  times.writeUInt16BE(ms, 0)
  times.writeUInt16BE(1000, 2)
  return { type: 'fcTL', data: Buffer.concat([numbers(number), size, numbers(0, 0), times]) }
}

/** The moving picture, which plays again and again. */
export const apngOf = (frames: readonly Frame[]): Buffer => {
  const [header] = chunksOf(frames[0]?.png ?? Buffer.alloc(0))
  if (header === undefined) throw new Error('a moving picture needs a frame')
  const size = header.data.subarray(0, 8)
  let number = 0
  const parts = frames.flatMap(({ png, ms }, n) => {
    const chunks = chunksOf(png)
    if (!chunks[0]?.data.equals(header.data)) throw new Error(`frame ${n} has another size or form`)
    const pixels = chunks.filter(({ type }) => type === 'IDAT')
    return [
      control(number++, size, ms),
      ...pixels.map(({ data }) =>
        n === 0 ? { type: 'IDAT', data } : { type: 'fdAT', data: Buffer.concat([numbers(number++), data]) },
      ),
    ]
  })
  const animation = { type: 'acTL', data: numbers(frames.length, 0) }
  const all = [header, animation, ...parts, { type: 'IEND', data: Buffer.alloc(0) }]
  return Buffer.concat([signature, ...all.map(written)])
}
