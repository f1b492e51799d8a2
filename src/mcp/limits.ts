// What a server may ask of us. One that goes beyond is as good as broken.

/** For its process to start and say hello, and for the list of its tools. */
export const openMs = 30_000
export const callMs = 600_000
/** Of one message or one HTTP answer, and of what a process says without being asked. */
export const mostBytes = 10 * 1024 * 1024
export const mostTools = 512
/** Of the list of its tools as JSON. */
export const mostListed = 1024 * 1024
/** Characters of progress that a call may tell: they stand before its result. */
export const mostProgress = 4096
/** Of text in a result. */
export const mostText = 1024 * 1024
