// Short ids in place of ids that endpoints refuse. Each follows from the id, so that results find their calls.
import type { Switches } from './switches.ts'

/** 46 bits of two FNV-1a hashes, as nine letters and digits. */
const nineOf = (id: string): string => {
  const hash = (seed: number) => {
    let value = seed
    for (let at = 0; at < id.length; at++) value = Math.imul(value ^ id.charCodeAt(at), 16777619) >>> 0
    return value.toString(36).padStart(7, '0')
  }
  return (hash(2166136261).slice(-5) + hash(0x9e3779b9).slice(-4)).slice(0, 9)
}

/** An id of nine letters and digits, as Mistral wants them. */
const nineLetters = (id: string): string => (/^[A-Za-z0-9]{9}$/.test(id) ? id : nineOf(id))

/** An id that every other endpoint takes, for a call that the endpoint did not make. */
export const shortId = (id: string): string => (/^[A-Za-z0-9_-]{1,40}$/.test(id) ? id : `call_${nineOf(id)}`)

/** The id of a call on the wire. */
export const wireId = (id: string, { call_ids }: Switches): string =>
  call_ids === 'nine' ? nineLetters(id) : id
