// Checks the configuration that the code of an agent gives to a subagent. It may say how the subagent works, and it never
// gives the subagent more than its caller has.
import { Compile } from 'typebox/compile'
import { patternProblem } from '../contract/approvals.ts'
import { AgentConfig } from '../contract/wire.ts'

/** Fields by which the request of the caller limits its agents, or that name servers, whose headers are secrets. */
const ofCaller = [
  'agent_id',
  'allowed_tools',
  'builtin_tools',
  'builtin_subagents',
  'tool_mcp_config',
  'code_interpreter_config',
  'code_for_agent',
  'code_for_interpreter',
]

const fits = Compile(AgentConfig)

/** Why a subagent cannot get this configuration; undefined: it can. */
export const subagentConfigProblem = (config: Record<string, unknown>): string | undefined => {
  const taken = ofCaller.filter(field => field in config)
  if (taken.length > 0) {
    return `the configuration of a subagent cannot set ${taken.join(', ')}: these come from the request of the task`
  }
  const [wrong] = fits.Errors(config)
  if (wrong !== undefined) {
    return `the configuration of a subagent does not fit agent_config: ${wrong.instancePath || 'it'} ${wrong.message}`
  }
  const patterns = (config.approve ?? []) as string[]
  const problem = patterns.map(patternProblem).find(found => found !== undefined)
  return problem && `approve of a subagent: ${problem}`
}
