/**
 * Parses a decimal number, such as `12`, `-1.5` or `1e3`; `undefined` for anything else that `Number` accepts, such as `0x10`,
 * `Infinity`, white space and the empty string, and for a number that is not finite.
 */
export const parseDecimal = (text: string): number | undefined => {
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** A figure to 12 significant digits: beyond is the noise of binary fractions. Source: spec/slos §3. */
export const tidy = (value: number): number => {
  const rounded = Number(value.toPrecision(12))
  return Math.abs(rounded) < 1e-12 ? 0 : rounded
}
