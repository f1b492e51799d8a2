/**
 * The milliseconds of an ISO time. The last result is remembered, since all events of one append have the same time.
 */
let lastTime = ''
let lastMillis = 0
export const millisOf = (time: string): number => {
  if (time !== lastTime) {
    lastTime = time
    lastMillis = Date.parse(time)
  }
  return lastMillis
}
