// Random numbers that depend only on a seed and the number of a step, the same in every language
// (docs/environments.md): key = SHA-256 of "seed/number"; block j = SHA-256 of the key and j as 8 bytes, big-endian;
// each block holds four 64-bit words, big-endian, and the upper 53 bits of each word make a number from 0 to 1.
import { createHash } from 'node:crypto'

const blockOf = (key: Buffer, index: number) => {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(index))
  return createHash('sha256').update(key).update(counter).digest()
}

export const randomOf = (seed: number, number: number): (() => number) => {
  const key = createHash('sha256').update(`${seed}/${number}`).digest()
  let drawn = 0
  let block = key
  return () => {
    const word = drawn % 4
    if (word === 0) block = blockOf(key, drawn / 4)
    drawn++
    return Number(block.readBigUInt64BE(word * 8) >> 11n) / 2 ** 53
  }
}
