module.exports = async ctx => ctx.input.text
