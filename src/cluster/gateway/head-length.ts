// Limits the length of the head of a request. Other nodes may send longer heads than clients, since they add headers.
import { type IncomingMessage, maxHeaderSize } from 'node:http'

/** Bytes of room for the headers that a node adds to a request that it sends on. */
const added = 1024

/** The longest head, in bytes, that the server of a node reads. */
export const longestHead = maxHeaderSize + added

/**
 * Whether the head of a client's request is too long. It counts as Node.js does: the path, and the names and values of
 * the headers.
 */
export const isTooLong = ({ url = '', rawHeaders }: IncomingMessage): boolean =>
  rawHeaders.reduce((bytes, text) => bytes + text.length, url.length) >= maxHeaderSize
