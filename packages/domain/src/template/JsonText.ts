/** White space between tokens, none included. Sticky. Source: RFC 8259 section 2. */
export const blankCharacters = /[ \t\n\r]*/y

/**
 * Characters of a string that stand for themselves and start no variable, none included. Sticky.
 *
 * Source: RFC 8259 section 7; spec/templates §2.
 */
// oxlint-disable-next-line no-control-regex -- these are the ones that a JSON string cannot contain
export const plainCharacters = /[^"\\$\u0000-\u001f]*/y

/** An escape in a string. Sticky. Source: RFC 8259 section 7. */
export const escapeSequence = /\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/y

/** What a literal or a number, right or wrong, is made of. Sticky. */
export const wordCharacters = /[-+.\w]+/y

/** A whole literal or number. Source: RFC 8259 sections 3 and 6. */
export const literal = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

/** What to do about a character that people write where JSON has none. */
export const hintByCharacter: Readonly<Record<string, string>> = {
  "'": "JSON strings need double quotes.",
  "/": "JSON has no comments.",
  "#": "JSON has no comments.",
  $: "Variable names have only lowercase letters and underscores, as in $slo_name.",
  "\ufeff": "Remove the byte order mark at the start.",
}

/** Shows a character in a message: itself in quotes when it can be seen, otherwise its code point. */
export const shown = (char: string): string =>
  /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(char)
    ? `"${char}"`
    : `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`

/** Writes a UTF-16 code unit as JSON's escape. */
export const unicodeEscape = (char: string): string =>
  `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`

/** Quotes a piece of a template in a message, at most 64 characters of it. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text)
