import { RE2JS, RE2JSException } from "re2js"

/** Longest regular expression of a query, in characters. */
const regexMaxCharacters = 2_000

/** Most instructions that a regular expression is compiled to: repetitions are written out. */
const regexInstructionsMax = 2_000

// They are compiled without a pause, in at most some 10 ms.
/** Most characters of the regular expressions of a query that are not plain text; a Unicode class counts as 100, 10 of a range without case as 1. */
export const compiledCharactersMax = 1_000

/** Most instructions that the regular expressions of the selectors of one request are compiled to. */
export const regexesInstructionsMax = 20_000

/** Most regular expressions that stay compiled, each with at most some megabytes of states that its matches have reached. */
export const cachedRegexesMax = 32

/** A regular expression that is matched against whole texts, as Prometheus does. */
export interface LabelRegex {
  readonly matches: (text: string) => boolean
  /** The groups of a match by their number, the whole text first, `undefined` for one that took no part; absent: no match. */
  readonly groups: (text: string) => ReadonlyArray<string | undefined> | undefined
  /** How many steps finding groups takes at most for each character of a text: the instructions. */
  readonly size: number
  /** How many steps `matches` takes at most for each character of a text. */
  readonly matchSize: number
  /** How much of `compiledCharactersMax` it takes. */
  readonly compiledCharacters: number
  /** The numbers of named groups. */
  readonly names: ReadonlyMap<string, number>
}

const cached = new Map<string, LabelRegex>()

/**
 * Compiles a regular expression of RE2, or finds it among those used last.
 *
 * Matching takes time in proportion to the text and the expression, whatever they are, which the regular expressions of
 * JavaScript do not: those of queries come from users. Throws a `SyntaxError`.
 */
export const compileRegex = (pattern: string): LabelRegex => {
  const regex = cached.get(pattern) ?? compile(pattern)
  // The most recently used is the last.
  cached.delete(pattern)
  cached.set(pattern, regex)
  for (const oldest of cached.keys()) {
    if (cached.size <= cachedRegexesMax) break
    cached.delete(oldest)
  }
  return regex
}

const compile = (pattern: string): LabelRegex => {
  if (pattern.length > regexMaxCharacters) {
    throw new SyntaxError(`it is longer than ${regexMaxCharacters} characters`)
  }
  const simple = /[\uD800-\uDFFF]/.test(pattern) ? undefined : simpleMatch(pattern)
  if (simple !== undefined) {
    // Seldom compiled: only `label_replace` asks for groups.
    let compiled: RE2JS | undefined
    return {
      size: pattern.length,
      matchSize: 1,
      compiledCharacters: 0,
      matches: simple,
      groups: (text) => groupsOf((compiled ??= parse(pattern)), text),
      names: new Map(),
    }
  }
  const compiledCharacters = charactersOf(pattern)
  if (compiledCharacters > compiledCharactersMax) {
    const counted = "with 100 for each Unicode class and 1 for each 10 characters of a range without case"
    throw new SyntaxError(`it is too large: it has more than ${compiledCharactersMax} characters, ${counted}`)
  }
  // Compiling a hundred times as many instructions as are allowed would take a quarter of a second.
  if (writtenRepetitions(pattern) > regexInstructionsMax) throw new SyntaxError("it is too large")
  const regex = parse(pattern)
  const size = regex.programSize()
  if (size > regexInstructionsMax) throw new SyntaxError("it is too large")
  return {
    size,
    matchSize: size,
    compiledCharacters,
    matches: (text) => regex.matches(text),
    groups: (text) => groupsOf(regex, text),
    names: new Map(Object.entries(regex.namedGroups())),
  }
}

const groupsOf = (regex: RE2JS, text: string): ReadonlyArray<string | undefined> | undefined => {
  const matcher = regex.matcher(text)
  if (!matcher.matches()) return undefined
  return Array.from({ length: matcher.groupCount() + 1 }, (_, group) => matcher.group(group) ?? undefined)
}

/**
 * The characters of an expression that is compiled, with what they stand for: the library goes through each character of a range that
 * is compared without case, and through hundreds of ranges of a Unicode class. Never less than that, whatever is escaped.
 */
const charactersOf = (pattern: string): number => {
  const classes = pattern.match(/\\[pP]/g)?.length ?? 0
  const folded = /\(\?[a-zA-Z]*i/.test(pattern) ? rangedCharacters(pattern) / 10 : 0
  return Math.ceil(pattern.length + 100 * classes + folded)
}

/** How many characters are between the ends of everything that looks like a range. */
const rangedCharacters = (pattern: string): number => {
  let sum = 0
  for (const [, first = "", last = ""] of pattern.matchAll(rangeStart)) {
    sum += Math.max(0, codePointOf(last) - codePointOf(first))
  }
  return sum
}

const rangeEnd = String.raw`\\x\{[0-9A-Fa-f]+\}|\\x[0-9A-Fa-f]{2}|\\[0-7]{1,3}|\\.|[^\\]`
const rangeStart = new RegExp(`(?=(${rangeEnd})-(${rangeEnd}))`, "gsu")

const codePointOf = (end: string): number => {
  const [, hex, octal] = /^\\(?:x\{?([0-9A-Fa-f]+)\}?|([0-7]+))$/.exec(end) ?? []
  if (hex !== undefined) return Number.parseInt(hex, 16)
  return octal === undefined
    ? (end.codePointAt(end.length > 1 && end.startsWith("\\") ? 1 : 0) ?? 0)
    : Number.parseInt(octal, 8)
}

const parse = (pattern: string): RE2JS => {
  try {
    // As in Prometheus, `.` also matches a line break.
    return RE2JS.compile(pattern, RE2JS.DOTALL)
  } catch (cause) {
    if (!(cause instanceof RE2JSException)) throw cause
    // The flag is written before the pattern.
    throw new SyntaxError(cause.message.replace("error parsing regexp: ", "").replace("`(?s)", "`"))
  }
}

/**
 * How most queries match, without the expression: one of some texts, as from a variable of a dashboard, or a text with anything
 * before and behind it. `undefined` for other expressions.
 */
const simpleMatch = (pattern: string): LabelRegex["matches"] | undefined => {
  const group = /^\((?:\?:)?(.*)\)$/s.exec(pattern)?.[1] ?? pattern
  const alternatives = literals(group)
  if (alternatives !== undefined) {
    const texts = new Set(alternatives)
    return (text) => texts.has(text)
  }
  const [, before = "", inner = "", behind = ""] = /^(\.[*+])?(.*?)((?<!\\)\.[*+])?$/s.exec(pattern) ?? []
  const [text, ...others] = literals(inner) ?? []
  if (text === undefined || others.length > 0) return undefined
  // Both ends could take one half of a character.
  if (text === "" && before !== "" && behind !== "") return undefined
  const [first, last] = [before === ".+" ? 1 : 0, behind === ".+" ? 1 : 0]
  const isEnd = (of: string, at: number): boolean => of.startsWith(text, at) && at + text.length === of.length
  if (before === "") return (of) => of.startsWith(text) && of.length >= text.length + last
  if (behind === "") return (of) => isEnd(of, of.length - text.length) && of.length >= text.length + first
  return (of) => {
    const at = of.indexOf(text, first)
    return at !== -1 && at + text.length + last <= of.length
  }
}

/** The texts that a pattern of nothing but characters and `|` matches; `undefined` for another one. */
const literals = (pattern: string): ReadonlyArray<string> | undefined => {
  const texts = [""]
  for (const [part] of pattern.matchAll(/\\.|./gsu)) {
    if (part === "|") texts.push("")
    else if (/^\\[!-/:-@[-`{-~]$/.test(part)) texts[texts.length - 1] += part.slice(1)
    else if (/^[^\\.+*?()[\]{}^$]$/u.test(part)) texts[texts.length - 1] += part
    else return undefined
  }
  return texts
}

const writtenRepetitions = (pattern: string): number => {
  let sum = 0
  for (const [, min, max] of pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)) sum += Number(max || min)
  return sum
}
