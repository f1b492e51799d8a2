// What the tests of schemas share: a checker that is closed with the test, and deadlines that pass when told to.
import type { Test } from 'tap'
import type { Timers } from '../../src/contract/ports.ts'
import { createSchemaChecker, type Options, type SchemaChecker } from '../../src/json-schema/checker.ts'

/** With time enough, unless told otherwise. Where a test holds the deadlines, it says when time is up. */
export const checkerFor = (t: Pick<Test, 'teardown'>, options: Options = {}): SchemaChecker => {
  const byHand: Options = options.timers === undefined ? {} : { runTime: () => undefined }
  const checker = createSchemaChecker({ deadlineMs: 60_000, ...byHand, ...options })
  t.teardown(() => checker.close())
  return checker
}

/** Timers of which nothing passes by itself. */
export const heldDeadlines = () => {
  let told = () => {}
  let isSet = new Promise<void>(resolve => {
    told = resolve
  })
  let due: (() => void) | undefined
  const timers: Pick<Timers, 'after'> = {
    after(_ms, job) {
      due = job
      told()
      return () => {
        if (due === job) due = undefined
      }
    },
  }
  return {
    timers,
    /** Resolves when a call runs that none of these was told of yet. */
    async running(): Promise<void> {
      await isSet
      isSet = new Promise(resolve => {
        told = resolve
      })
    },
    /** The deadline of the call that runs passes, after a time in which nobody listened to it. */
    strike(deafMs = 0): void {
      if (deafMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, deafMs)
      due?.()
    },
  }
}

/** A pattern, and a text on which it tries more ways than there is time for. */
export const catastrophe = { schema: { pattern: '^(a+)+$' }, value: `${'a'.repeat(60)}!` }

/** A schema of a few references that stands for 2^n of its last one. */
export const doubling = (n: number, last: object): object => ({
  $ref: '#/$defs/0',
  $defs: {
    ...Object.fromEntries(
      Array.from({ length: n }, (_, i) => [i, { anyOf: Array(2).fill({ $ref: `#/$defs/${i + 1}` }) }]),
    ),
    [n]: last,
  },
})

export const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
