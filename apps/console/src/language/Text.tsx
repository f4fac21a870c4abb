import { IntlMessageFormat } from "intl-messageformat"
import { Fragment, type ReactNode } from "react"
import { currentLanguage, type Message, translationOf } from "./Language.ts"

type Values = Readonly<Record<string, string | number | Date | undefined>>

type Elements = Readonly<Record<string, ReactNode | ((content: ReactNode) => ReactNode)>>

/**
 * The text of a message in the user's language.
 *
 * The message is English, in the format of ICU: `t("{count, plural, one {# SLO} other {# SLOs}}", { count })`. It is also the
 * key of its translations, so it must be a string literal that `messages/de.json` has.
 */
export const t = (message: Message, values?: Values): string => {
  const format = formatOf(message)
  return typeof format === "string" ? format : String(format.format(values && isolated(values)))
}

/** Texts as a list in the user's language: a, b, and c. */
export const listText = (texts: ReadonlyArray<string>): string => lists().format(texts)

/** Elements as such a list. */
export const listOf = (elements: ReadonlyArray<ReactNode>): ReactNode =>
  lists()
    .formatToParts(elements.map((_, at) => String(at)))
    .map(({ type, value }, at) => (
      <Fragment key={at}>{type === "element" ? elements[Number(value)] : value}</Fragment>
    ))

const lists = () => new Intl.ListFormat(currentLanguage(), { type: "conjunction" })

/**
 * The text of a message with elements in it: values that are elements, and functions for tags, as in
 * `rich("Run <code>tocsin apply</code>", { code: (text) => <code>{text}</code> })`.
 */
export const rich = (message: Message, elements: Elements): ReactNode => {
  const format = formatOf(message)
  if (typeof format === "string") return format
  const parts = format.format<ReactNode>(isolated(elements) as Record<string, ReactNode>)
  return Array.isArray(parts) ? parts.map((part, at) => <Fragment key={at}>{part}</Fragment>) : parts
}

/** Values of which texts from right to left do not reorder what is around them, also in an SVG title or a label. */
const isolated = <V extends Elements | Values>(values: V): V =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === "string" && isRightToLeft.test(value) ? `\u2068${value}\u2069` : value,
    ]),
  ) as V

const isRightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/

/** A message without values, tags and quotes, which is the text itself: to parse it would take a tenth of a millisecond. */
const isPlain = (message: string): boolean => !/[{}<']/.test(message)

const formatOf = (message: Message): IntlMessageFormat | string => {
  const known = formats.get(message)
  if (known !== undefined) return known
  const translation = translationOf(message)
  const format = isPlain(translation)
    ? translation
    : new IntlMessageFormat(translation, currentLanguage(), undefined, { formatters })
  formats.set(message, format)
  return format
}

const formats = new Map<string, IntlMessageFormat | string>()

/** One for each set of options: by default, each message has its own. */
const shared = <O, F>(make: (options: O | undefined) => F): ((locales: unknown, options?: O) => F) => {
  const known = new Map<string, F>()
  return (_, options) => {
    const key = JSON.stringify(options)
    const formatter = known.get(key) ?? make(options)
    known.set(key, formatter)
    return formatter
  }
}

const formatters = {
  getNumberFormat: shared(
    (options?: Intl.NumberFormatOptions) => new Intl.NumberFormat(currentLanguage(), options),
  ),
  getDateTimeFormat: shared(
    (options?: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(currentLanguage(), options),
  ),
  getPluralRules: shared(
    (options?: Intl.PluralRulesOptions) => new Intl.PluralRules(currentLanguage(), options),
  ),
}

// Looking the same locale up for each message would take most of the time of making it.
const { resolveLocale } = IntlMessageFormat
const resolvedLocales = new Map<string, ReturnType<typeof resolveLocale>>()
IntlMessageFormat.resolveLocale = (locales) => {
  const key = String(locales)
  const resolved = resolvedLocales.get(key) ?? resolveLocale(locales)
  resolvedLocales.set(key, resolved)
  return resolved
}
