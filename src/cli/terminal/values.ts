// Values of options: each function throws CannotStart when the text cannot be one.
import { CannotStart } from '../../contract/cannot-start.ts'

/** A whole number. `option`: as it stands on the command line. */
export const wholeNumber = (option: string, text: string, [least, most]: [number, number]): number => {
  const value = Number(text)
  if (/^\d{1,15}$/.test(text) && value >= least && value <= most) return value
  throw new CannotStart(`${option} ${text} is not a whole number from ${least} to ${most}`)
}

/** A JSON object. The text is not shown when it is wrong, since it may contain a secret. */
export const jsonObject = (option: string, text: string, example: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch {} // what is no JSON is told as what is no object
  throw new CannotStart(`${option} is not a JSON object: give, for example, '${example}'`)
}

/** The variables of `--var NAME=VALUE`. One that is wrong is not shown, since it may be a secret. */
export const varsOf = (given: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    given.map(one => {
      const at = one.indexOf('=')
      if (at < 1)
        throw new CannotStart('--var is not of the form NAME=VALUE: give, for example, --var REGION=north')
      return [one.slice(0, at), one.slice(at + 1)]
    }),
  )

/** The words of an option that may be repeated, and may have several words with commas between them. */
export const wordsOf = (given: readonly string[]): string[] => given.flatMap(words => words.split(','))
