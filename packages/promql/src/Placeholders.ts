/** The placeholders of other tools in a query, as they are written. A `$` that ends a regular expression is none. */
export const queryPlaceholders = (text: string): ReadonlyArray<string> =>
  mayHavePlaceholder.test(text)
    ? Array.from(text.matchAll(queryPlaceholder), ([whole]) =>
        whole.length > 64 ? `${whole.slice(0, 64)}…` : whole,
      )
    : []

/** What every placeholder begins with, as almost no query has any. */
const mayHavePlaceholder = /\{\{|\{%|\[\[|<%|%\(|[$#@%]\{|\$[A-Za-z_]/

/** `{{ .X }}`, `${x}`, `{% … %}`, `<% … %>`, `[[x]]`, `%(x)s` and `$x`. What is between brackets is short, so that no text takes long. */
const queryPlaceholder = new RegExp(
  [
    /\{\{\{?[^{}]{0,400}\}?\}\}/,
    /[$#@%]\{[^{}]{0,400}\}/,
    /\{%[^{}%]{0,400}%\}/,
    /<%[^<>%]{0,400}%>/,
    /\[\[\s*[A-Za-z_.][\w.]{0,63}\s*\]\]/,
    /%\(\w{1,64}\)s/,
    /\$[A-Za-z_]\w{0,63}/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
)
