// A text message as the bytes of one WebSocket frame. It is built here because the same bytes go to a thousand
// subscribers: a WebSocket library would build and write the head of the frame for each of them.

const final = 0x80
const textMessage = 0x1
const goesOn = 0x0

/** A buffer for a head and `length` bytes, with the head written; the second value is where the bytes begin. */
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

/** A fragment of a message. An empty last fragment ends the message. */
export const fragment = (piece: Buffer, place: 'first' | 'next' | 'last'): Buffer => {
  const kind = place === 'first' ? textMessage : place === 'next' ? goesOn : final | goesOn
  const [frame, at] = framed(kind, piece.length)
  piece.copy(frame, at)
  return frame
}
