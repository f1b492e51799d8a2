// The event loop, which all requests share.

/** Lets other work run: resolves in the next turn of the event loop. */
export const yieldToLoop = () => new Promise<void>(resolve => setImmediate(resolve))
