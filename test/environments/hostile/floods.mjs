// Says far too much, where it may.
import { Base } from './base.mjs'

export default class Floods extends Base {
  step(_tool, { where, times }, { emit }) {
    const text = 'ä'.repeat(1 << 16)
    for (let i = 0; i < times; i++) {
      if (where === 'stderr') console.error(text)
      if (where === 'stdout') console.log(text)
      if (where === 'output') emit(text)
    }
    return { content: where === 'content' ? text.repeat(times) : 'said' }
  }
}
