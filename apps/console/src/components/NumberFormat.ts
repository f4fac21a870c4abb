import { currentLanguage } from "../language/Language.ts"

/** A reliability, rounded down so that it never seems to reach a target: 0.99953 is 99.953%. */
export const reliabilityText = (share: number, decimals = 3): string => {
  const factor = 10 ** decimals
  return `${fixedText(Math.floor(share * 100 * factor + 1e-6) / factor, decimals)}${percentSign()}`
}

/** A target with all its digits: 0.995 is 99.5%. */
export const targetText = (target: number): string => `${digitsText(target * 100, 12)}${percentSign()}`

/** A reliability on an axis, with as many digits as it has. */
export const axisShareText = (share: number): string => `${digitsText(share * 100, 7)}${percentSign()}`

/** An error budget remaining: 0.4212 is 42.1%. From 10,000% on it is abbreviated, unless more decimals are wanted. */
export const budgetText = (fraction: number, decimals = 1): string => {
  const percent = Math.round(fraction * 100 * 10 ** decimals) / 10 ** decimals
  return Math.abs(percent) < 10_000 || decimals > 1
    ? `${signed(percent, (size) => fixedText(size, decimals))}${percentSign()}`
    : shortBudgetText(fraction)
}

/** The most decimals with which a change is shown. */
const changeDecimalsMax = 9

/** Two different figures with enough decimals to show the difference: 99.9512% and 99.9519%. */
export const changeTexts = (
  before: number,
  after: number,
  text: (value: number, decimals?: number) => string,
): readonly [before: string, after: string] => {
  let texts = [text(before), text(after)] as const
  for (let decimals = 2; texts[0] === texts[1] && decimals <= changeDecimalsMax; decimals++)
    texts = [text(before, decimals), text(after, decimals)]
  return texts
}

/** An error budget remaining in whole percent, abbreviated: −15%, −10M%. */
export const shortBudgetText = (fraction: number): string =>
  `${signed(Math.round(fraction * 100), shortCountText)}${percentSign()}`

/** A share as a percentage: 0.75 is 75%. */
export const shareText = (share: number, digits = 6): string =>
  `${digitsText(share * 100, digits)}${percentSign()}`

/** The sign behind a number, which German separates by a space. */
const percentSign = (): string => (currentLanguage() === "de" ? "\u00a0%" : "%")

/** With the minus sign of typography, and none before 0. */
const signed = (value: number, text: (size: number) => string): string =>
  `${value < 0 ? "−" : ""}${text(Math.abs(value))}`

/** With as many digits as it has, up to a number of significant ones. */
export const digitsText = (value: number, digits: number): string =>
  value.toLocaleString(currentLanguage(), { maximumSignificantDigits: digits })

/** With a fixed number of decimals. */
export const fixedText = (value: number, digits: number): string =>
  value.toLocaleString(currentLanguage(), { minimumFractionDigits: digits, maximumFractionDigits: digits })

/** A burn rate: 2.00×. */
export const burnText = (rate: number): string => {
  const digits = rate >= 100 ? 0 : rate >= 10 ? 1 : 2
  return `${fixedText(rate, digits)}×`
}

/** A count of events. */
export const countText = (count: number): string => count.toLocaleString(currentLanguage())

/** A count that may be a mean: at most one decimal. */
export const meanText = (count: number): string =>
  count.toLocaleString(currentLanguage(), { maximumFractionDigits: 1 })

/** A count of events, abbreviated: 12.5K, 3M. */
export const shortCountText = (count: number): string =>
  (compact ??= new Intl.NumberFormat(currentLanguage(), {
    notation: "compact",
    maximumFractionDigits: 1,
  })).format(count)

let compact: Intl.NumberFormat | undefined
