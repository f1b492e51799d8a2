// Reads the error of an answer. The protocol wants `{code, message, data}`; servers also send a text, a code of the
// system, or nothing at all.
import { brokenOff, unreadable } from '../failure.ts'
import { type Fields, isFields } from './heard.ts'
import { wordsIn } from './words.ts'

/** The code of an error that has none. */
const unknownCode = -32_000

type ErrorAnswer = { code: number; message: string; data?: unknown }

const codeOf = (code: unknown): number => {
  const number = typeof code === 'string' && code.trim() !== '' ? Number(code) : code
  const isOurs = number === brokenOff || number === unreadable
  return Number.isSafeInteger(number) && !isOurs ? (number as number) : unknownCode
}

const ofFields = ({ code, message, data, ...rest }: Fields): ErrorAnswer => {
  const said = wordsIn(message) || wordsIn(rest)
  const more = wordsIn(data)
  const name = typeof code === 'string' && Number.isNaN(Number(code)) && !said.includes(code) ? code : ''
  const words = [said, said.includes(more) ? '' : more].filter(part => part !== '').join(': ')
  const named = name === '' ? words : words === '' ? name : `${words} (${name})`
  return {
    code: codeOf(code),
    message: named === '' ? `an error without a text, with the code ${code ?? 'missing'}` : named,
    ...(data === undefined ? {} : { data }),
  }
}

/** The error in the form of the protocol, with everything that it says in its message. */
export const readError = (error: unknown): ErrorAnswer =>
  isFields(error)
    ? ofFields(error)
    : { code: unknownCode, message: wordsIn(error) || 'an error without a text' }
