// Makes the bytes of one WebSocket frame from a text message. A WebSocket library would build and write the head of the
// frame for each subscriber; here the bytes are made once and sent to a thousand subscribers.

const final = 0x80
const textMessage = 0x1
const goesOn = 0x0

/**
 * Returns a buffer with the head of a frame, and with room for `length` bytes behind the head. The second value is the
 * offset at which the bytes begin.
 */
const framed = (first: number, length: number): [Buffer, number] => {
  const headLength = length < 126 ? 2 : length < 65_536 ? 4 : 10
  const frame = Buffer.allocUnsafe(headLength + length)
  frame[0] = first
  if (headLength === 2) frame[1] = length
  else if (headLength === 4) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  return [frame, headLength]
}

export const textFrame = (text: string): Buffer => {
  const [frame, at] = framed(final | textMessage, Buffer.byteLength(text))
  frame.write(text, at, 'utf8')
  return frame
}

/** A fragment of a message. The last fragment may be empty. */
export const fragment = (piece: Buffer, place: 'first' | 'next' | 'last'): Buffer => {
  const kind = place === 'first' ? textMessage : place === 'next' ? goesOn : final | goesOn
  const [frame, at] = framed(kind, piece.length)
  piece.copy(frame, at)
  return frame
}
