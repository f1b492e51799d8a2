import t from 'tap'
import { failure, runTool, toolNamed } from './support.ts'

const calculate = (expression: string) => runTool(toolNamed('calculator'), { expression })

const values: Record<string, string> = {
  '1 + 2 * 3': '7',
  '(1 + 2) * 3': '9',
  '10 - 4 - 3': '3',
  '100 / 10 / 5': '2',
  '7 % 4': '3',
  '-7 % 4': '-3',
  '2 ^ 3 ^ 2': '512',
  '2 ** 10': '1024',
  '-2 ^ 2': '-4',
  '(-2) ^ 2': '4',
  '2 ^ -1': '0.5',
  '2 * -3': '-6',
  '--3': '3',
  '+5': '5',
  '0.1 + 0.2': '0.3',
  '1.1 * 3': '3.3',
  '1 / 3': '0.333333333333333',
  '2 / 3': '0.666666666666667',
  '.5 + 5.': '5.5',
  '1e3 + 2.5E-1': '1000.25',
  '1e-7': '1e-7',
  '0 * -1': '0',
  '2 ^ 53 - 1': '9007199254740991',
  '2 ^ 100': '1.26765060022823e+30',
  '10 ^ 20': '1e+20',
  'sqrt(16) + abs(-3)': '7',
  'min(3, 1, 2) + max(3, 1, 2)': '4',
  'round(2.5) + floor(2.9) + ceil(2.1)': '8',
  'sin(0) + cos(0) + tan(0)': '1',
  'ln(e) + log(1000) + exp(0)': '5',
  'round(PI * 1e4) / 1e4': '3.1416',
  ' 1\t+\n1 ': '2',
}
for (const [expression, value] of Object.entries(values)) {
  t.test(`${JSON.stringify(expression)} is ${value}`, async t => {
    t.equal(await calculate(expression), value)
  })
}

const mistakes: Record<string, string> = {
  '': 'Expected a number, found the end at position 1',
  '1 +': 'Expected a number, found the end at position 4',
  '1 2': 'Unexpected "2" at position 3',
  '2 (3)': 'Unexpected "(" at position 3',
  '1.2.3': 'Unexpected ".3" at position 4',
  '(1 + 2': 'Expected ")", found the end at position 7',
  '1 + 2)': 'Unexpected ")" at position 6',
  '1 + * 2': 'Expected a number, found "*" at position 5',
  '1 & 2': 'Unexpected "&" at position 3',
  '1 + 😀': 'Unexpected "😀" at position 5',
  'x + 1': 'Unknown name "x" at position 1',
  'constructor(1)': 'Unknown name "constructor" at position 1',
  'sqrt 4': 'Expected "(", found "4" at position 6',
  'sqrt(1, 2)': 'sqrt takes one value at position 1',
  'max()': 'max takes at least one value at position 1',
  'sqrt(-1)': 'sqrt has no value for -1 at position 1',
  'ln(0)': 'ln has no value for 0 at position 1',
  '5 / 0': 'Division by zero at position 3',
  '5 % (1 - 1)': 'Division by zero at position 3',
  '0 ^ -1': 'Division by zero at position 3',
  '(-8) ^ 0.5': 'A negative number has no such power at position 6',
  '10 ^ 400': 'The number is too large at position 4',
  '1 + 1e999': 'The number is too large at position 5',
  '1e308 * 10': 'The number is too large at position 7',
}
for (const [expression, message] of Object.entries(mistakes)) {
  t.test(`${JSON.stringify(expression)} fails: ${message}`, async t => {
    t.equal(await failure(calculate(expression)), message)
  })
}

t.test('an expression may be as long and as deep as the limits say, and no longer or deeper', async t => {
  const nested = (levels: number) => `${'('.repeat(levels)}1${')'.repeat(levels)}`
  t.equal(await calculate(nested(200)), '1')
  t.match(await failure(calculate(nested(201))), 'Nested deeper than 200 levels at position 201')
  t.match(await failure(calculate(`${'-'.repeat(5_000)}1`)), 'Nested deeper than 200 levels')
  t.match(await failure(calculate(`${'2^'.repeat(4_000)}1`)), 'Nested deeper than 200 levels')
  t.match(await failure(calculate('sqrt('.repeat(1_900))), 'Nested deeper than 200 levels')
  t.equal(await calculate(`${'1+'.repeat(4_999)}11`), '5010')
  t.match(await failure(calculate(`${'1+'.repeat(5_000)}1`)), 'longer than 10000 characters')
})
