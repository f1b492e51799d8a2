// The answers of a fake model without a script. They are enough to try an agent with tools and structured output.
import { arithmeticIn } from '../agents/demo.ts'
import { instanceOf } from '../agents/instance.ts'
import type { Answer } from './answer.ts'
import { type ChatRequest, newestOf } from './request.ts'

const quoted = (text: string): string => `“${text.length > 200 ? `${text.slice(0, 200)}…` : text}”`

const canCalculate = ({ tools, tool_choice }: ChatRequest): boolean =>
  tool_choice !== 'none' && (tools ?? []).some(tool => tool.function?.name === 'calculator')

export const plausibleAnswer = (request: ChatRequest): Answer => {
  const { role, text } = newestOf(request)
  const expression = role === 'user' && canCalculate(request) ? arithmeticIn(text) : undefined
  if (expression !== undefined) {
    return {
      reasoning: `The user wants ${expression}. I ask the calculator.`,
      tool_calls: [{ name: 'calculator', arguments: { expression } }],
    }
  }
  const format = request.response_format
  if (format?.type === 'json_schema') {
    return { text: JSON.stringify(instanceOf(format.json_schema?.schema, text)) }
  }
  if (format?.type === 'json_object') return { text: JSON.stringify({ answer: text }) }
  if (role === 'tool') return { text: `The tool says ${quoted(text)}.` }
  return { text: `You said ${quoted(text)}. I am a fake model and cannot say more.` }
}
