// Makes the digest of a JSON value. The order of the keys in its objects does not matter.
import { hash } from 'node:crypto'
import { canonical } from '../contract/canonical.ts'

export const digestOfBody = (value: unknown): string => hash('sha256', canonical(value), 'base64url')
