// What is used of this library, in a file of its own, so that it is loaded when it is needed. An import of the library itself
// at that moment would have no names in the bundle, since the library is in the format of CommonJS.
export { collectDefaultMetrics, Registry } from 'prom-client'
