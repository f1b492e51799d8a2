// The calculator tool, since models are bad at arithmetic.
import { evaluate } from './arithmetic/evaluate.ts'
import { tool } from './tool.ts'

/** Beyond it, not every whole number is exact, so a larger result carries a note that it is rounded. */
const exact = Number.MAX_SAFE_INTEGER

/** Up to 15 digits, which hides that 0.1 + 0.2 is not exactly 0.3. */
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
