// The limits of the protocol that a host must keep (docs/agent-protocol.md). The package checks them first, so that an author
// hears what is wrong where it is wrong.

/** The greatest length of a message to the server, and of a hello, in bytes. */
export const longestMessage = 16 * 2 ** 20
export const longestHello = 2 ** 20
/** What code gives at once (an entry, a result, an answer) has at most so many bytes of JSON, levels and values. */
export const longestValue = 8 * 2 ** 20
export const deepestValue = 60
export const mostValues = 90_000
/** One object has at most so many keys. */
export const mostKeys = 10_000
/** A message has at most so many values, so a turn gets no further moves that would make it more. */
export const mostInMessage = 100_000
/** A turn gets no further moves when it has this many characters. */
export const longestTurn = 2 ** 19
/** A longer text is said in parts of at most so many characters. */
export const longestSaid = 2 ** 19
/** The greatest length of the context of a statechart, and of the rest of its state, in bytes of JSON. */
export const longestContext = 2 ** 20
/** The most open entries of one task, and the most bytes that a connection has not taken yet. */
export const mostOpen = 1000
export const mostUnsent = 4 * 2 ** 20
/** The greatest lengths of names, versions and descriptions, in characters, and the most slots and agents of a host. */
export const longestAgentName = 64
export const longestName = 256
export const longestWorkerName = 128
export const longestVersion = 128
export const longestDescription = 10_000
export const mostSlots = 10_000
export const mostAgents = 1000
/** The latest time of a timer and the longest timeout, in milliseconds. */
export const latest = 8_640_000_000_000_000
/** Milliseconds for which code may wait for something that is not in the journal: until a warning, and until its end. */
export const warnMs = 1000
export const failMs = 10_000
/** How long a host that stops waits for functions of `ctx.run`, and the silence after which a connection is lost. */
export const drainMs = 10_000
export const silenceMs = 15_000
