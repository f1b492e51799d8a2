// The clock, timers, random numbers and ids that the core uses. main.ts provides the real ones. Tests provide versions
// whose results a seed reproduces.

export type Clock = {
  /** Milliseconds since the epoch. */
  now(): number
}

export type Timers = {
  /** Runs `job` once after `ms` milliseconds and returns a function that cancels it. Never keeps the process alive. */
  after(ms: number, job: () => void): () => void
  every(ms: number, job: () => void): () => void
}

export type Random = {
  /** `size` random bytes as base64url text without padding. */
  text(size: number): string
}

export type Ids = {
  /** Makes a new id: the prefix (`task_`, `msg_`, …), then a unique part. Later ids sort after earlier ones. */
  next(prefix: string): string
}

export type World = { clock: Clock; timers: Timers; random: Random; ids: Ids }

/** Writes a line for the operator. It never contains a secret. */
export type Report = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  fields?: Record<string, unknown>,
) => void
