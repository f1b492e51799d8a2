import type { IncomingMessage } from 'node:http'

export const readBody = async (request: IncomingMessage): Promise<string> => {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}
