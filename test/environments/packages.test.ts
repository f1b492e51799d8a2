// Modules that import what is beside them: packages of Python, and neighbours and packages in JavaScript and TypeScript.
import t, { type Test } from 'tap'
import { environmentsIn, resetOf, stepOf } from './support.ts'

t.jobs = 2

/** A class in Python whose steps say VALUE. */
const py = (imports: string): string => `${imports}
class Count:
    def __init__(self, kwargs, given): pass
    def reset(self, seed, options): pass
    def step(self, tool, args, context): return {"content": f"said {VALUE}"}
    def observe(self): return {}
    def tools(self): return []
`
/** A class in JavaScript or TypeScript whose steps say \`value\`. */
const js = (imports: string, exports = 'export class Count'): string => `${imports}
${exports} {
  reset() {}
  step() { return { content: 'said ' + value } }
  observe() { return {} }
  tools() { return [] }
}
`
const seven = { py: 'VALUE = 7\n', mjs: 'export const value = 7\n', cjs: 'exports.value = 7\n' }

/** A sentence, the files of ENV_PATH, and class paths that all lead to a class whose steps say 7. */
type Row = [string, Record<string, string>, string[]]

const python: Row[] = [
  [
    'a relative import, and one with the name of the package',
    {
      'pkg/__init__.py': '',
      'pkg/helper.py': seven.py,
      'pkg/relative.py': py('from .helper import VALUE'),
      'pkg/absolute.py': py('from pkg.helper import VALUE'),
    },
    [
      'pkg/relative#Count',
      'pkg.relative#Count',
      'pkg/absolute.py#Count',
      'pkg.absolute#Count',
      'pkg.absolute',
    ],
  ],
  [
    'both in a package without __init__.py',
    {
      'pkg/helper.py': seven.py,
      'pkg/relative.py': py('from .helper import VALUE'),
      'pkg/absolute.py': py('import pkg.helper\nVALUE = pkg.helper.VALUE'),
    },
    ['pkg/relative#Count', 'pkg.absolute#Count'],
  ],
  [
    'packages in packages, with and without __init__.py',
    {
      'a/__init__.py': '',
      'a/shared/helper.py': seven.py,
      'a/b/c/relative.py': py('from ...shared.helper import VALUE'),
      'a/b/c/absolute.py': py('from a.shared.helper import VALUE'),
    },
    ['a/b/c/relative#Count', 'a.b.c.absolute#Count'],
  ],
  [
    'a package that is an environment itself',
    { 'pkg/__init__.py': py('from .helper import VALUE'), 'pkg/helper.py': seven.py },
    ['pkg#Count', 'pkg', 'pkg/__init__.py#Count'],
  ],
  [
    'a package that names a class of one of its modules in __all__',
    {
      'pkg/__init__.py': 'from .impl import Count\n__all__ = ["Count"]\n',
      'pkg/impl.py': py('from .helper import VALUE'),
      'pkg/helper.py': seven.py,
    },
    ['pkg#Count', 'pkg.impl#Count'],
  ],
  [
    'what the __init__.py of the package holds',
    {
      'pkg/__init__.py': seven.py,
      'pkg/x.py': py('from . import VALUE'),
      'pkg/y.py': py('from pkg import VALUE'),
    },
    ['pkg/x#Count', 'pkg/y#Count'],
  ],
  [
    'two packages with modules of the same names',
    {
      'one/helper.py': seven.py,
      'one/x.py': py('from .helper import VALUE'),
      'two/helper.py': 'WORD = 7\n',
      'two/x.py': py('from .helper import WORD as VALUE'),
    },
    ['one/x#Count', 'two/x#Count'],
  ],
  [
    'a module with the name of a module of Python, which its neighbours and Python itself still find',
    {
      'random.py': py('import random\nVALUE = random.randint(7, 7)'),
      'walk.py': py('import random, tempfile\nVALUE = random.randint(7, 7)'),
    },
    ['random#Count', 'walk#Count'],
  ],
  [
    'a package with the name of a module of Python',
    {
      'json/helper.py': seven.py,
      'json/x.py': py('import json\nfrom .helper import VALUE\njson.dumps(VALUE)'),
    },
    ['json/x#Count', 'json.x#Count'],
  ],
  [
    'a neighbour without the name of the package',
    { 'pkg/helper.py': seven.py, 'pkg/x.py': py('from helper import VALUE') },
    ['pkg/x#Count'],
  ],
  [
    'a package beside the module',
    { 'pkg/helper.py': seven.py, 'x.py': py('from pkg.helper import VALUE') },
    ['x#Count'],
  ],
  [
    'folders and files whose names are no names of Python',
    {
      'my-games/helper.py': seven.py,
      'my-games/x-1.py': py('from .helper import VALUE'),
      'v1.2/helper.py': seven.py,
      'v1.2/deep/x.y.py': py('from ..helper import VALUE'),
    },
    ['my-games/x-1#Count', 'v1.2/deep/x.y.py#Count'],
  ],
  [
    'modules that import each other',
    {
      'pkg/__init__.py': 'from .x import Count\n',
      'pkg/x.py': py('from .helper import VALUE'),
      'pkg/helper.py': `${seven.py}import pkg.x\n`,
    },
    ['pkg/x#Count', 'pkg.x#Count'],
  ],
  [
    'objects that are pickled by the name of their module',
    {
      'pkg/x.py': py('import pickle\nclass Seven:\n    n = 7\nVALUE = pickle.loads(pickle.dumps(Seven())).n'),
      'x.py': py('import pickle\nclass Seven:\n    n = 7\nVALUE = pickle.loads(pickle.dumps(Seven())).n'),
    },
    ['pkg/x#Count', 'x#Count'],
  ],
]

const javascript: Row[] = [
  [
    'neighbours, above and beside',
    {
      'pkg/helper.mjs': seven.mjs,
      'pkg/x.mjs': js("import { value } from './helper.mjs'"),
      'pkg/deep/x.js': js("import { value } from '../helper.mjs'"),
    },
    ['pkg/x#Count', 'pkg.x#Count', 'pkg.deep.x#Count'],
  ],
  [
    'a package in ENV_PATH/node_modules',
    {
      'node_modules/seven/package.json': '{"name":"seven","type":"module","exports":"./main.js"}',
      'node_modules/seven/main.js': seven.mjs,
      'x.mjs': js("import { value } from 'seven'"),
      'pkg/y.ts': js("import { value } from 'seven'"),
    },
    ['x#Count', 'pkg/y#Count'],
  ],
  [
    'CommonJS',
    {
      'pkg/helper.js': seven.cjs,
      'pkg/x.js': `${js("const { value } = require('./helper')", 'class Count')}module.exports = { Count }\n`,
    },
    ['pkg/x#Count'],
  ],
  [
    'TypeScript, however the neighbour is written',
    {
      'pkg/helper.ts': 'export const value: number = 7\n',
      'pkg/a.ts': js("import { value } from './helper.ts'"),
      'pkg/b.ts': js("import { value } from './helper.js'"),
      'pkg/c.ts': js("import { value } from './helper'"),
      'pkg/d.mjs': js("import { value } from './helper.ts'"),
    },
    ['pkg/a#Count', 'pkg/b#Count', 'pkg/c#Count', 'pkg/d#Count'],
  ],
  [
    'a folder that is an environment itself',
    {
      'one/index.mjs': js("import { value } from './helper.mjs'"),
      'one/helper.mjs': seven.mjs,
      'two/index.js': js('const value = 7'),
      'three/index.ts': js('const value: number = 7'),
      'three.mjs': js('const value = 7'),
    },
    ['one#Count', 'one', 'two#Count', 'three/index#Count', 'three#Count'],
  ],
  [
    'a folder with a package.json of its own',
    {
      'pkg/package.json': '{"type":"module","imports":{"#helper":"./helper.js"}}',
      'pkg/helper.js': seven.mjs,
      'pkg/x.js': js(
        "import { value } from '#helper'\nimport data from './data.json' with { type: 'json' }\ndata.seven",
      ),
      'pkg/data.json': '{"seven":7}',
    },
    ['pkg/x#Count'],
  ],
]

const saysSeven = async (
  t: Test,
  { resolve, open, instanceDir }: Awaited<ReturnType<typeof environmentsIn>>,
  written: string,
) => {
  const found = await resolve(undefined, written)
  if ('refused' in found) throw new Error(`${written}: ${found.message}`)
  const instance = await open(found.source, { kwargs: {}, env_vars: {}, dir: instanceDir() })
  await resetOf(instance)
  t.match(await stepOf(instance), { status: 'completed', content: 'said 7' }, written)
  await instance.close()
}

for (const [language, rows] of [
  ['Python', python],
  ['JavaScript', javascript],
] as const) {
  for (const [what, files, written] of rows) {
    t.test(`${language}: ${what}`, async t => {
      const environments = await environmentsIn(t, files)
      for (const path of written) await saysSeven(t, environments, path)
    })
  }
}

t.test('the list names packages that are environments, and no module that is none', async t => {
  const { list } = await environmentsIn(t, {
    'pkg/__init__.py': py('from .helper import VALUE'),
    'pkg/helper.py': seven.py,
    'empty/__init__.py': '',
    'other/index.mjs': js('const value = 7'),
  })
  const names = (await list()).filter(({ source }) => source === 'ENV_PATH').map(({ name }) => name)
  t.same(names, ['other/index.mjs#Count', 'pkg/__init__.py#Count'])
})

t.test('an import that fails is named, without the path of the folder', async t => {
  const { resolve, folder } = await environmentsIn(t, { 'pkg/x.py': py('from .nothing import VALUE') })
  const found = await resolve(undefined, 'pkg/x#Count')
  t.match(found, {
    refused: 'broken',
    message: "pkg/x#Count: the environment failed: ModuleNotFoundError: No module named 'pkg.nothing'",
  })
  t.notMatch(JSON.stringify(found), folder)
})
