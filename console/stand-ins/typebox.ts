// Stands in for TypeBox in the browser. The contract makes schemas when it is loaded, and the console uses only the
// constants beside them, because the server checks what is sent. So here every schema is one empty value.
const nothing: unknown = new Proxy(() => {}, {
  get: (_, key) => (key === Symbol.toPrimitive ? () => '' : nothing),
  apply: () => nothing,
})
export default nothing
