// The ids that clients choose.
import Type from 'typebox'

/** An id that appears in paths, headers and subjects of NATS: 1–256 printable ASCII characters. */
export const AsciiId = Type.String({ minLength: 1, maxLength: 256, pattern: '^[\\x21-\\x7e]+$' })
/** Any other id that a client chooses: 1–256 characters of well-formed Unicode without control characters. */
export const TextId = Type.String({
  minLength: 1,
  maxLength: 256,
  pattern: '^(?:[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]|[\\ud800-\\udbff][\\udc00-\\udfff])*$',
})
