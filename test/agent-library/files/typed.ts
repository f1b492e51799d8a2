import { agent, type Context, ToolError } from 'reprise/agent'

const nameOf = async (ctx: Context): Promise<string> => {
  try {
    return await ctx.tool('name_of')
  } catch (error) {
    return error instanceof ToolError ? 'nobody' : 'strange'
  }
}
export default agent(nameOf)
