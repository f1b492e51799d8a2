// Random numbers that depend only on a seed, the same in every language (docs/environments.md): the key is the SHA-256 of
// the seed; block j is the SHA-256 of the key and j as 8 bytes, big-endian; each block holds four 64-bit words, big-endian,
// and the upper 53 bits of each word make a number from 0 to 1.
import { createHash } from 'node:crypto'

const wordsOfBlock = 4

const blockOf = (key: Buffer, index: number) => {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(index))
  return createHash('sha256').update(key).update(counter).digest()
}

export const randomFrom = (seed: string): (() => number) => {
  const key = createHash('sha256').update(seed).digest()
  let drawn = 0
  let block = key
  return () => {
    const word = drawn % wordsOfBlock
    if (word === 0) block = blockOf(key, drawn / wordsOfBlock)
    drawn++
    return Number(block.readBigUInt64BE(word * 8) >> 11n) / 2 ** 53
  }
}
