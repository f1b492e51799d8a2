// How long the head of a request may be. A node takes longer ones from other nodes, which add headers of their own.
import { type IncomingMessage, maxHeaderSize } from 'node:http'

/** More bytes than a node adds to a request that it sends on. */
const added = 1024

/** For the server of a node. */
export const longestHead = maxHeaderSize + added

/** Whether the head of a client's request is too long. Counted as Node counts it: the path, names and values. */
export const isTooLong = ({ url = '', rawHeaders }: IncomingMessage): boolean =>
  rawHeaders.reduce((bytes, text) => bytes + text.length, url.length) >= maxHeaderSize
