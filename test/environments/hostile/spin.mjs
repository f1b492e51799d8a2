// Never yields, so that it cannot even be told to stop.
import { Base } from './base.mjs'

export default class Spin extends Base {
  step(_tool, _args, { emit }) {
    emit('spinning')
    for (;;);
  }
}
