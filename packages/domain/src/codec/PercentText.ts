/** A share as a percentage, without the noise of binary fractions: `0.9995` is `99.95%`. */
export const percentText = (share: number, significantDigits = 12): string => {
  const percentage = Number((share * 100).toPrecision(significantDigits))
  return `${Math.abs(percentage) < 1e-12 ? 0 : percentage}%`
}
