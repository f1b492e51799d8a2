/** How a request is answered. Each of `writes` is written by itself. `end`: what happens afterwards. */
export type RawAnswer = {
  writes?: string[]
  /** There is no answer. */
  silent?: true
  /** Milliseconds before the first write. */
  waitMs?: number
  /** `keep`: an HTTP answer does not end. `break`: its connection breaks. `die`: the process ends. */
  end?: 'keep' | 'break' | 'die'
  /** Of an HTTP answer. */
  status?: number
  headers?: Record<string, string>
}
export type RawScript = {
  /** What a process prints before it reads anything. */
  before?: string[]
  greeting?: RawAnswer
  /** The answers to `tools/list`, one after another; the last one is given again and again. */
  lists?: RawAnswer[]
  /** The answer to each `tools/list` with a cursor, if it is not one of `lists`. */
  next?: RawAnswer
  /** The answers to calls, by the name of the tool. */
  calls?: Record<string, RawAnswer>
}
type Sent = { id?: string | number; method?: string; params?: Record<string, unknown> }

/** The text of an answer with this result. */
export function result(value: unknown): string
export function createAnswers(script: RawScript): (message: Sent) => RawAnswer | undefined
