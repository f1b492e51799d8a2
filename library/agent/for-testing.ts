// What `reprise/testing` uses: it runs agents with this copy of the package, so that an error has one class.
export { definitionOf } from './definition.ts'
export { createAgentHost } from './host.ts'
