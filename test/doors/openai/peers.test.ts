// What others build on OpenAI's protocols, pointed at a server: the agents of OpenAI, and the AI SDK.
import { createOpenAI } from '@ai-sdk/openai'
import {
  Agent,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  run,
  setTracingDisabled,
  tool,
} from '@openai/agents'
import { tool as aiTool, generateText, jsonSchema, stepCountIs, streamText } from 'ai'
import t from 'tap'
import { adminToken, serveHere } from '../../support/server.ts'
import { clientOf, scriptedModel } from './clients.ts'

setTracingDisabled(true)
const model = await scriptedModel(t)
const { api, url } = await serveHere(t, model.env)
const weather = [
  { tool_calls: [{ name: 'get_weather', arguments: { city: 'Paris' } }] },
  { text: 'It is sunny in Paris.' },
]
const tasks = async (): Promise<number> => {
  const answer = await api('GET', '/tasks?limit=100')
  return ((await answer.json()) as { result: object[] }).result.length
}

for (const [name, Model] of [
  ['Responses', OpenAIResponsesModel],
  ['Chat Completions', OpenAIChatCompletionsModel],
] as const) {
  t.test(`an agent of @openai/agents calls its tool over ${name}, in one task`, async t => {
    const cities: string[] = []
    const agent = new Agent({
      name: 'Weather',
      instructions: 'Say how the weather is.',
      model: new Model(clientOf(url) as never, 'model'),
      tools: [
        tool({
          name: 'get_weather',
          description: 'The weather of a city.',
          strict: false,
          parameters: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: [],
            additionalProperties: true,
          },
          execute: async input => {
            cities.push((input as { city: string }).city)
            return 'sunny'
          },
        }),
      ],
    })
    const before = await tasks()
    await model.script(weather)
    const result = await run(agent, 'How is the weather in Paris?')
    t.equal(result.finalOutput, 'It is sunny in Paris.')
    t.same(cities, ['Paris'])
    t.equal(await tasks(), before + 1)

    await model.script(weather)
    const streamed = await run(agent, 'And again?', { stream: true })
    let text = ''
    for await (const piece of streamed.toTextStream()) text += piece
    await streamed.completed
    t.equal(text, 'It is sunny in Paris.')
    t.equal(await tasks(), before + 2)

    await model.texts('You asked for Paris.')
    const next = await run(agent, [...streamed.history, { role: 'user', content: 'Where?' }])
    t.equal(next.finalOutput, 'You asked for Paris.')
  })
}

const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey: adminToken })
for (const [name, languageModel] of [
  ['Responses', openai.responses('model')],
  ['Chat Completions', openai.chat('model')],
] as const) {
  t.test(`the AI SDK calls its tool over ${name}, in one task`, async t => {
    const cities: string[] = []
    const tools = {
      get_weather: aiTool({
        description: 'The weather of a city.',
        inputSchema: jsonSchema<{ city: string }>({
          type: 'object',
          properties: { city: { type: 'string' } },
        }),
        execute: async ({ city }) => {
          cities.push(city)
          return 'sunny'
        },
      }),
    }
    const stopWhen = stepCountIs(4)
    const before = await tasks()
    await model.script(weather)
    const whole = await generateText({ model: languageModel, tools, stopWhen, prompt: 'How is Paris?' })
    t.equal(whole.text, 'It is sunny in Paris.')
    t.same(cities, ['Paris'])
    t.equal(await tasks(), before + 1)

    await model.script(weather)
    const streamed = streamText({ model: languageModel, tools, stopWhen, prompt: 'How is Paris now?' })
    let text = ''
    for await (const piece of streamed.textStream) text += piece
    t.equal(text, 'It is sunny in Paris.')
    t.equal(await tasks(), before + 2)

    await model.texts('Paris, you asked.')
    const { messages } = await streamed.response
    const next = await generateText({
      model: languageModel,
      tools,
      messages: [
        { role: 'user', content: 'How is Paris now?' },
        ...messages,
        { role: 'user', content: 'What did I ask?' },
      ],
    })
    t.equal(next.text, 'Paris, you asked.')
  })

  t.test(`the AI SDK goes on over ${name} after the server has run a tool`, async t => {
    await model.script([
      { tool_calls: [{ name: 'calculator', arguments: { expression: '6*7' } }] },
      { text: 'It is 42.' },
      { text: 'You asked for 6*7.' },
    ])
    const asked = { role: 'user' as const, content: 'What is 6*7?' }
    const first = streamText({ model: languageModel, messages: [asked] })
    t.equal(await first.text, 'It is 42.')
    const { messages } = await first.response
    const next = await generateText({
      model: languageModel,
      messages: [asked, ...messages, { role: 'user', content: 'What did I ask?' }],
    })
    t.equal(next.text, 'You asked for 6*7.')
    const seen = (model.asked.at(-1)?.request as { messages: { role: string }[] } | undefined)?.messages
    const roles = seen?.map(({ role }) => role)
    const inChat = ['user', 'assistant', 'user']
    const inResponses = ['user', 'assistant', 'tool', 'assistant', 'user']
    t.same(roles, name === 'Responses' ? inResponses : inChat)
  })
}
