// The calculator tool, since models are bad at arithmetic.
import { evaluate } from './arithmetic/evaluate.ts'
import { tool } from './tool.ts'

/** The largest number up to which every whole number is exact. A larger result is written with an exponent. */
const exact = Number.MAX_SAFE_INTEGER

/** A number as text, with at most 15 digits. More digits would show that 0.1 + 0.2 is not exactly 0.3. */
export const plain = (value: number): string => {
  if (Number.isSafeInteger(value)) return `${value + 0}`.replace(/^-0$/, '0')
  if (Math.abs(value) > exact) return value.toExponential(14).replace(/\.?0+e/, 'e')
  return `${Number(value.toPrecision(15))}`
}

export const calculator = tool({
  name: 'calculator',
  description:
    'Evaluates an arithmetic expression and gives its value, rounded to 15 significant digits. Knows + - * / ' +
    '% (remainder) ^ (power), parentheses, the functions sqrt, abs, min, max, round, floor, ceil, sin, cos, tan ' +
    '(radians), ln (base e), log (base 10), exp, and the constants pi and e.',
  required: {
    expression: {
      type: 'string',
      description: 'For example: (1 + 2.5) * sqrt(16) ^ 2. A multiplication is written with *.',
    },
  },
  answer: ({ arguments: args }) => plain(evaluate(args.expression as string)),
})
