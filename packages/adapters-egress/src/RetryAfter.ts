/**
 * Reads a `Retry-After` field (RFC 9110 section 10.2.3) as whole seconds from now, at least 0.
 *
 * Both forms: a number of seconds, or an IMF-fixdate, which counts from `nowMs` and rounds up. Anything else is
 * `undefined`.
 */
export const retryAfterFromField = (field: string, nowMs: number): number | undefined => {
  const text = field.trim()
  if (/^[0-9]{1,10}$/.test(text)) return Number(text)
  if (!imfFixdate.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - nowMs) / 1_000))
}

const imfFixdate = /^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$/
