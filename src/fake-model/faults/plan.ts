// Which faults an answer plays: those of its script, those of the request, and those of the command line.
import type { Answer } from '../answer.ts'
import type { Protocol } from '../protocols/protocol.ts'
import type { Fault } from './fault.ts'
import { faultNamed, noFault } from './faults.ts'

/** `request`: the number of the only request for which the fault is played, from 1; undefined: for each. */
export type PlannedFault = { fault: Fault; request?: number }

/** Reads `name` or `name@3`, which is played for the third request alone. A text says what is wrong. */
export const readFault = (given: string): PlannedFault | string => {
  const [name = '', number, more] = given.split('@')
  const fault = faultNamed(name)
  if (fault === undefined) return noFault(name)
  if (number === undefined) return { fault }
  if (more !== undefined || !/^[1-9]\d{0,8}$/.test(number)) {
    return `${given}: after the @ there must be the number of a request, from 1`
  }
  return { fault, request: Number(number) }
}

export const faultsFor = (plan: readonly PlannedFault[], request: number): Fault[] =>
  plan.flatMap(planned => ((planned.request ?? request) === request ? [planned.fault] : []))

export const namesOf = ({ fault = [] }: Answer): string[] => [fault].flat()

/** The faults that a list of names, such as a header, asks for. A text says which of them does not exist. */
export const faultsNamed = (names: readonly string[]): Fault[] | string => {
  const unknown = names.find(name => faultNamed(name) === undefined)
  return unknown === undefined ? names.flatMap(name => faultNamed(name) ?? []) : noFault(unknown)
}

const needOf = ({ only, steps, body }: Fault): Fault['only'] =>
  only ?? (steps !== undefined && body === undefined ? 'stream' : undefined)

/** Why a fault cannot be played in an answer to this request; undefined if it can. */
const misfit = (fault: Fault, protocol: Protocol, stream: boolean): string | undefined => {
  const { name, protocols = [protocol.name] } = fault
  if (!protocols.includes(protocol.name)) {
    return `the fault ${name} does not exist in ${protocol.title}; it can be played in ${protocols.join(', ')}`
  }
  const need = needOf(fault)
  if (need === 'stream' && !stream) return `the fault ${name} needs a request with "stream": true`
  if (need === 'whole' && stream) return `the fault ${name} needs a request without "stream": true`
  return undefined
}
export const misfits = (plan: readonly Fault[], protocol: Protocol, stream: boolean): string[] =>
  plan.flatMap(fault => misfit(fault, protocol, stream) ?? [])
