// A text message as the bytes of one WebSocket frame. Made here, because the same bytes go to a thousand subscribers:
// a WebSocket library would make the head of the frame, and write it, for each of them.

const finalText = 0x81

export const textFrame = (text: string): Buffer => {
  const length = Buffer.byteLength(text)
  const headLength = length < 126 ? 2 : length < 65_536 ? 4 : 10
  const frame = Buffer.allocUnsafe(headLength + length)
  frame[0] = finalText
  if (headLength === 2) frame[1] = length
  else if (headLength === 4) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  frame.write(text, headLength, 'utf8')
  return frame
}
