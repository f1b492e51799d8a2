// What code has given, as the server stores it: the value or the error of a function, in a form that fits into a message.
import { longestValue } from './limits.ts'
import { plainJson, valuesIn } from './plain-json.ts'

const maxStack = 4000
const maxMessage = 2 ** 16

/** An error as the server stores it. */
export const thrownOf = (error: unknown): { name: string; message: string; stack?: string } => {
  if (error instanceof Error) {
    const { name, message, stack } = error
    return {
      name: `${name}`.slice(0, maxStack),
      message: `${message}`.slice(0, maxMessage),
      ...(stack ? { stack: `${stack}`.slice(0, maxStack) } : {}),
    }
  }
  try {
    return {
      name: 'Error',
      message: (typeof error === 'string' ? error : `${JSON.stringify(error)} was thrown`).slice(
        0,
        maxMessage,
      ),
    }
  } catch {
    return { name: 'Error', message: 'something was thrown that cannot be told' }
  }
}

/** The JSON text of a value. Throws when it is too long for a message. `what` names the value. */
export const textOf = (value: unknown, what: string): string => {
  const text = JSON.stringify(value)
  const bytes = Buffer.byteLength(text)
  if (bytes <= longestValue) return text
  throw new TypeError(
    `${what} has ${bytes} bytes of JSON, more than ${longestValue}: store it elsewhere, and pass its name`,
  )
}

/** The error of a function, with the code and the data that it may have. */
const errorOf = (thrown: unknown): object => {
  const { name, message } = thrownOf(thrown)
  const { code, data } = (thrown ?? {}) as { code?: unknown; data?: unknown }
  const error = { name, message, ...(typeof code === 'number' ? { code } : {}) }
  if (data === undefined) return error
  try {
    const plain = plainJson(data, 'data')
    textOf(plain, 'data')
    return { ...error, data: plain }
  } catch {
    return error
  }
}

/** The values of a move besides what the code gives: its fields. */
export const moveValues = 16

/** The text of a move, and how many values it has. */
export type MoveText = { text: string; values: number }

/** Runs the function of the `ctx.run` with the number `of`, and resolves with its outcome as a move. */
export const ranOf = async (of: number, name: string, fn: () => unknown): Promise<MoveText> => {
  const what = `what ctx.run('${name}') returns`
  try {
    const value = plainJson((await fn()) ?? null, what)
    return {
      text: `{"do":"ran","of":${of},"value":${textOf(value, what)}}`,
      values: valuesIn(value) + moveValues,
    }
  } catch (thrown) {
    const error = errorOf(thrown)
    return { text: JSON.stringify({ do: 'ran', of, error }), values: valuesIn(error) + moveValues }
  }
}
