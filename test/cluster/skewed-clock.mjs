// Makes the clock of a process wrong by so many milliseconds as the variable SKEW_MS says: node --import this file.
const skew = Number(process.env.SKEW_MS ?? 0)
const { now } = Date
Date.now = () => now() + skew
