// Answers, and fails afterwards: by a throw, or by a promise that nobody waits for.
import { Base } from './base.mjs'

export default class Later extends Base {
  step(_tool, { how }) {
    const fail = () => {
      throw new Error(`too late, by ${how}`)
    }
    if (how === 'a throw') setTimeout(fail, 10)
    else setTimeout(() => void (async () => fail())(), 10)
    return { content: 'all is well' }
  }
}
