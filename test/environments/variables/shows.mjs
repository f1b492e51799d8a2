// Shows the variables that a step is given. Used by tests only.
export class Shows {
  static recovery = 'refold'
  constructor(_kwargs, { env_vars }) {
    this.own = { ...env_vars }
  }
  reset() {
    this.lengths = []
    return {}
  }
  step(_tool, _args, { env_vars }) {
    const before = JSON.stringify(env_vars)
    try {
      env_vars.ADDED = '1'
    } catch {}
    this.lengths.push((env_vars.TOKEN ?? '').length) // seen again when the step is done again
    const frozen = before === JSON.stringify(env_vars)
    return {
      content: JSON.stringify({ frozen, own: this.own, given: env_vars, PATH: process.env.PATH !== 'evil' }),
    }
  }
  observe() {
    return { lengths: this.lengths }
  }
  tools() {
    return [{ type: 'function', function: { name: 'show', parameters: { type: 'object', properties: {} } } }]
  }
}
