/** Milliseconds of an ISO time. Events that were stored together have one time: the last one is remembered. */
let lastTime = ''
let lastMillis = 0
export const millisOf = (time: string): number => {
  if (time !== lastTime) {
    lastTime = time
    lastMillis = Date.parse(time)
  }
  return lastMillis
}
