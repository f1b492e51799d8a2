// Limits of MCP servers. A server that exceeds one of them counts as broken.

/** The time limit, in milliseconds, of the start and handshake of a server, and of the list of its tools. */
export const openMs = 30_000
/** The time limit of a call, in milliseconds. */
export const callMs = 600_000
/**
 * An answer that has begun, or that was promised, is awaited for this many milliseconds after the last sign of it. Then
 * it counts as an answer that cannot be read.
 */
export const patienceMs = 5_000
/** The limit in bytes of one HTTP answer, of one message, and of all output that a process sends without a request. */
export const maxBytes = 10 * 1024 * 1024
/** The largest number of tools of a server. */
export const maxTools = 512
/** The greatest length of the list of tools as JSON, and of one tool, in characters. A longer tool is left out. */
export const maxListLength = 1024 * 1024
export const maxToolLength = 128 * 1024
/** At most this many characters of a server's instructions reach the model. */
export const maxInstructions = 8192
/**
 * The shortest and the longest time between two looks at a task of a server, in milliseconds, and the time that a server which names
 * none gets.
 */
export const pollMs = { least: 250, most: 60_000, usual: 2000 }
/** The task of a server that cannot be reached is given up after this many milliseconds. */
export const awayMs = 600_000
/** At most this many characters of progress messages are passed on from one call. */
export const maxProgress = 4096
/** The greatest length of a message to the user, of a form, and of the state that a server wants back with the answers. */
export const maxQuestion = 8 * 1024
export const maxForm = 64 * 1024
export const maxState = 64 * 1024
/** The most fields of a form, and the most levels of nesting in their schemas. */
export const maxFields = 64
export const deepestForm = 16
/** The most questions that a call may ask the user at a time, and the most times that it may ask. A server that wants more has failed. */
export const mostAsked = 16
export const mostRounds = 32
/** A result has at most this many characters of text; the rest is cut off. */
export const maxText = 1024 * 1024
