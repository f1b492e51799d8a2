// Reads values of environment variables. A value that is invalid ends the start with one line that names the variable.
import { CannotStart } from '../contract/cannot-start.ts'

export type Env = Record<string, string | undefined>

export const wholeNumber = (
  env: Env,
  name: string,
  fallback: number,
  max = Number.MAX_SAFE_INTEGER,
): number => {
  const given = env[name]
  if (given === undefined || given === '') return fallback
  const value = Number(given)
  if (!/^\d+$/.test(given) || value > max) {
    throw new CannotStart(`${name}=${given} is not a whole number from 0 to ${max}`)
  }
  return value
}

export const atLeastOne = (env: Env, name: string, fallback: number, max: number): number => {
  const value = wholeNumber(env, name, fallback, max)
  if (value === 0) throw new CannotStart(`${name}=0 would allow nothing: set it to 1 or more`)
  return value
}

/** Text that can be sent in a header. */
export const headerText = /^[\x21-\x7e]+$/
