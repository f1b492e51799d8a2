// The patterns of tools whose calls wait for an approval.
import t from 'tap'
import { needsApproval, patternProblem } from '../../src/contract/approvals.ts'

t.test('a pattern fits names of tools, or places from which tools come', async t => {
  const fitting = [
    ['write_file', 'write_file', undefined],
    ['*', 'write_file', undefined],
    ['*', 'files__read', 'mcp:files'],
    ['*_file', 'write_file', undefined],
    ['w*e*e', 'write_file', undefined],
    ['files__*', 'files__read', 'mcp:files'],
    ['mcp:*', 'files__read', 'mcp:files'],
    ['mcp:fi*', 'files__read', 'mcp:files'],
    ['agent:helper', 'agent_helper', 'agent:helper'],
    ['agent_*', 'agent_helper', 'agent:helper'],
    ['env:*', 'move', 'env:move'],
  ] as const
  for (const [pattern, name, origin] of fitting) t.ok(needsApproval([pattern], name, origin), pattern)
  const others = [
    ['write', 'write_file', undefined],
    ['file', 'write_file', undefined],
    ['*_file*x', 'write_file', undefined],
    ['ab*ba', 'aba', undefined],
    ['mcp:*', 'write_file', undefined],
    ['mcp:*', 'agent_mcp', 'agent:mcp'],
    ['env:move', 'moves', 'env:moves'],
    ['a.c', 'abc', undefined],
  ] as const
  for (const [pattern, name, origin] of others) t.notOk(needsApproval([pattern], name, origin), pattern)
  t.notOk(needsApproval(null, 'write_file', undefined))
  t.ok(needsApproval(['x', 'write_file'], 'write_file', undefined), 'one of several')
})

t.test('other text is no pattern', async t => {
  for (const pattern of ['*', 'a-b_c.d', 'mcp:*', 'mcp:my.server', 'agent:a', 'env:*x*'])
    t.equal(patternProblem(pattern), undefined, pattern)
  for (const text of ['', ' ', 'a b', 'mcp:', 'tool:x', 'a:b', 'mcp:a:b', 'é'])
    t.match(patternProblem(text), /A pattern is/, text)
})
