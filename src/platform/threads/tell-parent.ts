/**
 * Sends a message to the process that has forked this one. When that process is gone, the message is lost and nothing
 * is thrown: the event `disconnect` says that it is gone, perhaps only after the message has failed.
 */
export const tellParent = (message: object): void => {
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}
