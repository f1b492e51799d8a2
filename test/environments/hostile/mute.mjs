// Never says hello.
setInterval(() => {}, 1000)
await new Promise(() => {})
