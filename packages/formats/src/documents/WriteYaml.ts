/**
 * Writes values of JSON as the items of a YAML list, in block style: five times as fast as a general writer, which decides the
 * style of each string by reading it several times.
 *
 * A string is plain if no version of YAML can read it otherwise, a literal block if it has lines, and otherwise in double
 * quotes. A property with the value `undefined` is left out.
 */
export const writeYamlItems = (items: ReadonlyArray<unknown>, indent = ""): string => {
  let text = ""
  for (const item of items) {
    const isMap = typeof item === "object" && item !== null && !Array.isArray(item)
    const properties = isMap ? writeProperties(item, `${indent}  `, " ") : ""
    text += `${indent}-${properties === "" ? writeValue(item, indent) : properties}`
  }
  return text
}

/** Writes a map as a document of its own. */
export const writeYamlDocument = (document: object): string => writeProperties(document, "")

/** The properties of a map; `first` is written before the first, instead of the indentation. */
const writeProperties = (map: object, indent: string, first = indent): string => {
  let text = ""
  for (const [key, value] of Object.entries(map)) {
    if (value === undefined) continue
    const before = text === "" ? first : indent
    const name = writeLine(key)
    // Readers need not look further than this for the colon.
    const start = name.length <= implicitKeyMaxCharacters ? `${name}:` : `? ${name}\n${indent}:`
    text += before + start + writeValue(value, indent)
  }
  return text
}

/** What follows a colon or a dash, with the end of the line. */
const writeValue = (value: unknown, indent: string): string => {
  if (typeof value === "string") return ` ${writeString(value, indent)}\n`
  if (typeof value === "number") return ` ${writeNumber(value)}\n`
  if (typeof value !== "object" || value === null) return ` ${String(value)}\n`
  const isList = Array.isArray(value)
  const inner = isList ? writeYamlItems(value, `${indent}  `) : writeProperties(value, `${indent}  `)
  return inner === "" ? (isList ? " []\n" : " {}\n") : `\n${inner}`
}

const writeString = (text: string, indent: string): string => {
  if (!isLiteral(text)) return writeLine(text)
  const [chomping, lines] = text.endsWith("\n") ? ["", text.slice(0, -1)] : ["-", text]
  return `|${chomping}\n${lines.replaceAll(/^(?=.)/gm, `${indent}  `)}`
}

const writeLine = (text: string): string =>
  plain.test(text) && !reserved.test(text)
    ? text
    : JSON.stringify(text).replaceAll(
        unprintable,
        (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
      )

/** YAML 1.1 reads an exponent only behind a decimal point. */
const writeNumber = (value: number): string => {
  const text = Object.is(value, -0) ? "-0.0" : String(value)
  return text.includes(".") ? text : text.replace("e", ".0e")
}

/** Starts with a letter, and has no colon or space that means something. */
const plain = /^[A-Za-z](?:[\w./@+(),'$%=?-]|:(?=[\w/])| (?=[\w./@+(),'$%=?-]))*$/

/** What readers of YAML 1.1 take for booleans, null and numbers. */
const reserved = /^(?:y|yes|n|no|on|off|true|false|null|e[-+]?\d+)$/i

/** Lines of printable characters, of which neither the first nor the last is empty or starts with a space. */
const isLiteral = (text: string): boolean =>
  text.includes("\n") && !/^\s|\n\n$| (?:\n|$)/.test(text) && !notInLiteral.test(text)

const notInLiteral = /[^\n -~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/

const unprintable = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

const implicitKeyMaxCharacters = 1_000
