// One beat of the holder of a lease, as it is stored.
export type Beat = {
  node: string
  /** The address at which other nodes reach the node. */
  url: string
  /** The process that sent the beat. */
  run: string
  /** The moment before the beat was sent, by the clock of its process (milliseconds). Other processes cannot use it. */
  sent: number
  /** True in the last beat of a node, with which the node gives the lease away. */
  leaving?: true
}

export const bytesOf = (beat: Beat): Uint8Array => new TextEncoder().encode(JSON.stringify(beat))

/** Undefined: the bytes are no beat. */
export const beatOf = (bytes: Uint8Array): Beat | undefined => {
  try {
    const { node, url, run, sent, leaving } = JSON.parse(new TextDecoder().decode(bytes))
    if (![node, url, run].every(text => typeof text === 'string') || typeof sent !== 'number')
      return undefined
    return { node, url, run, sent, ...(leaving === true ? { leaving } : {}) }
  } catch {
    return undefined
  }
}
