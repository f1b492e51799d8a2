// Limits of MCP servers. A server that exceeds one of them counts as broken.

/** The time limit, in milliseconds, of the start and handshake of a server, and of the list of its tools. */
export const openMs = 30_000
/** The time limit of a call, in milliseconds. */
export const callMs = 600_000
/** The limit in bytes of one HTTP answer, of one message, and of all output that a process sends without a request. */
export const maxBytes = 10 * 1024 * 1024
/** The largest number of tools of a server. */
export const maxTools = 512
/** The greatest length of the list of tools as JSON, in characters. */
export const maxListLength = 1024 * 1024
/** At most this many characters of progress messages are passed on from one call. */
export const maxProgress = 4096
/** A result has at most this many characters of text; the rest is cut off. */
export const maxText = 1024 * 1024
