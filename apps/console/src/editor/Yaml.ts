/** Writes a list or a map of plain data as YAML 1.2 in block style. Undefined properties are left out. */
export const toYaml = (value: object): string => `${after(value, 0).slice(1)}\n`

/** What follows `key:` or `-`; `depth` is that of the lines below it. */
const after = (value: unknown, depth: number): string => {
  if (Array.isArray(value)) {
    if (value.length === 0) return " []"
    return value.map((item) => `\n${pad(depth)}-${afterDash(item, depth + 1)}`).join("")
  }
  if (!isScalar(value)) {
    const entries = Object.entries(value as object).filter(([, each]) => each !== undefined)
    if (entries.length === 0) return " {}"
    return entries.map(([key, each]) => `\n${pad(depth)}${plain(key)}:${after(each, depth + 1)}`).join("")
  }
  if (typeof value === "string" && isBlockText(value)) {
    const lines = value.replace(/\n$/, "").split("\n")
    const text = lines.map((line) => (line === "" ? "" : `${pad(depth)}${line}`)).join("\n")
    return ` |${value.endsWith("\n") ? "" : "-"}\n${text}`
  }
  return ` ${typeof value === "string" ? plain(value) : JSON.stringify(value)}`
}

/** The first line of a list or a map is on the line of the dash. */
const afterDash = (item: unknown, depth: number): string => {
  const text = after(item, depth)
  return text.startsWith("\n") ? ` ${text.slice(1 + pad(depth).length)}` : text
}

const isScalar = (value: unknown): boolean => typeof value !== "object" || value === null

const pad = (depth: number): string => "  ".repeat(depth)

/** Lines that a literal block keeps as they are. */
const isBlockText = (text: string): boolean =>
  /^\S[^]*\n/.test(text) && !text.endsWith("\n\n") && !/[^\n\x20-\x7e\u00a0-\ud7ff]/.test(text)

/** Without quotes where nothing else could be meant. Every JSON string is a quoted string of YAML. */
const plain = (text: string): string => {
  const isPlain =
    /^[A-Za-z/][\w./ ()%+-]*$/.test(text) &&
    !/\s$/.test(text) &&
    !/^(?:true|false|null|yes|no|on|off|y|n|nan|inf)$/i.test(text)
  return isPlain ? text : JSON.stringify(text)
}
