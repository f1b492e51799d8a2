// All faults that the fake model can play.
import { answers } from './answers.ts'
import { calls } from './calls.ts'
import { ends } from './ends.ts'
import { errors } from './errors.ts'
import type { Fault } from './fault.ts'
import { framing } from './framing.ts'

export const faults: readonly Fault[] = [...ends, ...answers, ...calls, ...errors, ...framing]

export const faultNamed = (name: string): Fault | undefined => faults.find(fault => fault.name === name)
/** What to say to somebody who names a fault that does not exist. */
export const noFault = (name: string): string =>
  `there is no fault ${name}; reprise model fake --faults lists them`
