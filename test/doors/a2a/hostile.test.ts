import t from 'tap'
import { hostile } from './hostile.ts'

t.test('200 hostile messages are answered, and none of them with a 5xx', t => hostile(t, 200))
