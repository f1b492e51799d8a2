// Gives what is no answer.
import { Base, say } from './base.mjs'

const cycle = {}
cycle.cycle = cycle
const deep = levels => (levels === 0 ? 1 : [deep(levels - 1)])
let veryDeep = 1
for (let i = 0; i < 100_000; i++) veryDeep = [veryDeep]

const results = {
  nothing: undefined,
  'a text': 'just so',
  'no content': {},
  'content of a number': { content: 5 },
  'content of no kind': { content: [{ type: 'song' }] },
  NaN: { content: 'x', reward: Number.NaN },
  'a cycle': { content: 'x', info: cycle },
  'a function': { content: 'x', info: { call: () => 1 } },
  undefined: { content: 'x', observation: { there: undefined } },
  'a Map': { content: 'x', observation: new Map() },
  'a text as reward': { content: 'x', reward: 'much' },
  'a number as end': { content: 'x', terminated: 1 },
  'a list as info': { content: 'x', info: [] },
  'a text as state': { content: 'x', state: 'fine' },
  'blocks without a type': { content: 'x', blocks: [{}] },
  'too deep': { content: 'x', info: { deep: deep(65) } },
  'much too deep': { content: 'x', info: { veryDeep } },
  'the name __proto__': { content: 'x', info: JSON.parse('{"__proto__":{"polluted":true}}') },
}

export default class Unfit extends Base {
  step(_tool, { what }) {
    if (what === 'an infinite number') {
      const tools = JSON.stringify(this.tools())
      say(`{"id":3,"result":{"content":"x","state":{},"tools":${tools},"reward":1e999}}\n`)
      return new Promise(() => {})
    }
    return results[what]
  }
}
