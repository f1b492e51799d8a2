// Checks and completes the answers of a program. The service relies only on fields that are checked here.
import type { Observed, OpenObject, ResetAnswer, StepAnswer } from '../contract/environment.ts'
import { heldBy, isExact } from '../contract/json/exact-number.ts'
import type { Block, MessageContent, ToolDefinition } from '../contract/wire.ts'
import { Unfit } from '../platform/programs/lines.ts'
import { createCut, cutContent } from './cut.ts'
import { deepest, isObject } from './protocol.ts'

// Whether a value has the form of message content. Only the fields that the wire requires are checked.

const isText = (value: unknown): value is string => typeof value === 'string'
const hasText = ({ text }: Record<string, unknown>) => isText(text)
const hasImage = ({ image_url: image }: Record<string, unknown>) => isObject(image) && isText(image.url)
const hasAudio = ({ input_audio: audio }: Record<string, unknown>) =>
  isObject(audio) && isText(audio.data) && isText(audio.format)
const hasFile = ({ file }: Record<string, unknown>) =>
  isObject(file) && (isText(file.file_url) || isText(file.file_data)) && isText(file.filename)

const kinds = new Map<unknown, (part: Record<string, unknown>) => boolean>([
  ...['text', 'input_text', 'output_text', 'reasoning_text', 'summary_text', 'refusal'].map(
    type => [type, hasText] as const,
  ),
  ...['image', 'input_image', 'output_image', 'image_url'].map(type => [type, hasImage] as const),
  ...['input_audio', 'output_audio', 'audio'].map(type => [type, hasAudio] as const),
  ['file', hasFile],
])

const isPart = (part: unknown): boolean =>
  isText(part) || (isObject(part) && kinds.get(part.type)?.(part) === true)

const isContent = (value: unknown): value is MessageContent =>
  isText(value) || (Array.isArray(value) && value.every(isPart))

/**
 * Why a value cannot be stored and sent; undefined: it can. A value may have `levels` levels. JSON.parse takes
 * `__proto__` for an ordinary name, so it must be found here.
 */
const flawOf = (value: unknown, levels: number): string | undefined => {
  if (typeof value !== 'object' || value === null || isExact(value)) return undefined
  if (levels === 0) return `is nested deeper than ${deepest} levels`
  for (const [key, child] of Object.entries(value)) {
    const flaw = key === '__proto__' ? 'holds the name __proto__' : flawOf(child, levels - 1)
    if (flaw !== undefined) return flaw
  }
  return undefined
}

/** Returns the answer of a program. Throws Unfit if it is not an object that can be stored and sent. */
export const checked = (result: unknown, what: string): OpenObject => {
  if (!isObject(result)) throw new Unfit(`${what} gave no object`)
  for (const [name, value] of Object.entries(result)) {
    const flaw = flawOf(value, deepest)
    if (flaw !== undefined) throw new Unfit(`the ${name} that ${what} gave ${flaw}`)
  }
  return result
}

const objectOf = (value: unknown, name: string): OpenObject => {
  if (!isObject(value)) throw new Unfit(`the ${name} is no object`)
  return value
}

const isTool = (tool: unknown): tool is ToolDefinition => {
  if (!isObject(tool) || tool.type !== 'function' || !isObject(tool.function)) return false
  const { name, parameters, description = '', strict = false } = tool.function
  return (
    typeof name === 'string' &&
    name.length >= 1 &&
    name.length <= 128 &&
    isObject(parameters) &&
    typeof description === 'string' &&
    typeof strict === 'boolean'
  )
}

/** A tool with the fields that its author may leave out. */
const whole = (tool: ToolDefinition): ToolDefinition => ({
  ...tool,
  function: {
    ...tool.function,
    description: tool.function.description ?? '',
    strict: tool.function.strict ?? false,
  },
})

const stateOf = ({ state, tools }: OpenObject): { state: OpenObject; tools: ToolDefinition[] } => {
  if (!Array.isArray(tools) || !tools.every(isTool)) throw new Unfit('the tools are no tool definitions')
  return { state: objectOf(state, 'state'), tools: tools.map(whole) }
}

export const observedOf = (result: unknown, done: boolean): Observed => ({
  ...stateOf(checked(result, 'observe')),
  done,
})

export const resetAnswer = (given: unknown): ResetAnswer => {
  const result = checked(given, 'reset')
  const { state, tools } = stateOf(result)
  return { state, tools, done: false, observation: objectOf(result.observation ?? state, 'observation') }
}

const isBlock = (block: unknown): block is Block => isObject(block) && typeof block.type === 'string'

const flag = (value: unknown, name: string): boolean => {
  if (typeof value !== 'boolean') throw new Unfit(`${name} is neither true nor false`)
  return value
}

const rewardOf = (value: unknown): number => {
  const reward = isExact(value) ? heldBy(value) : value
  if (typeof reward === 'number') return reward
  const why = isExact(value) ? `${value.rawJSON.slice(0, 100)}, which cannot be held exactly` : 'no number'
  throw new Unfit(`the reward is ${why}`)
}

const completed = (result: OpenObject): StepAnswer => {
  const { content, reward = 0, terminated = false, truncated = false, info = {}, blocks = [] } = result
  const { state, tools } = stateOf(result)
  if (!isContent(content)) throw new Unfit('the content is neither a text nor a list of content items')
  if (!Array.isArray(blocks) || !blocks.every(isBlock)) throw new Unfit('the blocks are no list of blocks')
  const ends = { terminated: flag(terminated, 'terminated'), truncated: flag(truncated, 'truncated') }
  return {
    status: 'completed',
    content: cutContent(content),
    blocks,
    observation: objectOf(result.observation ?? state, 'observation'),
    reward: rewardOf(reward),
    ...ends,
    done: ends.terminated || ends.truncated,
    info: objectOf(info, 'info'),
    state,
    tools,
  }
}

const failed = (error: string, { state, tools }: Pick<Observed, 'state' | 'tools'>): StepAnswer => {
  const content = createCut().take(error)
  return {
    status: 'incomplete',
    content,
    blocks: [],
    observation: state,
    reward: 0,
    terminated: false,
    truncated: false,
    done: false,
    info: {},
    state,
    tools,
    error: content,
  }
}

/** Returns an answer for every step. The answer of a failed step has the newest known state. */
export const stepAnswer = (given: unknown, last: Pick<Observed, 'state' | 'tools'>): StepAnswer => {
  let newest = last
  try {
    const result = checked(given, 'step')
    if (result.state !== undefined) newest = stateOf(result)
    if (result.error !== undefined) return failed(String(result.error), newest)
    return completed(result)
  } catch (error) {
    return failed((error as Error).message, newest)
  }
}

/** The answer of a stopped step. Fields that are not set here stay as the program sent them. */
export const stoppedAnswer = (answer: StepAnswer, why: string): StepAnswer => ({
  ...answer,
  stopped: true,
  status: 'incomplete',
  error: why,
  ...(answer.error === undefined ? {} : { content: why }),
})
