import { type Node, parseSync, Visitor } from "oxc-parser"

/** A text of the source, with its line. */
interface SourceText {
  readonly text: string
  readonly line: number
}

/** What a module of the console says to its users. */
interface SourceTexts {
  /** The messages given to `t` and `rich`. */
  readonly messages: ReadonlyArray<SourceText>
  /** What is given to them in place of a literal. */
  readonly computed: ReadonlyArray<SourceText>
  /** English that goes through neither. */
  readonly untranslated: ReadonlyArray<SourceText>
}

/** Attributes and properties whose values people read. */
const spoken = new Set([
  "alt",
  "aria-description",
  "aria-label",
  "aria-roledescription",
  "aria-valuetext",
  "caption",
  "confirmLabel",
  "description",
  "detail",
  "empty",
  "error",
  "heading",
  "hint",
  "label",
  "legend",
  "message",
  "missing",
  "more",
  "nothingFoundMessage",
  "placeholder",
  "subtitle",
  "summary",
  "title",
  "tooltip",
  "what",
])

const isSpoken = (name: string): boolean => spoken.has(name) || /(Label|Text|Title|Message|Hint)$/.test(name)

/** Reads the texts of a module. */
export const textsOf = (path: string, source: string): SourceTexts => {
  const { program, errors } = parseSync(path, source)
  if (errors[0] !== undefined) throw new Error(`${path} cannot be parsed: ${errors[0].message}`)
  const messages: Array<SourceText> = []
  const computed: Array<SourceText> = []
  const untranslated: Array<SourceText> = []
  const at = (text: string, { start }: { readonly start: number }): SourceText => ({
    text,
    line: source.slice(0, start).split("\n").length,
  })
  const check = (node: Node | null | undefined): void => {
    for (const literal of literalsOf(node))
      if (/\p{Letter}/u.test(literal.text)) untranslated.push(at(literal.text, literal.node))
  }
  new Visitor({
    CallExpression: ({ callee, arguments: [message] }) => {
      if (callee.type !== "Identifier" || !["t", "rich"].includes(callee.name) || message === undefined)
        return
      if (message.type === "Literal" && typeof message.value === "string")
        messages.push(at(message.value, message))
      else computed.push(at(source.slice(message.start, message.end), message))
    },
    JSXText: (node) => {
      const text = node.value.replace(/&[a-z]+;/g, "").trim()
      if (/\p{Letter}/u.test(text)) untranslated.push(at(text.replace(/\s+/g, " "), node))
    },
    JSXElement: ({ children }) => {
      for (const child of children) if (child.type === "JSXExpressionContainer") check(child.expression)
    },
    JSXFragment: ({ children }) => {
      for (const child of children) if (child.type === "JSXExpressionContainer") check(child.expression)
    },
    JSXAttribute: ({ name, value }) => {
      if (name.type !== "JSXIdentifier" || value === null) return
      const given = value.type === "JSXExpressionContainer" ? value.expression : value
      if (isSpoken(name.name)) check(given)
      // Pairs of what a description list names, and its value.
      if (name.name === "properties" && given.type === "ArrayExpression")
        for (const pair of given.elements)
          if (pair?.type === "ArrayExpression") for (const part of pair.elements) check(part)
    },
    ObjectExpression: ({ properties }) => {
      const named = properties.flatMap((each) =>
        each.type === "Property" ? [{ name: nameOf(each.key), value: each.value }] : [],
      )
      const has = (name: string) => named.some((each) => each.name === name)
      for (const { name, value } of named) {
        // The columns of tables, and links.
        const isName = (name === "name" && has("cell")) || (name === "text" && has("href"))
        if (isName || isSpoken(name)) check(value)
      }
    },
  }).visit(program)
  return { messages, computed, untranslated }
}

const nameOf = (key: Node): string =>
  key.type === "Identifier" ? key.name : key.type === "Literal" ? String(key.value) : ""

/** The literals that an expression can be: itself, a branch of a choice, the parts of a template. */
const literalsOf = (
  node: Node | null | undefined,
): ReadonlyArray<{ readonly text: string; readonly node: Node }> => {
  switch (node?.type) {
    case "Literal":
      return typeof node.value === "string" ? [{ text: node.value, node }] : []
    case "TemplateLiteral":
      return [{ text: node.quasis.map(({ value }) => value.raw).join("{}"), node }]
    case "ConditionalExpression":
      return [...literalsOf(node.consequent), ...literalsOf(node.alternate)]
    case "LogicalExpression":
      return [...literalsOf(node.left), ...literalsOf(node.right)]
    case "ArrowFunctionExpression":
      return literalsOf(node.expression ? node.body : undefined)
    case "ParenthesizedExpression":
    case "TSAsExpression":
      return literalsOf(node.expression)
    default:
      return []
  }
}
