// The answers of a fake model without a script. They are enough to try an agent with tools and structured output.
import { arithmeticIn } from '../agents/demo.ts'
import { instanceOf } from '../agents/instance.ts'
import type { Answer } from './answer.ts'
import type { Question } from './question.ts'

const quoted = (text: string): string => `“${text.length > 200 ? `${text.slice(0, 200)}…` : text}”`

export const plausibleAnswer = ({ newest, tools, schema, thinks }: Question): Answer => {
  const { from, text, images } = newest
  const expression = from === 'user' && tools.includes('calculator') ? arithmeticIn(text) : undefined
  if (expression !== undefined) {
    return {
      ...(thinks ? { reasoning: `The user wants ${expression}. I ask the calculator.` } : {}),
      tool_calls: [{ name: 'calculator', arguments: { expression } }],
    }
  }
  if (schema !== undefined) return { text: JSON.stringify(instanceOf(schema, text)) }
  if (from === 'tool') return { text: `The tool says ${quoted(text)}.` }
  const seen = images === 0 ? '' : ` and showed me ${images} image${images === 1 ? '' : 's'}`
  return { text: `You said ${quoted(text)}${seen}. I am a fake model and cannot say more.` }
}
