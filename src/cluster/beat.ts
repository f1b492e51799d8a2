// One beat of the holder of a lease, as it is stored.
export type Beat = {
  node: string
  /** Where other nodes reach it. */
  url: string
  /** The process that sent it. */
  run: string
  /** The moment before it was sent, in milliseconds of the clock of its process. It says nothing to other processes. */
  sent: number
  /** It is the last one: its node gives the lease away. */
  leaving?: true
}

export const bytesOf = (beat: Beat): Uint8Array => new TextEncoder().encode(JSON.stringify(beat))

/** Undefined: it is no beat. */
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
