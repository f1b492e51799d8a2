// Limits of MCP servers. A server that exceeds one counts as broken.

/** The most milliseconds for the start and handshake of a server, and for the list of its tools. */
export const openMs = 30_000
/** The most milliseconds that a call may take. */
export const callMs = 600_000
/** The most bytes of one HTTP answer, of one message, and of all output that a process sends without a request. */
export const maxBytes = 10 * 1024 * 1024
/** The most tools of a server. */
export const maxTools = 512
/** The greatest length of the list of tools as JSON, characters. */
export const maxListLength = 1024 * 1024
/** The most characters of progress that are passed on from one call. They come before its result. */
export const maxProgress = 4096
/** The most characters of text in a result. */
export const maxText = 1024 * 1024
