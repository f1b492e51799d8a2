// Breaks the protocol by what it says.
import { Base, never, say } from './base.mjs'

const answer = id => `${JSON.stringify({ id, result: { content: 'forged', state: {}, tools: [] } })}\n`

const ways = {
  garbage: () => say('what is this?\n'),
  'an array': () => say('[1]\n'),
  'the number 5': () => say('5\n'),
  'an object': () => say('{"much":1}\n'),
  'hello again': () => say('{"method":"hello","params":{"protocol":1,"classes":[]}}\n'),
  'bad output': () => say('{"method":"output","params":{"id":3,"text":7}}\n'),
  'two answers': () => say(answer(3)),
  'an answer to another': () => say(answer(99)),
  'a line without end': () => {
    for (;;) say('x'.repeat(1 << 20))
  },
  'lines without end': () => {
    for (;;) say('{"method":"news","params":{}}\n'.repeat(10_000))
  },
}

export default class Says extends Base {
  step(_tool, { what }) {
    ways[what]()
    return what === 'two answers' ? { content: 'mine' } : never()
  }
}
