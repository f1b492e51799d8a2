// What the core asks of the world. main gives the real ones; tests give ones that a seed reproduces.

export type Clock = {
  /** Milliseconds since the epoch. */
  now(): number
}

export type Timers = {
  /** Runs `job` once after `ms` milliseconds; the answer cancels it. Never keeps the process alive. */
  after(ms: number, job: () => void): () => void
  every(ms: number, job: () => void): () => void
}

export type Random = {
  /** `size` random bytes as base64url text without padding. */
  text(size: number): string
}

export type Ids = {
  /** A new id: the prefix (`task_`, `msg_`, …) and a time-ordered, unique rest. */
  next(prefix: string): string
}

export type World = { clock: Clock; timers: Timers; random: Random; ids: Ids }

/** A line for the operator; never with a secret in it. */
export type Report = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  fields?: Record<string, unknown>,
) => void
