export default async ctx => {
  console.log('this goes to the log')
  process.stdout.write('{"type":"turn"}\n')
  return ctx.input.text
}
