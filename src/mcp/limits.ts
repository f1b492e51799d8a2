// Limits of MCP servers. A server that exceeds one counts as broken.

/** Milliseconds for the start and handshake of a server, and for the list of its tools. */
export const openMs = 30_000
export const callMs = 600_000
/** Bytes of one message or HTTP answer, and of all output that a process sends without a request. */
export const mostBytes = 10 * 1024 * 1024
export const mostTools = 512
/** Bytes of the list of tools, as JSON. */
export const mostListed = 1024 * 1024
/** Characters of progress that a call may report; they come before its result. */
export const mostProgress = 4096
/** Bytes of text in a result. */
export const mostText = 1024 * 1024
