const fails = async () => {
  throw new Error('nobody has caught this')
}
export default async ctx => {
  if (ctx.input.text === 'forget') void fails()
  return ctx.tool('a')
}
